import { onOneLine } from '#gateway-kit';
import type { KeyState } from '../states/key-state.js';
import { stateJson } from '../states/state-answers.js';

/**
 * The Server-Sent Events of a live stream of projection changes. The functions of this file add no message ids: the
 * live stream adds the ids, so that a client can resume.
 */

/** Returns the message `change` with the current state of a key, as JSON in the same form as a read of the state. */
export function changeMessage(state: KeyState): string {
  return `event: change\ndata: ${onOneLine(stateJson(state))}\n\n`;
}

/**
 * Returns the message `reset`: the client must discard all states that it has received, because they belong to an
 * earlier generation of the projection.
 */
export function resetMessage({ version }: { version: number }): string {
  return `event: reset\ndata: ${JSON.stringify({ version })}\n\n`;
}

/**
 * Returns the message `caught_up`: the client has received the changes so far, and later ones are sent when they are
 * saved.
 */
export function caughtUpMessage({ version }: { version: number }): string {
  return `event: caught_up\ndata: ${JSON.stringify({ version })}\n\n`;
}
