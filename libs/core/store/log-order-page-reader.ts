import { QueryTooExpensiveError } from './errors.js';
import { maxOffsetRanges, type LogOrderPage, type LogOrderQuery, type OffsetRange } from './log-order.js';
import { AdaptivePageSize } from './adaptive-page-size.js';
import type { EventReader } from './store.js';

/** The store that a `LogOrderPageReader` reads from, and the limits of its pages. */
interface LogOrderPageReaderOptions {
  reader: Pick<EventReader, 'inLogOrder'>;
  /** Maximum number of events in a page of a `LogOrderPageReader`. */
  events: number;
  /** Intended limit in bytes on the `data` and `metadata` of a page; a single event may exceed it. */
  bytes: number;
}

/**
 * One page of a `LogOrderPageReader`: its events, and each offset range that it read, with the offset up to which the range
 * is read.
 */
export type LogOrderPageWithRanges = Pick<LogOrderPage, 'events'> & {
  reached: (OffsetRange & { next: number })[];
};

/** Maximum number of offsets of a partition in one query: a filter with few matches reads far at once. */
const maxOffsetsPerQuery = 2 ** 30;
/** Number of bytes by which an answer may exceed the intended size, so that the largest event always fits. */
const maxEventBytes = 4 * 1024 * 1024;

/**
 * Reads offset ranges of the log in pages of bounded size and cost, however large the events are and however few match.
 * The reader derives the number of events and the width of the offset ranges from earlier pages.
 */
export class LogOrderPageReader {
  private readonly size: AdaptivePageSize;
  private span: number;

  constructor(private readonly options: LogOrderPageReaderOptions) {
    const { events, bytes } = options;
    this.size = new AdaptivePageSize({ first: events, most: events, bytes });
    this.span = options.events;
  }

  /**
   * Reads one page of matching events from the given offset ranges. If there are more ranges than one query allows, it
   * reads only from the first ones.
   * @throws the errors of `inLogOrder`
   */
  async read(
    filter: Omit<LogOrderQuery, 'ranges' | 'limit' | 'maxBytes'>,
    desired: readonly OffsetRange[],
    signal?: AbortSignal,
  ): Promise<LogOrderPageWithRanges> {
    const { size } = this;
    const maxBytes = this.options.bytes + maxEventBytes;
    for (;;) {
      const ranges = desired.slice(0, maxOffsetRanges).map((range) => this.shortened(range));
      try {
        const query = { ...filter, ranges, limit: size.rows, maxBytes };
        const page = await this.options.reader.inLogOrder(query, signal);
        const reached = ranges.map((range, i) => ({ ...range, next: page.next[i] ?? range.from }));
        this.learn(page, reached);
        return { events: page.events, reached };
      } catch (error) {
        if (!(error instanceof QueryTooExpensiveError) || (size.rows === 1 && this.span === 1)) throw error;
        size.tooLarge(size.rows);
        this.span = Math.max(1, Math.min(this.span, 4 * size.rows));
      }
    }
  }

  private shortened(range: OffsetRange): OffsetRange {
    return { ...range, until: Math.min(range.until, range.from + this.span) };
  }

  private learn({ events }: LogOrderPage, reached: LogOrderPageWithRanges['reached']): void {
    const { size } = this;
    const full = reached.some(({ next, until }) => next < until);
    if (full) this.span = Math.max(size.rows, this.span >> 1);
    else if (events.length < size.rows / 4) this.span = Math.min(maxOffsetsPerQuery, this.span * 4);
    if (events.length === 0) return;
    const bytes = events.reduce((sum, { data, metadata }) => sum + data.length + metadata.length, 0);
    size.learn(events.length, bytes);
  }
}
