import { IsInt, IsObject, IsString } from 'class-validator';

/** What `/health`, `/health/live` and `/health/ready` answer. */
export class HealthAnswer {
  /** `ok`, `failing`, `starting` or `stopping`. */
  @IsString() status: string;
  @IsString() version: string;
  @IsInt() uptime_seconds: number;
  /** By name; each has at least a `status`: `ok` or `failing`. */
  @IsObject() checks: object;
}
