export interface StreamDefinition {
  stream: string;
  partitions: number;
  /** `unlimited`, or bounds by time and size. */
  retention: 'unlimited' | { time?: string; bytes?: number };
  /** Versions of an entity between two automatic snapshots, 0 for none; `limits.snapshotEvery` when it is missing. */
  snapshot_every?: number;
  /** RFC 3339. */
  created_at: string;
  /** `deleting`: nothing may be written, nobody may see it; its topic and its rows are being removed. */
  state: 'live' | 'deleting';
  /** Which process is at the deletion, until when it has it to itself; nobody when it is missing. */
  deletion?: { worker: string; until: string };
}
