/** The health of a process. */
export interface Health {
  /** `ok`, or the reason why it is not. */
  status: string;
  version: string;
  uptime_seconds: number;
  checks: object;
}
