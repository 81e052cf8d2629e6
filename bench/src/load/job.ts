/** As fast as the answers come: each connection sends its next request when the last one is answered. */
export interface ClosedLoopJob {
  kind: 'closed';
  /** Base URLs of the ingest processes; connections are spread over them. */
  urls: string[];
  stream: string;
  connections: number;
  /** Events in one request; 1 sends single events. */
  batchSize: number;
  /** Events that are counted, after so many that are not; with `seconds` as many as go in that time. */
  events?: number;
  seconds?: number;
  warmUpEvents: number;
  seed: number;
  /** Lines of plain values to `raw`, with pointers to type and entity, in the place of a batch. */
  raw?: boolean;
  /** So many entities, one after the other in scattered order, and then again; default: 5 000 at random. */
  entities?: number;
}

/** At a fixed rate, whatever the answers take, and with probes of how soon an event can be read. */
export interface PacedJob {
  kind: 'paced';
  writeUrl: string;
  readUrl: string;
  stream: string;
  eventsPerSecond: number;
  /** Events in one request; 1 sends single events. Default: 50. */
  batchSize?: number;
  /** Connections that keep the rate; default: 4. */
  connections?: number;
  /** Without probes, so that they cost nothing where processor time is measured. */
  probes?: boolean;
  seconds: number;
  seed: number;
}

export type Job = ClosedLoopJob | PacedJob;

export interface ClosedLoopResult {
  events: number;
  seconds: number;
  eventsPerSecond: number;
  /** Milliseconds of a request. */
  p50: number;
  p99: number;
  max: number;
  /** Requests by status. */
  statuses: Record<string, number>;
}

export interface PacedResult {
  sent: number;
  eventsPerSecond: number;
  /** Milliseconds from the acknowledgement of each probe to the answer that shows it. */
  freshness: number[];
}
