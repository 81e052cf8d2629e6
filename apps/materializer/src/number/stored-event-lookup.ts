import { EventRecordParser, UnreadableRecordError, uuidText } from '#event';
import type { ConsumerRecord, RecordBatch } from '#kafka';
import {
  maxRangeOffsets,
  type EventRowBatch,
  type EventWriter,
  type OffsetAndEventId,
  type OffsetRange,
  type ScrubbedEvent,
} from '#store';

interface StoredEventLookupOptions {
  writer: Pick<EventWriter, 'storedEvents'>;
  stream: string;
  partition: number;
  /** The greatest stored offset of the partition at its assignment; -1 if the store had no event of the partition. */
  last: number;
}

/** The stored events of an offset range, by offset. */
export type StoredEvents = ReadonlyMap<number, readonly ScrubbedEvent[]>;

/**
 * Finds the events of a partition that the store already has, so that the events are not inserted again after a
 * restart. Up to the greatest stored offset, the look-up queries the store for each batch. The look-up caches nothing.
 */
export class StoredEventLookup {
  constructor(private readonly options: StoredEventLookupOptions) {}

  /** The greatest stored offset of the partition at its assignment; -1 if the store had no event of the partition. */
  get last(): number {
    return this.options.last;
  }

  /** Returns whether an event at or after this offset may have been stored before the partition was assigned. */
  mayHave(offset: number): boolean {
    return offset <= this.options.last;
  }

  /** Resolves with the stored events of an offset range. */
  async in({ from, until }: Pick<OffsetRange, 'from' | 'until'>): Promise<StoredEvents> {
    const { writer, stream, partition, last } = this.options;
    const stored = new Map<number, ScrubbedEvent[]>();
    for (let start = from; start < until && start <= last; start += maxRangeOffsets) {
      const range = { stream, partition, from: start, until: Math.min(start + maxRangeOffsets, until) };
      for (const event of await writer.storedEvents(range)) {
        const known = stored.get(event.offset);
        if (known) known.push(event);
        else stored.set(event.offset, [event]);
      }
    }
    return stored;
  }
}

/** Returns the indexes of the rows that are already stored completely: with the same event id at the same offset. */
export function storedAmong(rows: EventRowBatch, stored: StoredEvents): ReadonlySet<number> {
  const found = new Set<number>();
  if (stored.size === 0) return found;
  for (let row = 0; row < rows.count; row++) {
    const isThis = ({ complete, event_id }: ScrubbedEvent): boolean =>
      complete && event_id === rows.eventIdOf(row);
    if (stored.get(rows.offsetOf(row))?.some(isThis)) found.add(row);
  }
  return found;
}

const parser = new EventRecordParser();

/** Stored events without a record. */
interface EventsWithoutRecord {
  /** In offset order. */
  events: OffsetAndEventId[];
  /** The offset after the last stored event that has a record; 0 without one. */
  matchedUntil: number;
}

/**
 * Returns the stored events of the offset range of a batch that are not records of the batch. A record that cannot be read is
 * no event; where records cannot be decoded, nothing is known of them.
 */
export function eventsWithoutRecord(
  stored: StoredEvents,
  { records, undecodable = [] }: Pick<RecordBatch, 'records' | 'undecodable'>,
): EventsWithoutRecord {
  const found: EventsWithoutRecord = { events: [], matchedUntil: 0 };
  if (stored.size === 0) return found;
  const logged = idsOf(records.filter(({ offset }) => stored.has(offset)));
  for (const [offset, events] of stored) {
    if (undecodable.some((range) => range.offset <= offset && offset <= range.lastOffset)) continue;
    const others = events.filter(({ event_id }) => logged.get(offset) !== event_id);
    if (others.length < events.length) found.matchedUntil = offset + 1;
    found.events.push(...others);
  }
  return found;
}

function idsOf(records: readonly ConsumerRecord[]): Map<number, string> {
  const ids = new Map<number, string>();
  for (const { offset, value } of records) {
    if (value === null) continue;
    try {
      parser.read(value);
      ids.set(offset, uuidText(parser.id));
    } catch (error) {
      if (!(error instanceof UnreadableRecordError)) throw error;
    }
  }
  return ids;
}
