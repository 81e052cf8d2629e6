import { Controller, Get, Header } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayMinSize, IsArray, IsIn, IsInt, IsString, Matches, Min } from 'class-validator';
import { ProblemError, type StreamAccess } from '#api';
import { definitionNamePattern, limits } from '#event';
import { VisiblePipelines } from '#features/pipelines';
import { VisibleProjections } from '#features/projections';
import {
  ApiAnswer,
  JsonSchemaPart,
  ListAnswer,
  ListOf,
  pageByName,
  PageParameters,
  Parameter,
  Problems,
} from '#gateway-kit';
import { InjectPrincipal, Principal, Query, Repeatable, RequireScope } from '#http';
import { formatTime } from '#json';
import { JobHistory, historySpanNames, historySpans, type HistorySpan } from './job-history.js';
import { materializerJob } from './job-measurer.js';

const jobPattern = new RegExp(
  `^(?:materializer|(?:projection|pipeline):${unanchored(definitionNamePattern)})$`,
);
const jobRule = 'must be materializer, projection:<name> or pipeline:<name>';

/** Query parameters of `GET /api/v1/job-history`. */
export class JobHistoryParameters extends PageParameters {
  @IsIn(historySpanNames)
  @Parameter(
    'The last hour in intervals of 30 seconds, the last day in intervals of 5 minutes, or the last 7 days in intervals of an hour.',
  )
  @JsonSchemaPart({ default: '1h' })
  span: HistorySpan = '1h';

  @Repeatable()
  @ArrayMinSize(1)
  @ArrayMaxSize(limits.filterValues)
  @Matches(jobPattern, { each: true, message: jobRule })
  @Parameter(
    'Only this job: `materializer`, `projection:<name>` or `pipeline:<name>`, as in `source` of a dead letter. Repeatable.',
    ['projection:revenue'],
  )
  job?: string[];
}

/** Decorator of a member with one number for each interval. */
function PerInterval(
  type: 'number' | 'integer',
  { text, example }: { text: string; example: (number | null)[] },
): PropertyDecorator {
  const items = { type: [type, 'null'] };
  const part = JsonSchemaPart({ type: 'array', items, description: `${text} Null: not measured.`, example });
  return (target, key) => {
    IsArray()(target, key);
    part(target, key);
  };
}

/** OpenAPI schema of the history of one job. Each list has one value for each interval, the oldest first. */
export class JobHistoryItem {
  @IsString()
  @JsonSchemaPart({
    description: '`materializer`, `projection:<name>` or `pipeline:<name>`.',
    example: 'projection:revenue',
  })
  job: string;

  @PerInterval('number', {
    ...{ text: 'Mean number of events that were processed in a second.', example: [null, 12.4, 11.9] },
  })
  processed_per_second: (number | null)[];

  @PerInterval('integer', { text: 'Number of events that could not be processed.', example: [null, 0, 1] })
  failed: (number | null)[];

  @PerInterval('integer', {
    ...{ text: 'Largest number of records that waited to be processed.', example: [7, 0, 3] },
  })
  lag_events: (number | null)[];

  @PerInterval('number', {
    ...{ text: 'Largest age of the oldest of these records, in seconds.', example: [15.2, 0, 0.4] },
  })
  lag_seconds: (number | null)[];
}

/** Answer of `GET /api/v1/job-history`. */
export class JobHistoryAnswer extends ListAnswer {
  @IsInt() @Min(1) interval_seconds: number;
  @JsonSchemaPart({
    ...{ type: 'string', format: 'date-time' },
    description:
      'Start of the first interval. The others follow without gaps; the last one has not ended yet.',
  })
  @IsString()
  start: string;
  @ListOf(JobHistoryItem) jobs: JobHistoryItem[];
}

/** `GET /api/v1/job-history`: rates and lag of each job, as this gateway has measured them. */
@ApiTags('system')
@Controller('api/v1/job-history')
export class JobHistoryController {
  constructor(
    private readonly history: JobHistory,
    private readonly projections: VisibleProjections,
    private readonly pipelines: VisiblePipelines,
  ) {}

  @Get()
  @RequireScope('definitions:read')
  @Header('cache-control', 'no-store')
  @ApiOperation({
    summary: 'Read the rates and the lag of projections and pipelines over the last hour, day or week',
    description:
      'For each job the events per second, the failed events and the lag. The gateway keeps in memory what it measures: the ' +
      'history begins when the gateway starts, and each instance has its own. It measures the lag every 15 seconds and the rates ' +
      'every 25 seconds, from the checkpoints of the jobs, as `processed` and `failed` of a projection or pipeline count them. Reading the history measures nothing. A projection has the figures of ' +
      'the generation that serves reads, or of its first one while that is built. Of the materializer, only the lag is measured. ' +
      'A key sees a projection or pipeline only if it covers all of its streams, and the materializer only if it is not limited to ' +
      'some streams.',
  })
  @ApiAnswer(JobHistoryAnswer, { description: 'A page of jobs, sorted by name; `total` counts all.' })
  @Problems('invalid_cursor', 'projection_not_found', 'pipeline_not_found', 'stream_forbidden')
  read(
    @Query() { span, job: asked, limit, cursor }: JobHistoryParameters,
    @InjectPrincipal() { access }: Principal,
  ): JobHistoryAnswer {
    for (const job of asked ?? []) this.requireVisible(job, access);
    const all = asked ? [...new Set(asked)] : this.visible(access);
    const boundTo = ['job-history', span, asked];
    const { items, end } = pageByName(all, (job) => job, { limit, cursor, boundTo });
    const now = Date.now();
    const { intervalSeconds, samples } = historySpans[span];
    const last = Math.floor(now / 1000 / intervalSeconds);
    return {
      interval_seconds: intervalSeconds,
      start: formatTime((last - samples + 1) * intervalSeconds * 1_000_000),
      jobs: items.map((job) => ({ job, ...this.history.samples(job, { span, access, now }) })),
      ...end,
    };
  }

  private visible(access: StreamAccess): string[] {
    return [
      ...(access.patterns === undefined ? [materializerJob.job] : []),
      ...this.projections.all(access).map(({ name }) => `projection:${name}`),
      ...this.pipelines.all(access).map(({ name }) => `pipeline:${name}`),
    ];
  }

  private requireVisible(job: string, access: StreamAccess): void {
    const name = job.slice(job.indexOf(':') + 1);
    if (job.startsWith('projection:')) this.projections.get(name, access);
    else if (job.startsWith('pipeline:')) this.pipelines.get(name, access);
    else if (access.patterns !== undefined) {
      const detail = 'An API key that is limited to streams cannot read the lag of the materializer.';
      throw new ProblemError('stream_forbidden', detail, { errors: [{ pointer: 'job', detail }] });
    }
  }
}

/** Returns the source of a pattern that matches whole texts, without its anchors. */
function unanchored({ source }: RegExp): string {
  return source.replace(/^\^|\$$/g, '');
}
