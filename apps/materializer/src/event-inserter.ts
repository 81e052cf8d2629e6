import type { KafkaOrClickHouseRetrier } from '#engine';
import { encodeRecord } from '#event';
import { RowsRejectedError, StoreUnavailableError, type DeadLetter, type EventRowBatch } from '#store';
import { deadLettersWritten } from '#engine';
import { insertToken } from './insert-token.js';
import type { MaterializerStore } from './materializer-store.js';
import { insertDuration, insertRows, insertErrors } from './materializer-metrics.js';

/** Error: an insert into ClickHouse can never succeed, and continuing without the insert would lose data. */
class UnrecoverableInsertError extends Error {
  override readonly name = 'UnrecoverableInsertError';
}

interface EventInserterOptions {
  writer: MaterializerStore;
  retry: KafkaOrClickHouseRetrier;
  /** Aborted when the process stops without waiting for running inserts. */
  stopped: AbortSignal;
  /**
   * Returns false if the row batch need not be stored, because its partition is assigned to another process or its
   * stream is deleted.
   */
  wanted(block: EventRowBatch): boolean;
  /** Returns the current time in microseconds since 1970. */
  now: () => number;
  /**
   * Called with a batch of one row that the store rejected, after the row's dead letter is stored. A rejected row takes
   * no version, so the versions of later rows must be lowered. Rejected rows are passed in offset order.
   */
  refused(block: EventRowBatch): void;
}

/**
 * Inserts rows and dead letters into the store, and retries until they are stored. An insert waits while ClickHouse is
 * unreachable. If ClickHouse rejects an insert, the inserter halves the insert until it finds the rejected rows, and
 * stores each rejected row as a dead letter.
 */
export class EventInserter {
  constructor(private readonly options: EventInserterOptions) {}

  /**
   * Resolves when each row is stored, or its dead letter is stored, or the row need not be stored any more.
   * @throws UnrecoverableInsertError when the store rejects a dead letter
   */
  async insert(all: readonly EventRowBatch[]): Promise<void> {
    const blocks = all.filter(({ count }) => count > 0);
    const rows = rowsOf(blocks);
    if (rows === 0) return;
    try {
      await this.append(blocks, rows);
    } catch (error) {
      if (!(error instanceof RowsRejectedError)) throw error;
      if (rows === 1) return await this.refuse(blocks[0]!, error);
      const half = rows >> 1;
      // The halves run in sequence, because a rejected row changes the versions of later rows.
      await this.insert(between(blocks, 0, half));
      await this.insert(between(blocks, half, rows));
    }
  }

  /**
   * Resolves when the dead letters are stored.
   * @param lettersNow Called before each attempt; returns the dead letters to store.
   * @throws UnrecoverableInsertError when the store rejects the dead letters
   */
  async insertLetters(lettersNow: () => readonly DeadLetter[]): Promise<void> {
    let letters: readonly DeadLetter[] = [];
    try {
      await this.retried(async () => {
        letters = lettersNow();
        if (letters.length > 0) await this.options.writer.appendDeadLetters(letters);
      });
    } catch (error) {
      if (!(error instanceof RowsRejectedError)) throw error;
      throw new UnrecoverableInsertError(
        'ClickHouse rejects the dead letters, and continuing would lose them',
        {
          cause: error,
        },
      );
    }
    for (const { reason } of letters) deadLettersWritten.inc({ reason });
  }

  private async append(blocks: readonly EventRowBatch[], rows: number): Promise<void> {
    const inserted = await this.retried(async () => {
      const wanted = blocks.filter((block) => this.options.wanted(block));
      if (wanted.length === 0) return 0;
      const observe = insertDuration.startTimer();
      await this.options.writer.appendRowBatches(wanted, insertToken(wanted));
      observe();
      return wanted.length === blocks.length ? rows : rowsOf(wanted);
    });
    insertRows.inc(inserted);
  }

  private async refuse(block: EventRowBatch, reason: RowsRejectedError): Promise<void> {
    const row = block.row(0);
    const letters: DeadLetter[] = [
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
    ];
    await this.insertLetters(() => (this.options.wanted(block) ? letters : []));
    this.options.refused(block);
  }

  private retried<T>(attempt: () => Promise<T>): Promise<T> {
    return this.options.retry.run('store', this.options.stopped, async () => {
      try {
        return await attempt();
      } catch (error) {
        if (error instanceof StoreUnavailableError) insertErrors.inc({ reason: 'unavailable' });
        if (error instanceof RowsRejectedError) insertErrors.inc({ reason: 'refused' });
        throw error;
      }
    });
  }
}

function rowsOf(blocks: readonly EventRowBatch[]): number {
  return blocks.reduce((sum, { count }) => sum + count, 0);
}

/** Returns the rows from index `from` (inclusive) to index `until` (exclusive), counted over all given row batches. */
function between(blocks: readonly EventRowBatch[], from: number, until: number): EventRowBatch[] {
  const parts: EventRowBatch[] = [];
  let first = 0;
  for (const block of blocks) {
    const begin = Math.max(from - first, 0);
    const end = Math.min(until - first, block.count);
    if (begin < end) parts.push(block.slice(begin, end));
    first += block.count;
  }
  return parts;
}
