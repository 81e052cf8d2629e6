import { Type } from 'class-transformer';
import {
  Allow,
  IsArray,
  IsIn,
  IsInt,
  IsOptional,
  IsString,
  Min,
  ValidateIf,
  ValidateNested,
} from 'class-validator';
import { formatTime } from '#json';
import { startPositions, type PipelineDefinition } from '#registry';
import type { OperatorJson, PipelineSpec } from '#dataflow';
import { ListAnswer, Nullable, JsonSchemaPart } from '#gateway-kit';
import type { PipelineJobStats } from './pipeline-stats-reader.js';
import { pipelineStatus, pipelineStatuses, type PipelineStatus } from './pipeline-status.js';

const time = { type: 'string', format: 'date-time' } as const;

/** OpenAPI schema of the member `source` of a pipeline: the events that it processes. */
class PipelineSourceAnswer {
  @IsArray() @IsString({ each: true }) streams: readonly string[];
  @IsOptional() @IsArray() @IsString({ each: true }) event_types?: readonly string[];
  @IsOptional() @IsString() where?: string;
  @IsOptional() @IsString() idle_after?: string;
}

/** OpenAPI schema of a pipeline's definition and status. */
export class PipelineAnswer {
  @IsString() name: string;
  @IsInt()
  @Min(1)
  @JsonSchemaPart({ description: 'Increases by one with each change of the definition.' })
  version: number;
  @IsIn(pipelineStatuses)
  @JsonSchemaPart({
    description:
      '`failed`: the pipeline cannot continue, paused or not. `failure` gives the reason; when its cause is removed, a ' +
      'resume continues the pipeline at its position.',
  })
  status: PipelineStatus;
  @ValidateNested() @Type(() => PipelineSourceAnswer) source: PipelineSourceAnswer;
  @Allow()
  @JsonSchemaPart({
    type: 'array',
    items: { type: 'object' },
    description: 'The operators as they were defined.',
  })
  operators: readonly OperatorJson[];
  @IsIn(startPositions) from: PipelineSpec['from'];
  @JsonSchemaPart(time) @IsString() created_at: string;
  @JsonSchemaPart({
    ...time,
    description: 'When its current job started: when the pipeline was defined, reset, or restarted.',
  })
  @IsString()
  started_at: string;
  @Nullable('string', { description: 'Why the pipeline cannot continue; null unless it has failed.' })
  failure: string | null;
}

/** OpenAPI schema of an internal Kafka topic of a pipeline: the input of a window or dedupe, or of replays. */
class InternalTopicAnswer {
  @IsString() topic: string;
  @JsonSchemaPart({
    description:
      'The window or dedupe that reads the topic, as a JSON pointer into the definition. Empty for the ' +
      'topic through which dead letters are replayed.',
  })
  @IsString()
  stage: string;
  @IsInt() @Min(1) partitions: number;
}

/** OpenAPI schema of repeated deliveries to a webhook. */
class DeliveryRetryAnswer {
  @JsonSchemaPart({ ...time, description: 'When the first delivery failed since one was accepted.' })
  @IsString()
  since: string;
  @JsonSchemaPart({ description: 'Why the last attempt failed, such as the status of the answer.' })
  @IsString()
  last_answer: string;
}

/** OpenAPI schema of a pipeline in a list: its definition, and the statistics of its current job. */
class PipelineWithStatsAnswer extends PipelineAnswer {
  @IsInt()
  @Min(0)
  @JsonSchemaPart({ description: 'Events of the source streams that the pipeline selects.' })
  processed: number;
  @IsInt()
  @Min(0)
  @JsonSchemaPart({ description: 'Events that were written to streams, and deliveries to webhooks.' })
  emitted: number;
  @IsInt()
  @Min(0)
  @JsonSchemaPart({
    description:
      'Events that an operator dropped: filtered, duplicate, without a matching branch, or without a key.',
  })
  dropped: number;
  @IsInt()
  @Min(0)
  @JsonSchemaPart({ description: 'Events that arrived after their window had closed.' })
  late: number;
  @IsInt()
  @Min(0)
  @JsonSchemaPart({
    description: 'Events that could not be processed. They are dead letters of `pipeline:<name>`.',
  })
  failed: number;
  @IsInt()
  @Min(0)
  @JsonSchemaPart({
    description: 'Records of the source streams and of the internal topics that have not been processed yet.',
  })
  lag: number;
  @Nullable('string', {
    format: 'date-time',
    description:
      'Minimum over all windows and partitions. A window is closed when its end plus its lateness is ' +
      'before the watermark. Null before the first event.',
  })
  watermark: string | null;
  @ValidateIf((_, value) => value !== null)
  @ValidateNested()
  @Type(() => DeliveryRetryAnswer)
  @JsonSchemaPart({
    description:
      'Deliveries to a webhook that are repeated, because its receiver does not accept them. The pipeline waits until it ' +
      'does, or until the events become dead letters. Null while no delivery is repeated.',
  })
  retrying: DeliveryRetryAnswer | null;
  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => InternalTopicAnswer)
  @JsonSchemaPart({
    description:
      'Topics for the windows and dedupes of the pipeline, and for replays. They are removed with the ' +
      'pipeline.',
  })
  internal_topics: InternalTopicAnswer[];
  @Nullable('string', { format: 'date-time', description: 'Time of the last checkpoint.' })
  updated_at: string | null;
}

