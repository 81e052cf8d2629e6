import type { Micros } from '#event';

/** A partition that a generation of a projection reads, or a stage of a pipeline. */
export interface StatePartition {
  /** Id of the generation, or of the pipeline's job. */
  owner: string;
  /** Of a pipeline; empty for the stage that reads the sources, and for projections. */
  stage: string;
  /** The source; empty for a partition of a stage's own topic. */
  stream: string;
  partition: number;
}

/** The state of one key, or of one window, from one partition. Of several the greatest position wins. */
export interface StateRow extends StatePartition {
  /** Unique in its partition. */
  key: string;
  /** JSON. */
  state: string;
  /** Events of this partition that are folded into it, where they are counted. */
  events: number;
  /** From this watermark on there is something to do with it, or it counts no more; 0 where it never closes. */
  closes_at: Micros;
  /** Offset of the last record that changed it. */
  position: number;
  /** When that one was ingested, or when the row was saved. */
  updated_at: Micros;
}

/** How far an owner is in one partition. Of several the greatest `next` wins. */
export interface StateProgress extends StatePartition {
  /** Everything below this offset has been processed, and what came of it has been emitted. */
  next: number;
  /** Events that were read and processed; that were emitted, dropped, too late, or could not be processed. In all. */
  processed: number;
  emitted: number;
  dropped: number;
  late: number;
  failed: number;
  /** Null before the first event, and where there is none. */
  watermark: Micros | null;
  /** JSON: whatever else has to be known to go on. */
  state: string;
  updated_at: Micros;
}

/** Rows by when they close, a page at a time. */
export interface DueQuery {
  /** Those that close up to this watermark, */
  until: Micros;
  /** and after this one: the last one of the page before. */
  after?: { closes_at: Micros; key: string } | undefined;
  limit: number;
}

/** What of a stage's partition has closed. */
export interface ClosedRows {
  stage: string;
  partition: number;
  /** A watermark that is saved. */
  until: Micros;
}

/** What a processor needs. Writing the same again changes nothing, and what is older never wins. */
export interface KeyedStateWriter {
  /**
   * Of one owner all of it is there at once, or nothing: no row is ahead of its progress.
   * @throws StoreUnavailableError @throws StoreRefusedError
   */
  save(rows: readonly StateRow[], progress: readonly StateProgress[]): Promise<void>;
  /** Rows of these keys, of one partition; keys without one are left out. At most `maxStateKeys`. @throws RangeError */
  load(place: StatePartition, keys: readonly string[]): Promise<StateRow[]>;
  /** By closing time, then key (bytewise). */
  due(place: StatePartition, query: DueQuery): Promise<StateRow[]>;
  progressOf(place: StatePartition): Promise<StateProgress | undefined>;
  /** Removes rows that have closed: nobody asks for them any more. */
  removeClosed(owner: string, closed: readonly ClosedRows[]): Promise<void>;
  /** Removes all that an owner has of stages. Safe to repeat. */
  removeStages(owner: string, stages: readonly string[]): Promise<void>;
  /** Removes all that an owner has. Safe to repeat. */
  remove(owner: string): Promise<void>;
  /** Owners of which there is anything. */
  owners(): Promise<string[]>;
}

/** Keys that one question can name. */
export const maxStateKeys = 10_000;

/** One key of an owner: its rows from all partitions, by stream and partition, to be merged by the fold. */
export interface KeyedState {
  key: string;
  parts: readonly StateRow[];
}

export interface StatePageQuery {
  owner: string;
  limit: number;
  /** The key after which the page begins. */
  after?: string;
  /** Only keys that begin with it. */
  prefix?: string;
}

/** Keys that events from some offsets on have changed. */
export interface ChangedKeysQuery extends Pick<StatePageQuery, 'owner' | 'limit' | 'after'> {
  /** By partition: the first of these offsets. */
  since: readonly { stream: string; partition: number; offset: number }[];
}

/**
 * What the gateway needs.
 * @throws QueryTooExpensiveError @throws StoreUnavailableError
 */
export interface KeyedStateReader {
  key(owner: string, key: string, signal?: AbortSignal): Promise<KeyedState | undefined>;
  /** Those of these keys that there are, in no order. At most `maxStateKeys`. @throws RangeError for more */
  find(owner: string, keys: readonly string[], signal?: AbortSignal): Promise<KeyedState[]>;
  /** By key (bytewise). */
  keys(query: StatePageQuery, signal?: AbortSignal): Promise<KeyedState[]>;
  /**
   * Those in which an event from these offsets on is folded, with all their parts as they are now, by key (bytewise).
   * Rows are saved with the progress that counts them: whoever has read a progress finds with it every key that was
   * changed below it.
   */
  changedKeys(query: ChangedKeysQuery, signal?: AbortSignal): Promise<KeyedState[]>;
  /** How many keys there are. */
  countKeys(query: Pick<StatePageQuery, 'owner' | 'prefix'>, signal?: AbortSignal): Promise<number>;
  /** By owner, stage, stream and partition. */
  progress(owners: readonly string[], signal?: AbortSignal): Promise<StateProgress[]>;
}
