import type { StreamId } from '#event';

/** The definition of a stream, as stored in the definitions topic. */
export interface StreamDefinition {
  stream: string;
  /** Distinguishes this stream from every other one with its name. The stream's topic and rows are named by this id. */
  id: StreamId;
  partitions: number;
  /** `unlimited`, or limits of the stream's topic: `time` as a duration such as `7d`, `bytes` over all partitions. */
  retention: 'unlimited' | { time?: string; bytes?: number };
  /**
   * Number of versions of an entity between two automatic snapshots; 0 disables them. Default: `limits.snapshotEvery`.
   */
  snapshot_every?: number;
  /** Time of creation, as RFC 3339. */
  created_at: string;
  /**
   * `creating`: the topic may not exist yet, and the stream is not visible. `deleting`: nobody can write to the stream
   * or read it, and its topic and its rows are being removed.
   */
  state: 'creating' | 'live' | 'deleting';
}
