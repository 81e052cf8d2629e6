/**
 * What everything obeys: streams now; schemas, keys, projections and pipelines later. The truth is one compacted
 * Kafka topic; every process folds it into a view in memory.
 */
export interface StreamDefinition {
  stream: string;
  partitions: number;
  /** `unlimited`, or bounds by time and size. */
  retention: 'unlimited' | { time?: string; bytes?: number };
  /** RFC 3339. */
  created_at: string;
}

export interface Definitions {
  /** Resolves when the view is complete up to what was in the topic at the call. */
  start(): Promise<void>;
  stream(name: string): StreamDefinition | undefined;
  streams(): StreamDefinition[];
  /**
   * Makes the topic and announces the stream; resolves when this process's view has it. Of two creators the first in
   * the log's order wins, the second gets the winner's definition (`created: false`).
   * @throws ProblemError stream_name_collision, stream_limit_reached, log_unavailable
   */
  createStream(stream: {
    stream: string;
    partitions?: number;
    retention?: StreamDefinition['retention'];
  }): Promise<{ definition: StreamDefinition; created: boolean }>;
  /** Called after each change of the view; returns what removes the listener. */
  onChange(listener: () => void): () => void;
  /** Records of the topic that could not be read, so far. */
  readonly unreadable: number;
  /**
   * Why the view is no longer kept up to date; undefined while it is. What it had is still served. `start` begins anew
   * with a fresh reader.
   */
  readonly failure: Error | undefined;
  close(): Promise<void>;
}
