import type { StreamId } from '#event';

export interface StreamDefinition {
  stream: string;
  /** Distinguishes this stream from every other one with its name. The stream's topic and rows are named by this id. */
  id: StreamId;
  partitions: number;
  /** `unlimited`, or limits by time and size. */
  retention: 'unlimited' | { time?: string; bytes?: number };
  /** Versions of an entity between two automatic snapshots; 0 for none. Default: `limits.snapshotEvery`. */
  snapshot_every?: number;
  /** Time of creation, as RFC 3339. */
  created_at: string;
  /**
   * `creating`: the topic may not exist yet, and the stream is not visible. `deleting`: nobody can write to the stream
   * or read it, and its topic and its rows are being removed.
   */
  state: 'creating' | 'live' | 'deleting';
}
