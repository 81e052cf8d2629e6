import { onOneLine } from '../../answers/event-page.js';
import type { KeyState } from '../states/key-state.js';
import { stateJson } from '../states/state-answers.js';

/** The messages of a stream of changes, as Server-Sent Events. Where the client goes on from is said by `reached`. */

/** What a key is now, as it is read. */
export function changeMessage(state: KeyState): string {
  return `event: change\ndata: ${onOneLine(stateJson(state))}\n\n`;
}

/** All that was sent before is of another build: it holds no more. */
export function resetMessage({ version }: { version: number }): string {
  return `event: reset\ndata: ${JSON.stringify({ version })}\n\n`;
}

/** From here on, each change is sent as it comes. */
export function caughtUpMessage({ version }: { version: number }): string {
  return `event: caught_up\ndata: ${JSON.stringify({ version })}\n\n`;
}
