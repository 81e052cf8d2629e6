import { EventRecordParser, UnreadableRecordError, uuidText } from '#event';
import type { ConsumerRecord, RecordBatch } from '#kafka';
import {
  maxRangeOffsets,
  type EventRowBatch,
  type EventWriter,
  type OffsetAndEventId,
  type OffsetRange,
} from '#store';

interface StoredEventLookupOptions {
  writer: Pick<EventWriter, 'storedEvents'>;
  stream: string;
  partition: number;
  /** The greatest stored offset of the partition at its assignment; -1 if the store had no event of the partition. */
  last: number;
}

/** The ids of the stored events of an offset range, by offset. */
export type StoredEventIds = ReadonlyMap<number, readonly string[]>;

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
  async in({ from, until }: Pick<OffsetRange, 'from' | 'until'>): Promise<StoredEventIds> {
    const { writer, stream, partition, last } = this.options;
    const stored = new Map<number, string[]>();
    for (let start = from; start < until && start <= last; start += maxRangeOffsets) {
      const range = { stream, partition, from: start, until: Math.min(start + maxRangeOffsets, until) };
      for (const { offset, event_id } of await writer.storedEvents(range)) {
        const known = stored.get(offset);
        if (known) known.push(event_id);
        else stored.set(offset, [event_id]);
      }
    }
    return stored;
  }
}

/** Returns the indexes of the rows that are already stored: the store has the same event id at the same offset. */
export function storedAmong(rows: EventRowBatch, stored: StoredEventIds): ReadonlySet<number> {
  const found = new Set<number>();
  if (stored.size === 0) return found;
  for (let row = 0; row < rows.count; row++)
    if (stored.get(rows.offsetOf(row))?.includes(rows.eventIdOf(row))) found.add(row);
  return found;
}

const parser = new EventRecordParser();

/** Stored events without a record. */
interface EventsWithoutRecord {
  /** In offset order. */
  events: OffsetAndEventId[];
  /** The offset after the last stored event with a record before them; 0 without one. No record before it is lost. */
  after: number;
  /** Whether no stored event with a record follows the first of them, as when Kafka has lost the end of the log. */
  areLast: boolean;
}

/**
 * Returns the stored events of the offset range of a batch that are not records of the batch. A record that cannot be read is
 * no event; where records cannot be decoded, nothing is known of them.
 */
export function eventsWithoutRecord(
  stored: StoredEventIds,
  { records, undecodable = [] }: Pick<RecordBatch, 'records' | 'undecodable'>,
): EventsWithoutRecord {
  const found: EventsWithoutRecord = { events: [], after: 0, areLast: true };
  if (stored.size === 0) return found;
  const logged = idsOf(records.filter(({ offset }) => stored.has(offset)));
  for (const [offset, ids] of stored) {
    if (undecodable.some((range) => range.offset <= offset && offset <= range.lastOffset)) continue;
    const others = ids.filter((id) => logged.get(offset) !== id);
    if (others.length < ids.length && found.events.length > 0) found.areLast = false;
    if (others.length < ids.length && found.events.length === 0) found.after = offset + 1;
    for (const event_id of others) found.events.push({ offset, event_id });
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
