import { Allow, IsArray, IsIn, IsInt, IsOptional, IsString, Min, ValidateIf } from 'class-validator';
import { startPositions } from '#registry';
import { type PipelineDefinition } from '#features/pipelines/definition';
import type { OperatorJson, PipelineSpec } from '#features/pipelines/computation';
import {
  Count,
  JsonSchemaPart,
  LagSeconds,
  ListAnswer,
  ListOf,
  Nullable,
  ObjectOf,
  runningStatus,
  runningStatuses,
  type RunningStatus,
} from '#gateway-kit';

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
  @Count('Increases by one with each change of the definition.', 1) version: number;
  @IsIn(runningStatuses)
  @JsonSchemaPart({
    description:
      '`failed`: the pipeline cannot continue, paused or not. `failure` gives the reason; when its cause is removed, a ' +
      'resume continues the pipeline at its position.',
  })
  status: RunningStatus;
  @ObjectOf(PipelineSourceAnswer) source: PipelineSourceAnswer;
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

/** OpenAPI schema of an internal Kafka topic of a pipeline: the input of a keyed stage, or of replays. */
class InternalTopicAnswer {
  @IsString() topic: string;
  @JsonSchemaPart({
    description:
      'The window, dedupe, expect or join that reads the topic, as a JSON pointer into the definition. Empty for the ' +
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
  @Count('Events of the source streams that the pipeline selects.') processed: number;
  @Count('Events that were written to streams, and deliveries to webhooks.') emitted: number;
  @Count('Events that an operator dropped: filtered, duplicate, without a matching branch, or without a key.')
  dropped: number;
  @Count('Events that arrived after their window had closed, or their `expect` or `join` was decided.')
  late: number;
  @Count('Events that could not be processed. They are dead letters of `pipeline:<name>`.') failed: number;
  @Count('Records of the source streams and of the internal topics that have not been processed yet.')
  lag: number;
  @LagSeconds() lag_seconds: number;
  @Nullable('string', {
    format: 'date-time',
    description:
      'Minimum over all windows, dedupes, expects and joins, and their partitions. A window is closed when its end plus its lateness is ' +
      'before the watermark. Null before the first event.',
  })
  watermark: string | null;
  @ValidateIf((_, value) => value !== null)
  @ObjectOf(DeliveryRetryAnswer)
  @JsonSchemaPart({
    description:
      'Deliveries to a webhook that are repeated, because its receiver does not accept them. The pipeline waits until it ' +
      'does, or until the events become dead letters. Null while no delivery is repeated.',
  })
  retrying: DeliveryRetryAnswer | null;
  @ListOf(
    InternalTopicAnswer,
    'Topics for the windows, dedupes, expects and joins of the pipeline, and for replays. They are removed with the pipeline.',
  )
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
  @Count('Events that reached the operator, including replayed dead letters.') in: number;
  @Count(
    'Events that the operator passed on. For an `emit` or `webhook`, events that it wrote or delivered; for ' +
      'a `window`, events that it took; for a `reduce`, its results.',
  )
  out: number;
  @Count('Events that the operator dropped.') dropped: number;
  @Count('Events that arrived after their window had closed.') late: number;
  @Count('Events that the operator could not process. They are dead letters.') failed: number;
}

/**
 * Answer of `GET /api/v1/pipelines/{name}`: the definition, and the statistics of the current job and of each operator.
 */
export class PipelineDetailAnswer extends PipelineWithStatsAnswer {
  @ListOf(
    PipelineStepStatsAnswer,
    'The operators in the order of the definition, including those in branches. An operator keeps its ' +
      'counts in a changed definition if it has the same path and the same name; a window or dedupe, and ' +
      'what follows it, if its state remains.',
  )
  steps: PipelineStepStatsAnswer[];
}

/** Answer of `GET /api/v1/pipelines`: one page of pipelines. */
export class PipelineList extends ListAnswer {
  @ListOf(PipelineWithStatsAnswer) pipelines: PipelineWithStatsAnswer[];
}

/** Statistics of the current job of one pipeline. `steps` is empty if this version cannot compile the definition. */
export type PipelineJobStats = Omit<PipelineDetailAnswer, keyof PipelineAnswer>;

/** Converts the definition of a pipeline to its form in the API. */
export function pipelineAnswer(definition: PipelineDefinition): PipelineAnswer {
  const { name, version, created_at, failure, spec, run } = definition;
  const { source, operators, from } = spec;
  const status = runningStatus(definition);
  return { name, version, status, source, operators, from, created_at, started_at: run.started_at, failure };
}
