import { randomUUID } from 'node:crypto';
import { deadLettersWritten } from '#engine';
import { encodeRecord } from '#event';
import { RowsRejectedError, StoreUnavailableError, type DeadLetter } from '#store';
import { insertDuration, insertErrors, insertRows } from '../metrics/materializer-metrics.js';
import type { MaterializerDependencies } from '../partition/materializer-dependencies.js';
import type { PendingBatch } from '../partition/materialized-partition.js';
import { insertToken } from './insert-token.js';

/** Error: an insert into ClickHouse can never succeed, and continuing without the insert would lose data. */
class UnrecoverableInsertError extends Error {
  override readonly name = 'UnrecoverableInsertError';
}

/** Rows to insert, of one partition. */
type PartitionRows = Pick<PendingBatch, 'state' | 'rows'>;

/**
 * Inserts rows and dead letters into the store, and retries until they are stored. An insert waits while ClickHouse is
 * unreachable. If ClickHouse rejects an insert, the inserter halves the insert until it finds the rejected rows, and
 * stores each rejected row as a dead letter. The rows of a partition that is assigned to another process, or whose
 * stream is deleted, are left out.
 */
export class EventInserter {
  /**
   * Makes the tokens of each process different. ClickHouse remembers the token of an insert even after it has lost the part, and
   * would ignore the same rows when another process reads them again from the log.
   */
  private readonly tokenSuffix = randomUUID();

  /** @param stopped Aborted when the process stops without waiting for running inserts. */
  constructor(
    private readonly dependencies: Pick<MaterializerDependencies, 'writer' | 'retry' | 'now'>,
    private readonly stopped: AbortSignal,
  ) {}

  /**
   * Resolves when each row is stored, or its dead letter is stored, or the row need not be stored any more.
   * @throws UnrecoverableInsertError when the store rejects a dead letter
   */
  async insert(all: readonly PartitionRows[]): Promise<void> {
    const batches = all.filter(({ rows }) => rows.count > 0);
    const count = countRows(batches);
    if (count === 0) return;
    try {
      await this.append(batches, count);
    } catch (error) {
      if (!(error instanceof RowsRejectedError)) throw error;
      if (count === 1) return await this.reject(batches[0]!, error);
      const half = count >> 1;
      // The halves run in sequence, because a rejected row changes the versions of later rows.
      await this.insert(between(batches, 0, half));
      await this.insert(between(batches, half, count));
    }
  }

  /**
   * Resolves when the dead letters are stored.
   * @param lettersNow Called before each attempt; returns the dead letters to store.
   * @throws UnrecoverableInsertError when the store rejects the dead letters
   */
  async insertDeadLetters(lettersNow: () => readonly DeadLetter[]): Promise<void> {
    let letters: readonly DeadLetter[] = [];
    try {
      await this.retry(async () => {
        letters = lettersNow();
        if (letters.length > 0) await this.dependencies.writer.appendDeadLetters(letters);
      });
    } catch (error) {
      if (!(error instanceof RowsRejectedError)) throw error;
      const message = 'ClickHouse rejects the dead letters, and continuing would lose them';
      throw new UnrecoverableInsertError(message, { cause: error });
    }
    for (const { reason } of letters) deadLettersWritten.inc({ reason });
  }

  private async append(batches: readonly PartitionRows[], count: number): Promise<void> {
    const inserted = await this.retry(async () => {
      const owned = batches.filter(({ state }) => !state.ended.aborted);
      if (owned.length === 0) return 0;
      const rowBatches = owned.map(({ rows }) => rows);
      const observe = insertDuration.startTimer();
      await this.dependencies.writer.appendRowBatches(
        rowBatches,
        `${insertToken(rowBatches)}~${this.tokenSuffix}`,
      );
      observe();
      return owned.length === batches.length ? count : countRows(owned);
    });
    insertRows.inc(inserted);
  }

  /** Stores the dead letter of a row that the store rejects. Rejected rows are passed in offset order. */
  private async reject({ state, rows }: PartitionRows, { message }: RowsRejectedError): Promise<void> {
    const row = rows.row(0);
    const letter: DeadLetter = {
      source: 'materializer',
      stream: row.stream,
      partition: row.partition,
      offset: row.offset,
      reason: 'refused_by_store',
      error: message,
      event: encodeRecord(row),
      created_at: this.dependencies.now() * 1000,
    };
    await this.insertDeadLetters(() => (state.ended.aborted ? [] : [letter]));
    state.withdraw(row);
  }

  private retry<T>(attempt: () => Promise<T>): Promise<T> {
    return this.dependencies.retry.run('store', this.stopped, async () => {
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

function countRows(batches: readonly PartitionRows[]): number {
  return batches.reduce((sum, { rows }) => sum + rows.count, 0);
}

/** Returns the rows from index `firstRow` (inclusive) to index `endRow` (exclusive), counted over all given batches. */
function between(batches: readonly PartitionRows[], firstRow: number, endRow: number): PartitionRows[] {
  const within: PartitionRows[] = [];
  let earlier = 0;
  for (const { state, rows } of batches) {
    const begin = Math.max(firstRow - earlier, 0);
    const end = Math.min(endRow - earlier, rows.count);
    if (begin < end) within.push({ state, rows: rows.slice(begin, end) });
    earlier += rows.count;
  }
  return within;
}
