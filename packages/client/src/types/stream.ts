/** How long Kafka keeps the events of a stream: without a limit, or limited by age, by bytes, or by both. */
export type Retention = 'unlimited' | { time?: string; bytes?: number };

/** A stream to create. */
export interface StreamInput {
  stream: string;
  partitions?: number | null;
  retention?: Retention | null;
  /** The number of versions of an entity between two snapshots; 0 disables automatic snapshots. */
  snapshot_every?: number | null;
}

/** The members of a stream to change. A retention replaces the previous one. */
export interface StreamChange {
  retention?: Retention;
  snapshot_every?: number | null;
}

/** The definition of a stream, as the request that created it returns it. */
export interface CreatedStream {
  stream: string;
  partitions: number;
  retention: Retention;
  snapshot_every: number;
  created_at: string;
}

/** A stream's definition, and a summary of its events. */
export interface Stream extends CreatedStream {
  events: number;
  /** Bytes of the records in Kafka, without replicas; null if Kafka does not tell them in time. */
  bytes: number | null;
  /** Records in Kafka that queries do not contain yet; null if Kafka does not answer in time. */
  lag: number | null;
  first_timestamp: string | null;
  last_timestamp: string | null;
}

/** One stream, including a member that would be too expensive for a list. */
export interface StreamDetail extends Stream {
  /** Seconds for which a repeated `event_id` is recognised; null if Kafka does not answer in time. */
  id_window_seconds: number | null;
}
