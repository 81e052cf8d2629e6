import type { EpochMicros } from '#json';

/** How far the scrub has come in one partition for a request, and what it has found there. */
export interface ScrubPassProgress {
  /** Id of the request, a UUID. */
  request: string;
  /** The id of the stream. */
  stream: string;
  partition: number;
  /** Events that were compared. */
  compared: number;
  /** Events that the store had lost, and that were inserted again. */
  repaired: number;
  /** Stored events that the log does not have. */
  unlogged: number;
  /** Events that the store may lack, and that were not inserted. */
  undecided: number;
  is_complete: boolean;
  updated_at: EpochMicros;
}

/** Keeps the progress of requested passes of the scrub for a week. All methods throw StoreUnavailableError. */
export interface ScrubPassStore {
  /** Saves the progress in partitions. The newest progress of a request, stream and partition replaces all others. */
  save(progress: readonly ScrubPassProgress[]): Promise<void>;
  /** Returns the newest progress in each partition, ordered by stream and partition. */
  of(request: string): Promise<ScrubPassProgress[]>;
  /** Returns the newest progress of each request in one partition, ordered by request. */
  inPartition(stream: string, partition: number): Promise<ScrubPassProgress[]>;
}
