import { createHash } from 'node:crypto';
import { uuidPattern } from './names.js';

/**
 * A record of a stream's topic that is the replay of a dead letter says so in this header: a UUID that is made of the
 * letter alone. Consumers tell repeats of such a record by it and not by the event's id: that id has been seen in the
 * letter's own record, which did not become an event. The same letter replayed twice is still one event.
 */
export const replayHeader = 'tributary-replay';

/** The UUID of all replays of one dead letter, by its identity and what it holds. */
export function replayIdOf(letter: { id: string; event: string }): string {
  const hex = createHash('sha256').update(letter.id).update('\n').update(letter.event).digest('hex');
  // Version 8 of RFC 9562: the other bits are the application's own.
  const parts = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ];
  return parts.join('-');
}

/** The UUID in the headers of a record that is a replay; undefined for every other record. */
export function replayIdIn(headers: Readonly<Record<string, Buffer | undefined>>): string | undefined {
  const text = headers[replayHeader]?.toString('latin1');
  return text !== undefined && uuidPattern.test(text) ? text : undefined;
}