/** OpenAPI schema of the statistics of one operator since the start of the pipeline's current job. */
class PipelineStepStatsAnswer {
  @JsonSchemaPart({
    description: 'The operator, as a JSON pointer into the definition, such as `/operators/0`.',
  })
  @IsString()
  path: string;
  @JsonSchemaPart({ description: 'The name of the operator, such as `filter`.' })
  @IsString()
  operator: string;
  @IsInt()
  @Min(0)
  @JsonSchemaPart({ description: 'Events that reached the operator, including replayed dead letters.' })
  in: number;
  @IsInt()
  @Min(0)
  @JsonSchemaPart({
    description:
      'Events that the operator passed on. For an `emit` or `webhook`, events that it wrote or delivered; for ' +
      'a `window`, events that it took; for a `reduce`, its results.',
  })
  out: number;
  @IsInt()
  @Min(0)
  @JsonSchemaPart({ description: 'Events that the operator dropped.' })
  dropped: number;
  @IsInt()
  @Min(0)
  @JsonSchemaPart({ description: 'Events that arrived after their window had closed.' })
  late: number;
  @IsInt()
  @Min(0)
  @JsonSchemaPart({ description: 'Events that the operator could not process. They are dead letters.' })
  failed: number;
}

/**
 * Answer of `GET /api/v1/pipelines/{name}`: the definition, and the statistics of the current job and of each operator.
 */
export class PipelineDetailAnswer extends PipelineWithStatsAnswer {
  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => PipelineStepStatsAnswer)
  @JsonSchemaPart({
    description:
      'The operators in the order of the definition, including those in branches. An operator keeps its ' +
      'counts in a changed definition if it has the same path and the same name; a window or dedupe, and ' +
      'what follows it, if its state remains.',
  })
  steps: PipelineStepStatsAnswer[];
}

/** Answer of `GET /api/v1/pipelines`: one page of pipelines. */
export class PipelineList extends ListAnswer {
  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => PipelineWithStatsAnswer)
  pipelines: PipelineWithStatsAnswer[];
}

/** Converts the definition of a pipeline to its form in the API. */
export function pipelineAnswer(definition: PipelineDefinition): PipelineAnswer {
  const { name, version, created_at, failure, spec, run } = definition;
  const { source, operators, from } = spec;
  return {
    ...{ name, version, status: pipelineStatus(definition) },
    ...{ source, operators, from, created_at, started_at: run.started_at, failure },
  };
}

/** Converts the definition of a pipeline and the statistics of its job. The keys of `stats` are the ids of jobs. */
export function pipelineStatsAnswer(
  definition: PipelineDefinition,
  stats: ReadonlyMap<string, PipelineJobStats>,
): PipelineWithStatsAnswer {
  const found = stats.get(definition.run.id);
  const timeOf = (micros: number | null | undefined) => (micros == null ? null : formatTime(micros));
  const { processed = 0, emitted = 0, dropped = 0, late = 0, failed = 0, lag = 0 } = found ?? {};
  return {
    ...pipelineAnswer(definition),
    ...{ processed, emitted, dropped, late, failed, lag },
    watermark: timeOf(found?.watermark),
    retrying: found?.retrying
      ? { since: formatTime(found.retrying.since), last_answer: found.retrying.lastAnswer }
      : null,
    internal_topics: found?.internalTopics ?? [],
    updated_at: timeOf(found?.updatedAt),
  };
}

/** Converts the definition of a pipeline and the statistics of its job and of each operator. */
export function pipelineDetailAnswer(
  definition: PipelineDefinition,
  stats: ReadonlyMap<string, PipelineJobStats>,
): PipelineDetailAnswer {
  const { steps = [] } = stats.get(definition.run.id) ?? {};
  return { ...pipelineStatsAnswer(definition, stats), steps };
}
