/** How a process is. */
export interface Health {
  /** `ok`, or why it is not. */
  status: string;
  version: string;
  uptime_seconds: number;
  checks: object;
}
