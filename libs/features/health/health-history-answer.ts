import { Type } from 'class-transformer';
import { IsArray, IsInt, IsNumber, IsString, Min, ValidateIf, ValidateNested } from 'class-validator';
import { Nullable, JsonSchemaPart } from '#gateway-kit';

/** OpenAPI schema of a lag: the records that have not been read, and the age of the oldest of them. */
class LagSample {
  @IsInt() @Min(0) lag_events: number;
  @IsNumber() @Min(0) lag_seconds: number;
}

const unmeasured = 'Null if nobody measured it in this interval.';

/** OpenAPI schema of the largest figures of one interval. */
class HealthHistorySample {
  @JsonSchemaPart({ type: 'string', format: 'date-time', description: 'Start of the interval.' })
  @IsString()
  time: string;

  @ValidateIf((_, value) => value !== null)
  @ValidateNested()
  @Type(() => LagSample)
  @JsonSchemaPart({ description: `Lag of the materializer. ${unmeasured}` })
  materializer: LagSample | null;

  @ValidateIf((_, value) => value !== null)
  @ValidateNested()
  @Type(() => LagSample)
  @JsonSchemaPart({ description: `Lag of the processors in projections that serve reads. ${unmeasured}` })
  processor: LagSample | null;

  @Nullable('integer', { description: `Number of failed projections and pipelines. ${unmeasured}` })
  failed_jobs: number | null;
}

/** Answer of `GET /api/v1/health-history`. */
export class HealthHistoryAnswer {
  @IsInt() @Min(1) interval_seconds: number;
  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => HealthHistorySample)
  samples: HealthHistorySample[];
}
