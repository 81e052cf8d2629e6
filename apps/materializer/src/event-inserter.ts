import type { Retry } from '#engine';
import { encodeRecord } from '#event';
import { StoreRefusedError, StoreUnavailableError, type DeadLetter, type EventBlock } from '#store';
import { metrics } from '#telemetry';
import { insertToken } from './insert-token.js';
import type { RowWriter } from './row-writer.js';

/** What goes wrong cannot be healed by waiting, and going on would drop something. */
export class CannotGoOnError extends Error {
  override readonly name = 'CannotGoOnError';
}

export interface EventInserterOptions {
  writer: RowWriter;
  retry: Retry;
  /** Aborted when everything stops at once. */
  stopped: AbortSignal;
  /** False when the block need not be stored any more: its partition is somebody else's, or its stream is deleted. */
  wanted(block: EventBlock): boolean;
  /** Microseconds since 1970. */
  now: () => number;
  /** The store will not take this row, the only one here: it does not count, and those after it move up. Called in the rows' order. */
  refused(block: EventBlock): void;
}

/**
 * Writes rows and dead letters until they are stored. Waits for a store that cannot be reached; finds the rows that it
 * refuses by halving, and makes them dead letters.
 */
export class EventInserter {
  constructor(private readonly options: EventInserterOptions) {}

  /** Resolves when every row is stored, is a dead letter, or is wanted no longer. @throws CannotGoOnError */
  async insert(all: readonly EventBlock[]): Promise<void> {
    const blocks = all.filter(({ count }) => count > 0);
    const rows = rowsOf(blocks);
    if (rows === 0) return;
    try {
      await this.append(blocks, rows);
    } catch (error) {
      if (!(error instanceof StoreRefusedError)) throw error;
      if (rows === 1) return await this.refuse(blocks[0]!, error);
      const half = rows >> 1;
      // One after the other: a refused row changes the versions of those after it.
      await this.insert(between(blocks, 0, half));
      await this.insert(between(blocks, half, rows));
    }
  }

  /** Resolves when they are stored; which ones these are is asked at each attempt. @throws CannotGoOnError */
  async insertLetters(lettersNow: () => readonly DeadLetter[]): Promise<void> {
    let letters: readonly DeadLetter[] = [];
    try {
      await this.retried(async () => {
        letters = lettersNow();
        if (letters.length > 0) await this.options.writer.appendDeadLetters(letters);
      });
    } catch (error) {
      if (!(error instanceof StoreRefusedError)) throw error;
      throw new CannotGoOnError('ClickHouse refuses the dead letters; nothing may be dropped', {
        cause: error,
      });
    }
    for (const { reason } of letters) metrics.deadLetters.inc({ reason });
  }

  private async append(blocks: readonly EventBlock[], rows: number): Promise<void> {
    const inserted = await this.retried(async () => {
      const wanted = blocks.filter((block) => this.options.wanted(block));
      if (wanted.length === 0) return 0;
      const observe = metrics.insertDuration.startTimer();
      await this.options.writer.appendBlocks(wanted, insertToken(wanted));
      observe();
      return wanted.length === blocks.length ? rows : rowsOf(wanted);
    });
    metrics.insertRows.inc(inserted);
  }

  private async refuse(block: EventBlock, reason: StoreRefusedError): Promise<void> {
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
        if (error instanceof StoreUnavailableError) metrics.insertErrors.inc({ reason: 'unavailable' });
        if (error instanceof StoreRefusedError) metrics.insertErrors.inc({ reason: 'refused' });
        throw error;
      }
    });
  }
}

function rowsOf(blocks: readonly EventBlock[]): number {
  return blocks.reduce((sum, { count }) => sum + count, 0);
}

/** The rows of all blocks together from `from` on, below `until`. */
function between(blocks: readonly EventBlock[], from: number, until: number): EventBlock[] {
  const parts: EventBlock[] = [];
  let first = 0;
  for (const block of blocks) {
    const begin = Math.max(from - first, 0);
    const end = Math.min(until - first, block.count);
    if (begin < end) parts.push(block.slice(begin, end));
    first += block.count;
  }
  return parts;
}
