import { expectedVersionOf } from '#event';
import { partitionKey, type ConsumerHandler, type Log, type RecordBatch } from '#log';
import type { VerdictTable } from './verdict-table.js';

export interface LeaveOutRefusedOptions {
  verdicts: VerdictTable;
  /** Called about once a second while a batch waits for verdicts. */
  waiting: () => void;
}

/**
 * Returns a log whose consumers do not see refused records: such a record has no value, like every record that is not an
 * event. A batch with conditional records waits until these are decided; all other batches pass at once.
 */
export function leaveOutRefused(log: Log, options: LeaveOutRefusedOptions): Log {
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
    private readonly options: LeaveOutRefusedOptions,
  ) {}

  assigned(assignment: Parameters<ConsumerHandler['assigned']>[0]): Promise<number> {
    return this.handler.assigned(assignment);
  }

  async batch(batch: RecordBatch): Promise<void> {
    const last = batch.records.findLast(({ headers }) => expectedVersionOf(headers) !== undefined);
    if (!last) return await this.handler.batch(batch);
    if (!(await this.isDecided(batch, last.offset))) return;
    await this.handler.batch({ ...batch, records: this.withoutRefused(batch) });
  }

  revoked(place: { topic: string; partition: number }): void {
    this.waits.get(partitionKey(place))?.abort();
    this.handler.revoked(place);
  }

  /** Ends all waits: their batches are not processed. */
  close(): void {
    this.closed = true;
    for (const wait of this.waits.values()) wait.abort();
  }

  /** Waits for the verdict on a record. Resolves false if the partition is lost meanwhile. */
  private async isDecided({ topic, partition }: RecordBatch, offset: number): Promise<boolean> {
    if (this.closed) return false;
    const { verdicts, waiting } = this.options;
    const place = { topic, partition, offset };
    const wait = new AbortController();
    this.waits.set(partitionKey(place), wait);
    try {
      await verdicts.decided(place, wait.signal, waiting);
      return true;
    } catch (error) {
      if (wait.signal.aborted) return false;
      throw error;
    } finally {
      this.waits.delete(partitionKey(place));
    }
  }

  private withoutRefused(batch: RecordBatch): RecordBatch['records'] {
    const { verdicts } = this.options;
    const isRefused = ({ headers, offset }: RecordBatch['records'][number]) =>
      expectedVersionOf(headers) !== undefined && verdicts.isRefused(batch, offset);
    return batch.records.map((record) => (isRefused(record) ? { ...record, value: null } : record));
  }
}
