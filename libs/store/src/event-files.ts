import type { Readable } from 'node:stream';
import type { MemberColumn } from './sql-queries.js';
import type { EventFilter } from './store.js';

/** Formats that hold whole files: a reader needs what stands at their end. */
export const eventFileFormats = ['parquet', 'arrow'] as const;

export type EventFileFormat = (typeof eventFileFormats)[number];

/** Events as a file. Streams are named by their ids. */
export interface EventFileQuery extends EventFilter {
  format: EventFileFormat;
  /** Top-level members of `data` that are columns too. */
  members: readonly MemberColumn[];
}

/** Writes events as files: each event once, in the order of streams, then of timestamps. */
export interface EventFiles {
  /**
   * Resolves when the file begins. An abort ends the query in ClickHouse, too.
   * @throws QueryTooExpensiveError @throws StoreUnavailableError; the stream fails where ClickHouse fails later
   */
  open(query: EventFileQuery, signal: AbortSignal): Promise<Readable>;
  close(): Promise<void>;
}
