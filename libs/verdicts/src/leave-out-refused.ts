import {
  LogUnavailableError,
  partitionKey,
  UnknownTopicError,
  type ConsumerHandler,
  type Log,
  type LogRecord,
  type RecordBatch,
} from '#log';
import { expectedVersionOf } from './expected-version-of.js';
import type { TopicPartition } from './offset-range-verdicts.js';
import type { VerdictTable } from './verdict-table.js';

export interface RefusedRecordFilterOptions {
  verdicts: VerdictTable;
  /** Returns the offset that the materializer's consumer group has committed for a partition. */
  committed: (position: TopicPartition) => Promise<number>;
  /** Called about once a second while a batch waits for verdicts. */
  waiting: () => void;
}

/**
 * Milliseconds between two checks whether the materializer has committed past a record without publishing a verdict on
 * the record.
 */
const passedMs = 1_000;
const readMs = 10_000;

/**
 * Returns a log whose consumers do not see refused records: a refused record has no value, and consumers skip every
 * record that is not an event. A batch with conditional records waits until the records are decided; all other batches
 * pass at once. If an operator has moved the materializer's committed offset past a conditional record without a
 * verdict, the record counts as refused, because no process stores the record.
 */
export function leaveOutRefused(log: Log, options: RefusedRecordFilterOptions): Log {
  return {
    admin: log.admin,
    producer: () => log.producer(),
    tableReader: (topic, handler) => log.tableReader(topic, handler),
    close: () => log.close(),
    consumer: (given) => {
      const filter = new RefusedRecordFilter(given.handler, options);
      const consumer = log.consumer({ ...given, handler: filter });
      return {
        subscribe: (topics) => consumer.subscribe(topics),
        reassign: (topic) => consumer.reassign(topic),
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

class RefusedRecordFilter implements ConsumerHandler {
  private readonly waits = new Map<string, AbortController>();
  private closed = false;

  constructor(
    private readonly handler: ConsumerHandler,
    private readonly options: RefusedRecordFilterOptions,
  ) {}

  assigned(assignment: Parameters<ConsumerHandler['assigned']>[0]): Promise<number> {
    return this.handler.assigned(assignment);
  }

  async batch(batch: RecordBatch): Promise<void> {
    const last = batch.records.findLast((record) => expectedVersionOf(record) !== undefined);
    if (!last) return await this.handler.batch(batch);
    if (!(await this.isDecided(batch, last.offset))) return;
    await this.handler.batch({ ...batch, records: this.withoutRefused(batch) });
  }

  revoked(position: { topic: string; partition: number }): void {
    this.waits.get(partitionKey(position))?.abort();
    this.handler.revoked(position);
  }

  /** Ends all waits for verdicts. The batches that wait are not processed. */
  close(): void {
    this.closed = true;
    for (const wait of this.waits.values()) wait.abort();
  }

  /** Waits for the verdict on a record. Resolves false if the partition is revoked before the verdict arrives. */
  private async isDecided({ topic, partition }: RecordBatch, offset: number): Promise<boolean> {
    if (this.closed) return false;
    const position = { topic, partition, offset };
    const wait = new AbortController();
    this.waits.set(partitionKey(position), wait);
    try {
      while (!(await this.isDecidedSoon(position, wait.signal)) && !(await this.isPassed(position)))
        wait.signal.throwIfAborted();
      return true;
    } catch (error) {
      if (wait.signal.aborted) return false;
      throw error;
    } finally {
      this.waits.delete(partitionKey(position));
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

  /**
   * Resolves with whether the materializer has committed past the record without a verdict on the record. The
   * materializer publishes the verdicts on a batch before it commits the batch.
   */
  private async isPassed(position: TopicPartition & { offset: number }): Promise<boolean> {
    const { verdicts, committed } = this.options;
    try {
      if ((await committed(position)) <= position.offset) return false;
      await verdicts.upToDate(readMs);
      return true;
    } catch (error) {
      if (error instanceof LogUnavailableError || error instanceof UnknownTopicError) return false;
      throw error;
    }
  }

  private withoutRefused(batch: RecordBatch): RecordBatch['records'] {
    const { verdicts } = this.options;
    const decided = verdicts.decidedUntil(batch);
    const isRefused = (record: LogRecord) =>
      expectedVersionOf(record) !== undefined &&
      (record.offset >= decided || verdicts.isRefused(batch, record.offset));
    return batch.records.map((record) => (isRefused(record) ? withoutValue(record) : record));
  }
}

/**
 * Copies a record member by member, without its value. Spreading the record would not work, because the members of a
 * fetched record are getters of its class.
 */
function withoutValue(record: LogRecord): LogRecord {
  const { topic, partition, offset, key, timestamp, headers } = record;
  return { topic, partition, offset, key, timestamp, headers, value: null };
}
