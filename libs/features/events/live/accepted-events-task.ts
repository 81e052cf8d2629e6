import { TimeSlice } from '#async';
import type { IdWindowReader } from '#dataflow';
import {
  decodeLogRecord,
  type OwnedPartition,
  type PartitionErasureLookup,
  type PartitionTask,
} from '#engine';
import type { StoredEvent } from '#event';
import { formatTime } from '#json';
import type { ConsumerRecord, RecordBatch } from '#kafka';

/** Accepted events of one partition, in the order of their offsets. */
export interface AcceptedPage {
  /** Key of the stream in positions. */
  key: string;
  stream: string;
  partition: number;
  events: readonly StoredEvent[];
  /** The offset up to which the page has all accepted events. */
  next: number;
}

interface AcceptedEventsTaskOptions {
  partition: OwnedPartition;
  /** Key and name of the stream. */
  source: { key: string; stream: string };
  /** Offset of the first record whose event is delivered. Records before it only warm up the id window. */
  from: number;
  window: Pick<IdWindowReader, 'bounds' | 'start' | 'startAt' | 'repeatsWords' | 'pass' | 'close'>;
  erasures: Pick<PartitionErasureLookup, 'endOf'>;
  /** Resolves when the page is delivered. */
  deliver: (page: AcceptedPage) => Promise<void>;
}

/** Limit of the records of one page. */
const pageRecords = 500;

/**
 * Decodes the records of one partition of a stream, and delivers the accepted events: not those with a repeated id, and not
 * erased ones. Refused records have no value here.
 */
export class AcceptedEventsTask implements PartitionTask {
  readonly partition = this.options.partition;
  readonly window = this.options.window;
  readonly start = this.options.window.start;
  readonly from = this.options.from;

  constructor(private readonly options: AcceptedEventsTaskOptions) {}

  async take({ records, next }: RecordBatch): Promise<void> {
    const { source, deliver, from } = this.options;
    const { partition, ended } = this.partition;
    const slice = new TimeSlice();
    for (let at = 0; at === 0 || at < records.length; at += pageRecords) {
      const some = records.slice(at, at + pageRecords);
      const until = at + pageRecords < records.length ? some.at(-1)!.offset + 1 : next;
      const events = some.flatMap((record) => this.admit(record) ?? []);
      if (until > from) await deliver({ ...source, partition, events, next: until });
      if (slice.over(some.reduce((sum, { value }) => sum + (value?.length ?? 0), 0))) await slice.end();
      ended.throwIfAborted();
    }
  }

  close(): void {
    this.window.close();
  }

  /**
   * Decodes a record. Returns undefined if its event is not delivered. The method is synchronous, because all partitions share
   * one decoder, which holds one record at a time.
   */
  private admit(record: ConsumerRecord): StoredEvent | undefined {
    const { source, window, erasures, from } = this.options;
    const { offset, timestamp } = record;
    const read = decodeLogRecord(record);
    if (!read) {
      window.pass(offset, timestamp);
      return undefined;
    }
    const isRepeated = window.repeatsWords(read.id, offset, timestamp);
    if (isRepeated || offset < from) return undefined;
    if (read.entityId !== null && offset < erasures.endOf(read.entityId)) return undefined;
    const event = read.event(source.stream);
    return {
      ...event,
      // The materializer assigns versions.
      version: null,
      timestamp: formatTime(event.timestamp),
      ingested_at: formatTime(event.ingested_at),
    };
  }
}
