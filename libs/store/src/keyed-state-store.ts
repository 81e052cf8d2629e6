import type { EpochMicros } from '#event';

/** A source partition that a generation of a projection, or a stage of a pipeline, reads. */
export interface StatePartitionKey {
  /** Id of the projection's generation, or of the pipeline's job. */
  owner: string;
  /** Stage of a pipeline; empty for the stage that reads the sources, and for projections. */
  stage: string;
  /** Id of the source stream; empty for a partition of a pipeline stage's internal topic. */
  stream: string;
  partition: number;
}

/**
 * The state of one key or window, derived from one partition. Of several rows with the same key, the row with
 * the greatest position wins.
 */
export interface KeyedStateRow extends StatePartitionKey {
  /** The key, or for a window the name of the state entry (window and key); unique within the partition. */
  key: string;
  /** The state of the key, as JSON text. */
  state: string;
  /** Number of events of this partition that are folded into the state; 0 where events are not counted. */
  events: number;
  /**
   * The watermark at which the row closes: it is then due for processing, or expired. 0 if it never closes.
   */
  closes_at: EpochMicros;
  /** Offset of the last record that changed the row. */
  position: number;
  /** The time at which that record was ingested, or at which the row was saved. */
  updated_at: EpochMicros;
}

/** The checkpoint of an owner in one partition. Of several rows, the row with the greatest `next` wins. */
export interface PartitionProgress extends StatePartitionKey {
  /** All records below this offset are processed, and their results are emitted. */
  next: number;
  /** Totals since the owner started: events processed, emitted, dropped, late, and failed. */
  processed: number;
  emitted: number;
  dropped: number;
  late: number;
  failed: number;
  /**
   * Totals of each operator of a pipeline: the numbers of events in, out, dropped, late and failed, by the operator's
   * key. Absent for projections.
   */
  steps?: Readonly<Record<string, readonly number[]>>;
  /** Event-time watermark; null before the first event, and for an owner without a watermark. */
  watermark: EpochMicros | null;
  /** JSON text: additional state that the owner needs to resume. */
  state: string;
  updated_at: EpochMicros;
}

/** A page of rows, ordered by closing time. */
export interface DueRowsQuery {
  /** Only rows that close at or before this watermark. */
  until: EpochMicros;
  /** Only rows after this one, which is the last row of the previous page. */
  after?: { closes_at: EpochMicros; key: string } | undefined;
  limit: number;
}

/** The closed rows of one partition of a stage. */
export interface ClosedRowsFilter {
  stage: string;
  partition: number;
  /** Rows that close at or before this watermark are closed. The caller has already saved this watermark. */
  until: EpochMicros;
}

/**
 * The part of the state store that a processor needs. Writes are idempotent, and an older row never replaces
 * a newer one.
 */
export interface KeyedStateWriter {
  /**
   * Writes the rows and progress of each owner atomically: no row is ever ahead of its owner's progress.
   * @throws StoreUnavailableError @throws RowsRejectedError
   */
  save(rows: readonly KeyedStateRow[], progress: readonly PartitionProgress[]): Promise<void>;
  /**
   * Returns the rows of these keys from one partition; keys without a row are omitted. @throws RangeError for
   * more than `maxStateKeys` keys
   */
  load(place: StatePartitionKey, keys: readonly string[]): Promise<KeyedStateRow[]>;
  /** Returns rows ordered by closing time, then by key (bytewise). */
  due(place: StatePartitionKey, query: DueRowsQuery): Promise<KeyedStateRow[]>;
  progressOf(place: StatePartitionKey): Promise<PartitionProgress | undefined>;
  /**
   * Deletes closed rows. The delete may finish after the promise resolves: no reader needs these rows any
   * more.
   */
  removeClosed(owner: string, closed: readonly ClosedRowsFilter[]): Promise<void>;
  /** Deletes all rows and progress of an owner for these stages. Idempotent. */
  removeStages(owner: string, stages: readonly string[]): Promise<void>;
  /** Deletes all rows and progress of an owner. Idempotent. */
  remove(owner: string): Promise<void>;
  /** Returns the ids of all owners that have rows or progress. */
  owners(): Promise<string[]>;
}

/** Maximum number of keys in one query. */
export const maxStateKeys = 10_000;

/**
 * The state of one key of an owner: one row for each partition, ordered by stream and partition. The fold
 * merges them.
 */
export interface KeyedState {
  key: string;
  parts: readonly KeyedStateRow[];
}

/** A query for one page of an owner's keys. */
export interface StatePageQuery {
  owner: string;
  limit: number;
  /** Only keys after this key (bytewise), which is the last key of the previous page. */
  after?: string;
  /** Only keys that start with this prefix. */
  prefix?: string;
}

/** Keys changed by events at or after the given offsets. */
export interface ChangedKeysQuery extends Pick<StatePageQuery, 'owner' | 'limit' | 'after'> {
  /** For each source partition, the first offset to include. */
  since: readonly { stream: string; partition: number; offset: number }[];
}

/**
 * The part of the state store that the gateway needs.
 * @throws QueryTooExpensiveError @throws StoreUnavailableError
 */
export interface KeyedStateReader {
  key(owner: string, key: string, signal?: AbortSignal): Promise<KeyedState | undefined>;
  /**
   * Returns the states of those keys that exist, in no particular order. @throws RangeError for more than
   * `maxStateKeys` keys
   */
  find(owner: string, keys: readonly string[], signal?: AbortSignal): Promise<KeyedState[]>;
  /** Returns a page of keys, ordered by key (bytewise). */
  keys(query: StatePageQuery, signal?: AbortSignal): Promise<KeyedState[]>;
  /**
   * Returns the keys into which an event at or after the given offsets is folded, with their current rows
   * from all partitions, ordered by key (bytewise). Rows are saved atomically with the progress that counts
   * them. So a caller that first reads a progress finds every key that was changed below it.
   */
  changedKeys(query: ChangedKeysQuery, signal?: AbortSignal): Promise<KeyedState[]>;
  /** Returns the number of keys of an owner. */
  countKeys(query: Pick<StatePageQuery, 'owner' | 'prefix'>, signal?: AbortSignal): Promise<number>;
  /** Returns the progress of owners, ordered by owner, stage, stream and partition. */
  progress(owners: readonly string[], signal?: AbortSignal): Promise<PartitionProgress[]>;
}
