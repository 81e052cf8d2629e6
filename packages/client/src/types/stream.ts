/** How long events are kept. */
export type Retention = 'unlimited' | { time?: string; bytes?: number };

export interface StreamInput {
  stream: string;
  partitions?: number | null;
  retention?: Retention | null;
  /** The number of versions of an entity between two snapshots; 0 disables automatic snapshots. */
  snapshot_every?: number | null;
}

/** Changes of a stream. A retention replaces the previous one. */
export interface StreamChange {
  retention?: Retention;
  snapshot_every?: number | null;
}

export interface CreatedStream {
  stream: string;
  partitions: number;
  retention: Retention;
  snapshot_every: number;
  created_at: string;
}

export interface Stream extends CreatedStream {
  events: number;
  first_timestamp: string | null;
  last_timestamp: string | null;
}

/** One stream, including members that need a request to Kafka and are therefore not in a list. */
export interface StreamDetail extends Stream {
  /** Seconds for which a repeated `event_id` is recognised; null if Kafka does not answer in time. */
  id_window_seconds: number | null;
}
