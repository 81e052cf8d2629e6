import { IsInt, IsObject, IsString } from 'class-validator';

/** The answer of `/health`, `/health/live` and `/health/ready`. */
export class HealthAnswer {
  /**
   * Overall status: `ok`; `degraded`, if the process works, but an operator must act; `failing`, `starting` or
   * `stopping`.
   */
  @IsString() status: string;
  @IsString() version: string;
  @IsInt() uptime_seconds: number;
  /**
   * Results by the name of the check; each has at least a `status`: `ok`, `degraded` or `failing`. Keys that are limited
   * to some streams get only statuses and durations, no counts and errors; for them, `degraded` is `ok`.
   */
  @IsObject() checks: object;
}
