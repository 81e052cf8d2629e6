import { setTimeout as sleep } from 'node:timers/promises';
import { BusyPartitionDetector, type BusyPartitionThreshold } from '#dataflow';
import {
  isRetriableLogError,
  partitionKey,
  type ConsumerHandler,
  type Log,
  type ConsumerRecord,
  type NewlyAssignedPartition,
  type RecordBatch,
  type TopicPartition,
} from '#kafka';
import { isConditional } from './expected-version-of.js';
import { hasIndex, noOffsets } from './offset-bitmap.js';
import { rangeOf, rangeOffsets } from './offset-range-verdicts.js';
import type { VerdictTable } from './verdict-table.js';

interface RejectedRecordFilterOptions {
  verdicts: VerdictTable;
  /** Returns the offset that the materializer's consumer group has committed for a partition. */
  committed: (position: TopicPartition) => Promise<number>;
  /** Called about once a second while a batch waits for verdicts. */
  waiting: () => void;
  /** Returns whether a topic has the records of a stream. The materializer decides no other records. */
  isStream: (topic: string) => boolean;
  /** When a partition is busy, so that its records can be far duplicates. */
  busy: BusyPartitionThreshold;
  /** Returns the log time at a record of a partition, in milliseconds since 1970; see `logTimeAt` of the engine. */
  logTimeAt: (assignment: NewlyAssignedPartition, record: ConsumerRecord) => Promise<number>;
}

/** Milliseconds between two checks whether the materializer has passed a record without a verdict on it. */
const passedMs = 1_000;
const readMs = 10_000;
/** Milliseconds before a failed request to Kafka is repeated. */
const retryMs = 500;

/**
 * Returns a log whose consumers do not see refused records: a refused record has no value, and consumers skip every
 * record that is not an event. A batch with conditional records, or of a busy partition, waits until its records are
 * decided; all other batches pass at once. If an operator has moved the materializer's committed offset past a conditional record without a
 * verdict, the record counts as refused, because no process stores the record.
 */
export function leaveOutRejected(log: Log, options: RejectedRecordFilterOptions): Log {
  return {
    admin: log.admin,
    producer: () => log.producer(),
    tableReader: (topic, handler) => log.tableReader(topic, handler),
    close: () => log.close(),
    consumer: (given) => {
      const filter = new RejectedRecordFilter(given.handler, options);
      const consumer = log.consumer({ ...given, handler: filter });
      return {
        subscribe: (topics) => consumer.subscribe(topics),
        reassign: (topic, partition) => consumer.reassign(topic, partition),
        commit: (topic, partition, offset) => consumer.commit(topic, partition, offset),
        fetchNow: () => consumer.fetchNow(),
        get joined() {
          return consumer.joined;
        },
        close: () => {
          filter.close();
          return consumer.close();
        },
      };
    },
  };
}

/** What the filter knows of an assigned partition. */
interface FilteredPartition {
  readonly assignment: NewlyAssignedPartition;
  readonly busy: BusyPartitionDetector;
  /** Aborted when the partition is revoked. */
  readonly ended: AbortController;
  /** The offset below which the materializer has committed all records, and the table has all verdicts on them. */
  passed: number;
}

class RejectedRecordFilter implements ConsumerHandler {
  private readonly partitions = new Map<string, FilteredPartition>();
  private closed = false;

  constructor(
    private readonly handler: ConsumerHandler,
    private readonly options: RejectedRecordFilterOptions,
  ) {}

  assigned(assignment: NewlyAssignedPartition): Promise<number> {
    this.partitions.set(partitionKey(assignment), {
      assignment,
      busy: new BusyPartitionDetector(this.options.busy),
      ended: new AbortController(),
      passed: 0,
    });
    return this.handler.assigned(assignment);
  }

  async batch(batch: RecordBatch): Promise<void> {
    if (!this.options.isStream(batch.topic)) return await this.handler.batch(batch);
    const partition = this.partitions.get(partitionKey(batch));
    if (!partition || !(await this.isDecided(partition, batch))) return;
    await this.handler.batch(this.options.verdicts.isUsed ? this.withoutRejected(batch) : batch);
  }

  revoked(partition: TopicPartition): void {
    this.partitions.get(partitionKey(partition))?.ended.abort();
    this.partitions.delete(partitionKey(partition));
    this.handler.revoked(partition);
  }

  /** Ends all waits for verdicts. The batches that wait are not processed. */
  close(): void {
    this.closed = true;
    for (const { ended } of this.partitions.values()) ended.abort();
  }

