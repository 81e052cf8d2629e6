import type { EpochMicros } from '#json';

/** Identifies one input partition of a generation of a projection, or of a stage of a pipeline job. */
export interface StatePartitionKey {
  /** Id of the generation of a projection, or of the pipeline job, that the state belongs to. */
  owner: string;
  /**
   * Stage of a pipeline; empty for the stage that reads the sources, and for the states of a projection. `historyStage`
   * for the histories of a projection.
   */
  stage: string;
  /** Name of the source stream; empty for a partition of a pipeline stage's internal topic. */
  stream: string;
  partition: number;
}

/** The stage of the rows with the histories of a projection's keys, beside the rows with their states. */
export const historyStage = 'history';

/** The state of one key or window, derived from one partition. The row with the greatest position wins. */
export interface KeyedStateRow extends StatePartitionKey {
  /** The key, or for a window the name of the state entry (window and key); unique within the partition. */
  key: string;
  /** The state of the key or window, as JSON text. */
  state: string;
  /** Number of events of this partition that are folded into the state; 0 where events are not counted. */
  events: number;
  /** The watermark at which the row closes: its window is due, or its key has expired. 0 if it never closes. */
  closes_at: EpochMicros;
  /** Offset of the last record that changed the state in this row. */
  position: number;
  /** The time at which that record was ingested, or at which the row was saved. */
  updated_at: EpochMicros;
}

/** The checkpoint of one input partition. The checkpoint with the greatest `next` wins. */
export interface PartitionCheckpoint extends StatePartitionKey {
  /** All records of the partition below this offset are processed, and their results are saved or emitted. */
  next: number;
  /** Leader epoch of the record before `next`, by which the log tells whether it still has the record; absent or -1 if it is not known. */
  leader_epoch?: number;
  /** Totals since the owner started: events processed, emitted, dropped, late, and failed. */
  processed: number;
  emitted: number;
  dropped: number;
  late: number;
  failed: number;
  /** Events in, out, dropped, late and failed of each operator of a pipeline, by its key. Absent for projections. */
  steps?: Readonly<Record<string, readonly number[]>>;
  /**
   * Event-time watermark of the partition; null before the first event. For a projection with histories, the time up to
   * which all ingested events are processed, and null for other projections.
   */
  watermark: EpochMicros | null;
  /** Number of state rows of the partition of a keyed stage; absent for others. */
  rows?: number;
  /**
   * Additional text that the owner needs to resume after the checkpoint: the id of the source stream for a pipeline's
   * partition of a source stream, JSON or empty otherwise.
   */
  state: string;
  updated_at: EpochMicros;
}

/** A query for one page of the state rows that a watermark has reached. */
export interface DueStateRowsQuery {
  /** Only rows that close at or before this watermark. */
  until: EpochMicros;
  /** Only rows after this one, the last row of the previous page. */
  after?: { closes_at: EpochMicros; key: string } | undefined;
  limit: number;
}

/** Selects the state rows of one partition of a pipeline stage that have closed, for their deletion. */
export interface ClosedStateRowsFilter {
  stage: string;
  partition: number;
  /** Rows that close at or before this watermark are closed. The caller has already saved this watermark. */
  until: EpochMicros;
}

/**
 * Saves and loads the keyed states and checkpoints of projections or pipelines, for a processor. Writes are idempotent,
 * and a row never replaces one with a greater position.
 */
export interface KeyedStateStore {
  /**
   * Writes the state rows and checkpoints of each owner in one atomic insert: no row is ever ahead of its owner's
   * checkpoint.
   * @throws StoreUnavailableError @throws RowsRejectedError
   */
  save(rows: readonly KeyedStateRow[], progress: readonly PartitionCheckpoint[]): Promise<void>;
  /** Returns the existing rows of these keys from one partition. @throws RangeError for more than `maxStateKeys` keys */
  load(partition: StatePartitionKey, keys: readonly string[]): Promise<KeyedStateRow[]>;
  /** Returns due rows of a partition, ordered by closing time, then by key (bytewise). */
  due(partition: StatePartitionKey, query: DueStateRowsQuery): Promise<KeyedStateRow[]>;
  progressOf(partition: StatePartitionKey): Promise<PartitionCheckpoint | undefined>;
  /** Deletes closed state rows. The delete may finish after the promise resolves: no reader needs these rows. */
  removeClosed(owner: string, closed: readonly ClosedStateRowsFilter[]): Promise<void>;
  /** Deletes all state rows and checkpoints of these stages of a pipeline job. Idempotent. */
  removeStages(owner: string, stages: readonly string[]): Promise<void>;
  /** Deletes all state rows and checkpoints of an owner. Idempotent. */
  remove(owner: string): Promise<void>;
  /** Returns the ids of all owners that have state rows or checkpoints. */
  owners(): Promise<string[]>;
}

/** Maximum number of keys in one call of `load` or `find`. */
export const maxStateKeys = 10_000;

/** The current rows of one key, one for each partition, ordered by stream and partition. A reader merges them. */
export interface UnmergedKeyedState {
  key: string;
  parts: readonly KeyedStateRow[];
}

/** A query for one page of the keys of an owner, ordered by key (bytewise). */
export interface KeyedStatePageQuery {
  owner: string;
  limit: number;
  /** Only keys after this one (bytewise), the last key of the previous page. */
  after?: string;
  /** Only keys that start with this prefix. */
  prefix?: string;
}

/** A query for one page of the keys that were changed by events at or after the given offsets. */
export interface ChangedKeysQuery extends Pick<KeyedStatePageQuery, 'owner' | 'limit' | 'after'> {
  /** For each source partition, the offset from which on events count as changes. */
  since: readonly { stream: string; partition: number; offset: number }[];
}

/**
 * Reads the keyed states and progress of projections or pipelines, for the gateway, without histories.
 * @throws QueryTooExpensiveError @throws StoreUnavailableError
 */
export interface KeyedStateReader {
  key(owner: string, key: string, signal?: AbortSignal): Promise<UnmergedKeyedState | undefined>;
  /** Returns the existing keys, in no particular order. @throws RangeError for more than `maxStateKeys` keys */
  find(owner: string, keys: readonly string[], signal?: AbortSignal): Promise<UnmergedKeyedState[]>;
  /** Returns a page of keys, ordered by key (bytewise). */
  keys(query: KeyedStatePageQuery, signal?: AbortSignal): Promise<UnmergedKeyedState[]>;
  /**
   * Returns the keys into which an event at or after the given offsets is folded, with their current rows
   * from all partitions, ordered by key (bytewise). Rows are saved atomically with the progress that counts
   * them. So a caller that first reads a progress finds every key that was changed below it.
   */
  changedKeys(query: ChangedKeysQuery, signal?: AbortSignal): Promise<UnmergedKeyedState[]>;
  countKeys(query: Pick<KeyedStatePageQuery, 'owner' | 'prefix'>, signal?: AbortSignal): Promise<number>;
  /** Returns the checkpoints of these owners, ordered by owner, stage, stream and partition. */
  progress(owners: readonly string[], signal?: AbortSignal): Promise<PartitionCheckpoint[]>;
}

/** Reads the histories of a projection. @throws StoreUnavailableError */
export interface KeyedHistoryReader {
  /** Returns the checkpoints of an owner; never older ones than a caller has seen before. */
  savedProgress(owner: string): Promise<PartitionCheckpoint[]>;
  /**
   * Returns the existing histories of these keys, never older ones than `savedProgress` has returned before.
   * @throws RangeError for more than `maxStateKeys` keys
   */
  histories(owner: string, keys: readonly string[]): Promise<UnmergedKeyedState[]>;
}
