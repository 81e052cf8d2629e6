/** How long events are kept. */
export type Retention = 'unlimited' | { time?: string; bytes?: number };

export interface StreamInput {
  stream: string;
  partitions?: number | null;
  retention?: Retention | null;
  /** Versions of an entity between two snapshots; 0: none by itself. */
  snapshot_every?: number | null;
}

/** What changes. The retention replaces the one that there was. */
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

/** One stream. A list leaves out what Kafka would have to be asked for. */
export interface StreamDetail extends Stream {
  /** Seconds for which an `event_id` that is sent again is recognised; null if Kafka does not answer in time. */
  id_window_seconds: number | null;
}
