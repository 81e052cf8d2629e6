import { createHash } from 'node:crypto';
import {
  decodeRecord,
  decodeRefused,
  encodeRecord,
  UnreadableRecordError,
  type EventRecord,
  type Micros,
} from '#event';
import type { RefusedEvents } from '#writing';
import type { FoundDeadLetter } from '#store';

/** What a dead letter becomes when it is replayed: a record of its stream's topic. */
export interface ReplayedEvent {
  eventId: string;
  entityId: string | null;
  key: string;
  value: string;
}

/** Who gave up on the record: what others gave up on has become an event all the same. */
const replayableSource = 'materializer';

/**
 * The event of a dead letter, ingested anew at `now`; or a sentence that says why it cannot become one. The log knows the
 * `event_id` of a record that did not become an event already, and would take another record with it for a repetition. So
 * such an event gets an id that is made of the letter alone: replayed twice, it is one event. What was refused at intake
 * never was an event: it keeps its id, and is one with what its sender has sent again meanwhile.
 */
export async function replayedEvent(
  letter: FoundDeadLetter,
  { refused, now }: { refused: Pick<RefusedEvents, 'read'>; now: Micros },
): Promise<ReplayedEvent | string> {
  if (letter.source !== replayableSource)
    return `what ${letter.source} gave up on is not replayed into the stream`;
  const record = decodeRefused(letter.event);
  const event = record ? await refused.read(letter.stream, record) : readEvent(letter);
  if (typeof event === 'string') return event;
  return {
    eventId: event.event_id,
    entityId: event.entity_id,
    key: event.entity_id ?? event.event_id,
    value: encodeRecord({ ...event, ingested_at: now }),
  };
}

function readEvent(letter: FoundDeadLetter): EventRecord | string {
  try {
    return { ...decodeRecord(letter.event), event_id: replayId(letter) };
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
