import { onOneLine } from '../../answers/event-page.js';
import type { KeyState } from '../states/key-state.js';
import { stateJson } from '../states/state-answers.js';

/**
 * The messages of a stream of changes, as Server-Sent Events. `reached` returns the positions from which a client can
 * resume.
 */

/** Returns the current state of a key, in the same form as a read. */
export function changeMessage(state: KeyState): string {
  return `event: change\ndata: ${onOneLine(stateJson(state))}\n\n`;
}

/** Returns the message that all states sent before are invalid, because they belong to another generation. */
export function resetMessage({ version }: { version: number }): string {
  return `event: reset\ndata: ${JSON.stringify({ version })}\n\n`;
}

/** Returns the message that the client has caught up: from here on, each change is sent when it happens. */
export function caughtUpMessage({ version }: { version: number }): string {
  return `event: caught_up\ndata: ${JSON.stringify({ version })}\n\n`;
}
