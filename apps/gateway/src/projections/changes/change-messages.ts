import { onOneLine } from '../../answers/event-page.js';
import { reached } from '../../live/server-sent.js';
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

/** Messages after which an id says how far the client is. */
const messagesPerId = 20;

/**
 * Joins messages, with an id after every few of them: a client that is cut off goes on from there. An id waits until it is
 * not longer than the messages before it.
 */
export function withIds(messages: readonly string[], idAfter: (index: number) => string): string {
  const parts: string[] = [];
  let [count, characters] = [0, 0];
  messages.forEach((message, n) => {
    parts.push(message);
    characters += message.length;
    if (++count < messagesPerId) return;
    const id = idAfter(n);
    if (id.length > characters) return;
    parts.push(reached(id));
    [count, characters] = [0, 0];
  });
  return parts.join('');
}
