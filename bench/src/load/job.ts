/** A load in which each connection sends its next request when the previous one is answered (closed loop). */
export interface ClosedLoopJob {
  kind: 'closed';
  /** Base URLs of the ingest processes; connections are distributed over them. */
  urls: string[];
  stream: string;
  connections: number;
  /** The number of events in a request; 1 sends single events. */
  batchSize: number;
  /** The number of measured events, after a warm-up; with `seconds`, as many as are sent in that time. */
  events?: number;
  seconds?: number;
  warmUpEvents: number;
  seed: number;
  /** Sends lines of plain values to `raw`, with pointers to type and entity, instead of batches. */
  raw?: boolean;
  /** Sends the events in the form of the peer that the measure `PEER` starts. */
  peer?: boolean;
  /**
   * The number of entities, which are used one after the other in scattered order, and then again. Default: 5 000 at
   * random.
   */
  entities?: number;
}

/**
 * A load with a fixed rate that does not depend on the answers (open loop), with probes that measure how soon an event
 * can be queried.
 */
export interface PacedJob {
  kind: 'paced';
  writeUrl: string;
  readUrl: string;
  stream: string;
  eventsPerSecond: number;
  /** The number of events in a request; 1 sends single events. Default: 50. */
  batchSize?: number;
  /** The number of connections that share the rate; default: 4. */
  connections?: number;
  /** Disables probes, so that they do not affect measured processor time. */
  probes?: boolean;
  seconds: number;
  seed: number;
}

/**
 * Conditional writes. Each connection has entities of its own and expects the versions that its own events have made, so
 * none is refused.
 */
export interface ConditionalWriteJob {
  kind: 'conditional';
  url: string;
  /** A stream that no earlier job of this seed has written to. */
  stream: string;
  entities: number;
  connections: number;
  /** The number of events in a request; 1 sends single events. */
  batchSize: number;
  /** Whether each request is an atomic batch, whose events are of one entity. */
  atomic?: boolean;
  /** The rate in events, independent of the answers; without it, each connection sends when it has its answer. */
  eventsPerSecond?: number;
  warmUpSeconds: number;
  seconds: number;
  seed: number;
}

/** Input of the load generator process. */
export type LoadGeneratorJob = ClosedLoopJob | PacedJob | ConditionalWriteJob;

/** Throughput and latency of a `ClosedLoopJob`. */
export interface ClosedLoopResult {
  events: number;
  seconds: number;
  eventsPerSecond: number;
  /** Median latency of a request in milliseconds. */
  p50: number;
  p99: number;
  max: number;
  /** The number of requests by status. */
  statuses: Record<string, number>;
}

/** Reached rate and freshness of a `PacedJob`. */
export interface PacedResult {
  sent: number;
  eventsPerSecond: number;
  /** Milliseconds from the acknowledgement of each probe to the answer that contains it. */
  freshness: number[];
}

/** Throughput and latency of a `ConditionalWriteJob`. */
export interface ConditionalWriteResult {
  events: number;
  eventsPerSecond: number;
  /** Median latency of a request in milliseconds; with a rate, from the time at which the request was due. */
  p50: number;
  p99: number;
  max: number;
}
