import { Type } from 'class-transformer';
import { Allow, IsArray, IsIn, IsInt, IsOptional, IsString, Min, ValidateNested } from 'class-validator';
import { formatTime } from '#event';
import type { PipelineDefinition } from '#registry';
import type { OperatorSpec, PipelineSpec } from '#dataflow';
import { ListAnswer } from '../lists/list-answer.js';
import { Nullable } from '../openapi/nullable.js';
import { Schema } from '../openapi/schema.js';
import type { RunStats } from './pipeline-stats.js';
import { pipelineStarts } from './pipeline-input.js';
import { pipelineStatus, pipelineStatuses, type PipelineStatus } from './pipeline-status.js';

const time = { type: 'string', format: 'date-time' } as const;

export class PipelineSourceAnswer {
  @IsArray() @IsString({ each: true }) streams: readonly string[];
  @IsOptional() @IsArray() @IsString({ each: true }) event_types?: readonly string[];
  @IsOptional() @IsString() where?: string;
  @IsOptional() @IsString() idle_after?: string;
}

/** What a pipeline is. */
export class PipelineAnswer {
  @IsString() name: string;
  @IsInt()
  @Min(1)
  @Schema({ description: 'Goes up by one with each change of what it does.' })
  version: number;
  @IsIn(pipelineStatuses)
  @Schema({
    description: '`failed`: it cannot go on; `failure` says why, and a reset or a change begins anew.',
  })
  status: PipelineStatus;
  @ValidateNested() @Type(() => PipelineSourceAnswer) source: PipelineSourceAnswer;
  @Allow()
  @Schema({ type: 'array', items: { type: 'object' }, description: 'As they were defined.' })
  operators: readonly OperatorSpec[];
  @IsIn(pipelineStarts) from: PipelineSpec['from'];
  @Schema(time) @IsString() created_at: string;
  @Schema({ ...time, description: 'When its run began: when it was defined, reset, or begun anew.' })
  @IsString()
  started_at: string;
  @Nullable('string', { description: 'Why it cannot go on.' }) failure: string | null;
}

/** A topic of its own. */
export class InternalTopicAnswer {
  @IsString() topic: string;
  @Schema({
    description:
      'The window or dedupe that reads it: a JSON pointer into the definition; empty for the topic through which dead ' +
      'letters are replayed.',
  })
  @IsString()
  stage: string;
  @IsInt() @Min(1) partitions: number;
}

/** A pipeline, and how its run is doing. */
export class PipelineFiguresAnswer extends PipelineAnswer {
  @IsInt() @Min(0) @Schema({ description: 'Events of the sources that were for it.' }) processed: number;
  @IsInt()
  @Min(0)
  @Schema({ description: 'Events that were written to streams, and deliveries to webhooks.' })
  emitted: number;
  @IsInt()
  @Min(0)
  @Schema({
    description: 'Events that an operator dropped: filtered, repeated, for no branch, without a key.',
  })
  dropped: number;
  @IsInt() @Min(0) @Schema({ description: 'Events that came after their window had closed.' }) late: number;
  @IsInt()
  @Min(0)
  @Schema({ description: 'Events that could not be processed: they are dead letters of `pipeline:<name>`.' })
  failed: number;
  @IsInt()
  @Min(0)
  @Schema({ description: 'Records of the sources and of the internal topics that are not looked at yet.' })
  lag: number;
  @Nullable('string', {
    format: 'date-time',
    description:
      'Windows that end before it, and their lateness, are closed: the least over all windows and partitions. Null ' +
      'before the first event.',
  })
  watermark: string | null;
  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => InternalTopicAnswer)
  @Schema({
    description:
      'Topics that were made for its windows and dedupes, and for replays; they are removed with it.',
  })
  internal_topics: InternalTopicAnswer[];
  @Nullable('string', { format: 'date-time', description: 'When it last wrote down how far it is.' })
  updated_at: string | null;
}

export class PipelineList extends ListAnswer {
  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => PipelineFiguresAnswer)
  pipelines: PipelineFiguresAnswer[];
}

/** A pipeline as it is defined. */
export function pipelineAnswer(definition: PipelineDefinition): PipelineAnswer {
  const { name, version, created_at, failure, spec, run } = definition;
  const { source, operators, from } = spec;
  return {
    ...{ name, version, status: pipelineStatus(definition) },
    ...{ source, operators, from, created_at, started_at: run.started_at, failure },
  };
}

/** The same with the stats of its run; `stats` are by run. */
export function pipelineFiguresAnswer(
  definition: PipelineDefinition,
  stats: ReadonlyMap<string, RunStats>,
): PipelineFiguresAnswer {
  const found = stats.get(definition.run.id);
  const timeOf = (micros: number | null | undefined) => (micros == null ? null : formatTime(micros));
  const { processed = 0, emitted = 0, dropped = 0, late = 0, failed = 0, lag = 0 } = found ?? {};
  return {
    ...pipelineAnswer(definition),
    ...{ processed, emitted, dropped, late, failed, lag },
    watermark: timeOf(found?.watermark),
    internal_topics: found?.internalTopics ?? [],
    updated_at: timeOf(found?.updatedAt),
  };
}
