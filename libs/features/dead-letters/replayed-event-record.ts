import { createHash } from 'node:crypto';
import {
  decodeRecord,
  decodeRejectedEvent,
  encodeRecord,
  UnreadableRecordError,
  type EventRecord,
} from '#event';
import type { EpochMicros } from '#json';
import type { RejectedEventRevalidator } from './rejected-event-revalidator.js';
import type { StoredDeadLetter } from '#store';

/** The Kafka record of the event that a replayed dead letter becomes, in the topic of its stream. */
export interface ReplayedEventRecord {
  eventId: string;
  entityId: string | null;
  key: string;
  value: string;
}

/**
 * The source of the dead letters that a replay can turn into events. Dead letters of other sources come from valid
 * events, so they are not replayed into the stream.
 */
const replayableSource = 'materializer';

/**
 * Resolves with the event of a dead letter, ingested at `now`, or with a sentence that says why it cannot become an
 * event. The log already has a record with the original `event_id`, and a second one would be discarded as a duplicate.
 * So the event gets an id that is derived from the dead letter alone: a second replay yields the same event. A record
 * that was refused at intake never was in the log. The event of such a record keeps the record's id, so a copy that the
 * sender has sent again is a duplicate.
 */
export async function replayedEvent(
  letter: StoredDeadLetter,
  { refused, now }: { refused: Pick<RejectedEventRevalidator, 'read'>; now: EpochMicros },
): Promise<ReplayedEventRecord | string> {
  if (letter.source !== replayableSource)
    return `dead letters of ${letter.source} are not replayed into the stream`;
  const record = decodeRejectedEvent(letter.event);
  const event = record ? await refused.read(letter.stream, record) : readEvent(letter);
  if (typeof event === 'string') return event;
  return {
    eventId: event.event_id,
    entityId: event.entity_id,
    key: event.entity_id ?? event.event_id,
    value: encodeRecord({ ...event, ingested_at: now }),
  };
}

function readEvent(letter: StoredDeadLetter): EventRecord | string {
  try {
    return { ...decodeRecord(letter.event), event_id: replayId(letter) };
  } catch (error) {
    if (error instanceof UnreadableRecordError) return `it still cannot be read: ${error.message}`;
    throw error;
  }
}

/**
 * Returns the event id of a replay, derived from the dead letter: a UUID of version 8 (RFC 9562), whose bits the
 * application defines.
 */
export function replayId({ id, event }: StoredDeadLetter): string {
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
