/** The answer of `/health` of a gateway or ingest process. */
export interface Health {
  /** `ok`; `degraded` if the process works, but an operator must act; or another word for what is wrong. */
  status: string;
  version: string;
  uptime_seconds: number;
  checks: object;
}

/** The lag of the materializer or of the processors. */
export interface LagSample {
  /** Records that have not been read. */
  lag_events: number;
  /** Age of the oldest of them. */
  lag_seconds: number;
}

/** The largest figures of one interval; null for a figure that was not measured in it. */
export interface HealthHistorySample {
  /** Start of the interval. */
  time: string;
  materializer: LagSample | null;
  processor: LagSample | null;
  /** Number of failed projections and pipelines. */
  failed_jobs: number | null;
}

/** The figures of the last hour that a gateway instance has measured. */
export interface HealthHistory {
  interval_seconds: number;
  /** The oldest first. */
  samples: HealthHistorySample[];
}
