import type { Readable } from 'node:stream';
import type { EventFilter } from './store.js';

/**
 * File formats of an export of events. Parquet and Arrow files end with a footer that a reader needs, so a truncated
 * file is detected.
 */
export const eventFileFormats = ['parquet', 'arrow'] as const;

/** File format of an export of events. */
export type EventFileFormat = (typeof eventFileFormats)[number];

/** A column of an SQL view or an exported file: a top-level member of an event's `data`, with its type. */
export interface DataMemberColumn {
  member: string;
  type: 'text' | 'integer' | 'number' | 'boolean' | 'time' | 'json';
}

/** A query for matching events as one file. `streams` contains stream ids, not names. */
export interface EventFileExportQuery extends EventFilter {
  format: EventFileFormat;
  /** Top-level members of the events' `data` that become additional columns of the file. */
  members: readonly DataMemberColumn[];
}

/**
 * Exports matching events as one file. Each event appears once, ordered by stream id, then timestamp, partition and
 * offset.
 */
export interface EventFileExporter {
  /**
   * Resolves with the file as a stream when its first bytes are available. An abort of the signal also
   * cancels the query in ClickHouse. If ClickHouse fails later, the stream fails.
   * @throws QueryTooExpensiveError @throws StoreUnavailableError
   */
  open(query: EventFileExportQuery, signal: AbortSignal): Promise<Readable>;
  close(): Promise<void>;
}