  /** Waits for the verdicts on a batch. Resolves false if the partition is revoked before they arrive. */
  private async isDecided(partition: FilteredPartition, batch: RecordBatch): Promise<boolean> {
    if (this.closed) return false;
    try {
      if (!partition.busy.hasBegun) await this.begin(partition, batch.records[0]);
      const isBusy = partition.busy.isBusyIn(batch.records, batch.next);
      const last = isBusy ? batch.records.at(-1) : batch.records.findLast(isConditional);
      if (last) await this.untilDecided(partition, last.offset);
      return true;
    } catch (error) {
      if (partition.ended.signal.aborted) return false;
      throw error;
    }
  }

  /** Looks up the log time at the first record, and reads the table if it exists: there may be refused records. */
  private async begin(partition: FilteredPartition, first: ConsumerRecord | undefined): Promise<void> {
    const { verdicts, busy: bounds, logTimeAt } = this.options;
    const { assignment, busy, ended } = partition;
    if (!first) return;
    await this.retried(ended.signal, async () => {
      await verdicts.readyIfUsed();
      if (first.offset === 0 || bounds.milliseconds === 0) return busy.begin(first.offset, -Infinity, 0);
      const logTime = await logTimeAt(assignment, first);
      const young =
        first.offset > bounds.records
          ? await assignment.offsetAt(Math.max(0, logTime - bounds.milliseconds))
          : 0;
      // The log does not say how old the records were that retention has removed.
      busy.begin(first.offset, logTime, young > assignment.beginning ? young : 0);
    });
  }

  private async untilDecided(partition: FilteredPartition, offset: number): Promise<void> {
    const { topic, partition: number } = partition.assignment;
    const position = { topic, partition: number, offset };
    const { signal } = partition.ended;
    while (
      partition.passed <= offset &&
      !(await this.isDecidedSoon(position, signal)) &&
      !(await this.isPassed(partition, position))
    )
      signal.throwIfAborted();
  }

  /** Repeats requests to Kafka while it cannot be reached. @throws the signal's reason */
  private async retried(signal: AbortSignal, attempt: () => Promise<void>): Promise<void> {
    for (;;) {
      signal.throwIfAborted();
      try {
        return await attempt();
      } catch (error) {
        // A topic that was just deleted is revoked soon.
        if (!isRetriableLogError(error)) throw error;
      }
      this.options.waiting();
      await sleep(retryMs, undefined, { signal });
    }
  }

  private async isDecidedSoon(
    position: TopicPartition & { offset: number },
    ended: AbortSignal,
  ): Promise<boolean> {
    const { verdicts, waiting } = this.options;
    const late = AbortSignal.timeout(passedMs);
    try {
      await verdicts.decided(position, AbortSignal.any([ended, late]), waiting);
      return true;
    } catch (error) {
      if (late.aborted && !ended.aborted) return false;
      throw error;
    }
  }

  /** Whether the materializer has passed the record without a verdict, which it publishes before it commits. */
  private async isPassed(
    partition: FilteredPartition,
    position: TopicPartition & { offset: number },
  ): Promise<boolean> {
    const { verdicts, committed } = this.options;
    try {
      const passed = await committed(position);
      if (passed <= position.offset) return false;
      await verdicts.upToDate(readMs);
      partition.passed = passed;
      return true;
    } catch (error) {
      if (isRetriableLogError(error)) return false;
      throw error;
    }
  }

  /** Copies a batch without the values of refused records. */
  private withoutRejected(batch: RecordBatch): RecordBatch {
    const { verdicts } = this.options;
    const decided = verdicts.decidedUntil(batch);
    if (!batch.records.some(isConditional) && !this.hasRejected(batch)) return batch;
    let [range, refused] = [-1, noOffsets];
    let isChanged = false;
    const records = batch.records.map((record) => {
      if (rangeOf(record.offset) !== range) {
        range = rangeOf(record.offset);
        refused = verdicts.refusedIn(batch, range);
      }
      const isRejected =
        hasIndex(refused, record.offset % rangeOffsets) ||
        (record.offset >= decided && isConditional(record));
      isChanged ||= isRejected;
      return isRejected ? withoutValue(record) : record;
    });
    return isChanged ? { ...batch, records } : batch;
  }

  private hasRejected(batch: RecordBatch): boolean {
    const last = batch.records.at(-1)?.offset ?? -1;
    for (let range = rangeOf(batch.records[0]?.offset ?? 0); range <= rangeOf(last); range++)
      if (this.options.verdicts.refusedIn(batch, range).length > 0) return true;
    return false;
  }
}

/** Copies a record without its value. A spread would not work: the members of a fetched record are getters. */
function withoutValue(record: ConsumerRecord): ConsumerRecord {
  const { topic, partition, offset, key, timestamp, headers } = record;
  return { topic, partition, offset, key, timestamp, headers, value: null };
}
