import { createHash } from 'node:crypto';
import { decodeRecord, encodeRecord, UnreadableRecordError, type EventRecord, type Micros } from '#event';
import type { FoundDeadLetter } from '#store';

/** What a dead letter becomes when it is replayed: a record of its stream's topic. */
export interface ReplayedEvent {
  /** The id of the event, which is not the one that the letter holds. */
  eventId: string;
  entityId: string | null;
  key: string;
  value: string;
}

/** Who gave up on the record: what others gave up on has become an event all the same. */
const replayableSource = 'materializer';

/**
 * The event of a dead letter, ingested anew at `now`; or a sentence that says why it cannot become one. The log knows the
 * letter's own `event_id` already, from the record that did not become an event, and would take another record with it
 * for a repetition. So the event gets an id that is made of the letter alone: replayed twice, it is one event.
 */
export function replayedEvent(letter: FoundDeadLetter, now: Micros): ReplayedEvent | string {
  if (letter.source !== replayableSource)
    return `what ${letter.source} gave up on is not replayed into the stream`;
  const event = readEvent(letter.event);
  if (typeof event === 'string') return event;
  const event_id = replayId(letter);
  return {
    eventId: event_id,
    entityId: event.entity_id,
    key: event.entity_id ?? event_id,
    value: encodeRecord({ ...event, event_id, ingested_at: now }),
  };
}

function readEvent(text: string): EventRecord | string {
  try {
    return decodeRecord(text);
  } catch (error) {
    if (error instanceof UnreadableRecordError) return `it still cannot be read: ${error.message}`;
    throw error;
  }
}

/** What is made of a letter is known by this: a UUID of version 8 (RFC 9562), whose bits are the application's own. */
export function replayId({ id, event }: FoundDeadLetter): string {
  const hex = createHash('sha256').update(id).update('\n').update(event).digest('hex');
  const [a, b, c, d, e] = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    hex.slice(13, 16),
    hex.slice(17, 20),
    hex.slice(20, 32),
  ];
  return `${a}-${b}-8${c}-8${d}-${e}`;
}
