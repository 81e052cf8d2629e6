/** The answer of `/health` of a gateway or ingest process. */
export interface Health {
  /** `ok`, or another word for what is wrong. */
  status: string;
  version: string;
  uptime_seconds: number;
  checks: object;
}
