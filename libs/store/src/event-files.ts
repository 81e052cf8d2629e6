import type { Readable } from 'node:stream';
import type { MemberColumn } from './analyst-sql.js';
import type { EventFilter } from './store.js';

/** File formats that are complete only with their footer: a reader needs the end of the file. */
export const eventFileFormats = ['parquet', 'arrow'] as const;

export type EventFileFormat = (typeof eventFileFormats)[number];

/** A query for events as a file. `streams` contains stream ids. */
export interface EventFileExportQuery extends EventFilter {
  format: EventFileFormat;
  /** Top-level members of `data` that become additional columns. */
  members: readonly MemberColumn[];
}

/** Exports events as files. Each event appears once, ordered by stream, then by timestamp. */
export interface EventFileExporter {
  /**
   * Resolves with the file as a stream when its first bytes are available. An abort of the signal also
   * cancels the query in ClickHouse. If ClickHouse fails later, the stream fails.
   * @throws QueryTooExpensiveError @throws StoreUnavailableError
   */
  open(query: EventFileExportQuery, signal: AbortSignal): Promise<Readable>;
  close(): Promise<void>;
}
