import type { StreamId } from '#event';

export interface StreamDefinition {
  stream: string;
  /** Tells this stream from every other of its name; its topic and its rows are named by it. */
  id: StreamId;
  partitions: number;
  /** `unlimited`, or bounds by time and size. */
  retention: 'unlimited' | { time?: string; bytes?: number };
  /** Versions of an entity between two automatic snapshots, 0 for none; `limits.snapshotEvery` when it is missing. */
  snapshot_every?: number;
  /** RFC 3339. */
  created_at: string;
  /**
   * `creating`: its topic may not be there yet, and nobody sees it. `deleting`: nothing may be written, nobody may see it;
   * its topic and its rows are being removed.
   */
  state: 'creating' | 'live' | 'deleting';
}
