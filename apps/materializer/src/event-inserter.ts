import { encodeRecord } from '#contracts';
import {
  StoreRefusedError,
  StoreUnavailableError,
  type DeadLetter,
  type EventRow,
  type EventWriter,
} from '#store';
import { metrics } from '#telemetry';
import { insertToken } from './insert-token.js';
import type { Retry } from './retry.js';

/** What goes wrong cannot be healed by waiting, and going on would drop something. */
export class CannotGoOnError extends Error {
  override readonly name = 'CannotGoOnError';
}

export interface EventInserterOptions {
  writer: EventWriter;
  retry: Retry;
  /** Aborted when everything stops at once. */
  stopped: AbortSignal;
  /** Microseconds since 1970. */
  now: () => number;
  /** The store will not take this row: it does not count, and those after it move up. Called in the rows' order. */
  refused(row: EventRow): void;
}

/**
 * Writes rows and dead letters until they are stored. Waits for a store that cannot be reached; finds the rows that it
 * refuses by halving, and makes them dead letters.
 */
export class EventInserter {
  constructor(private readonly options: EventInserterOptions) {}

  /** Resolves when every row is stored, or is a dead letter. @throws CannotGoOnError */
  async insert(rows: readonly EventRow[]): Promise<void> {
    if (rows.length === 0) return;
    try {
      await this.append(rows);
    } catch (error) {
      if (!(error instanceof StoreRefusedError)) throw error;
      if (rows.length === 1) return await this.refuse(rows[0]!, error);
      const half = rows.length >> 1;
      // One after the other: a refused row changes the versions of those after it.
      await this.insert(rows.slice(0, half));
      await this.insert(rows.slice(half));
    }
  }

  /** Resolves when they are stored. @throws CannotGoOnError */
  async insertLetters(letters: readonly DeadLetter[]): Promise<void> {
    if (letters.length === 0) return;
    try {
      await this.retried(() => this.options.writer.appendDeadLetters(letters));
    } catch (error) {
      if (!(error instanceof StoreRefusedError)) throw error;
      throw new CannotGoOnError('ClickHouse refuses the dead letters; nothing may be dropped', {
        cause: error,
      });
    }
    for (const { reason } of letters) metrics.deadLetters.inc({ reason });
  }

  private async append(rows: readonly EventRow[]): Promise<void> {
    const token = insertToken(rows);
    await this.retried(async () => {
      const observe = metrics.insertDuration.startTimer();
      await this.options.writer.append(rows, token);
      observe();
    });
    metrics.insertRows.inc(rows.length);
  }

  private async refuse(row: EventRow, reason: StoreRefusedError): Promise<void> {
    await this.insertLetters([
      {
        source: 'materializer',
        stream: row.stream,
        partition: row.partition,
        offset: row.offset,
        reason: 'refused_by_store',
        error: reason.message,
        event: encodeRecord(row),
        created_at: this.options.now(),
      },
    ]);
    this.options.refused(row);
  }

  private retried<T>(attempt: () => Promise<T>): Promise<T> {
    return this.options.retry.run('store', this.options.stopped, async () => {
      try {
        return await attempt();
      } catch (error) {
        if (error instanceof StoreUnavailableError) metrics.insertErrors.inc({ reason: 'unavailable' });
        if (error instanceof StoreRefusedError) metrics.insertErrors.inc({ reason: 'refused' });
        throw error;
      }
    });
  }
}
