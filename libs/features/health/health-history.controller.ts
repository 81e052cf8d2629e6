import { Controller, Get, Header } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { formatTime } from '#json';
import { InjectPrincipal, Principal, Query, RequireScope } from '#http';
import { ApiAnswer, Nullable, JsonSchemaPart } from '#gateway-kit';
import { Type } from 'class-transformer';
import { IsArray, IsInt, IsNumber, IsString, Min, ValidateIf, ValidateNested } from 'class-validator';
import { HealthHistory, historyIntervalMs } from './health-history.js';

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

/** The route has no query parameters. */
class NoQuery {}

/** `GET /api/v1/health-history`: the lag and the failed jobs of the last hour, as this gateway has measured them. */
@ApiTags('system')
@Controller('api/v1/health-history')
export class HealthHistoryController {
  constructor(private readonly history: HealthHistory) {}

  @Get()
  @RequireScope('events:read')
  @Header('cache-control', 'no-store')
  @ApiOperation({
    summary: 'Read the lag and the number of failed jobs over the last hour',
    description:
      'The gateway keeps in memory what it measures: the history begins when the gateway starts, and each instance ' +
      'has its own. It measures the lag of the materializer every 15 seconds, and that of the processors for each ' +
      'request to `/health` or `/metrics`. Reading the history measures nothing. A key that is limited to some streams ' +
      'gets no samples, because they count all streams.',
  })
  @ApiAnswer(HealthHistoryAnswer, { description: 'The samples of the last hour, the oldest first.' })
  read(@Query() _: NoQuery, @InjectPrincipal() { access }: Principal): HealthHistoryAnswer {
    const samples = access.patterns ? [] : this.history.samples();
    return {
      interval_seconds: historyIntervalMs / 1000,
      samples: samples.map(({ start, materializer, processor, failed_jobs }) => ({
        time: formatTime(start * 1000),
        materializer: materializer ?? null,
        processor: processor ?? null,
        failed_jobs: failed_jobs ?? null,
      })),
    };
  }
}
