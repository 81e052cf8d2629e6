import { IsArray, IsBoolean, IsIn, IsOptional, IsString, Matches } from 'class-validator';
import type { OperatorJson, PipelineSpec } from '#features/pipelines/computation';
import { definitionNamePattern } from '#event';
import {
  IsCount,
  IsTextOrNull,
  IsTime,
  JobIdAndStartOffsets,
  Nested,
  rule,
  SourceFilter,
  startPositions,
} from '#registry';

/** The events that a pipeline reads, and when a partition of them is idle. */
class PipelineSource extends SourceFilter {
  @IsOptional() @IsString() idle_after?: string;
}

const IsOperator = rule(
  'isOperator',
  (value) => typeof value === 'object' && value !== null && Object.keys(value).length === 1,
);

/** The spec of a pipeline in a record. The operators are validated later, when the pipeline is compiled. */
class PipelineRecordSpec implements PipelineSpec {
  @Nested(() => PipelineSource) source: PipelineSource;
  @IsArray() @IsOperator({ each: true }) operators: readonly OperatorJson[];
  @IsIn(startPositions) from: PipelineSpec['from'];
}

/**
 * The definition of a pipeline. A changed definition continues in the same job, at the position where the previous one
 * stopped. A reset starts another job.
 */
export class PipelineDefinition {
  @Matches(definitionNamePattern) name: string;
  /** Version of the pipeline's definition, which increases by one with each changed spec. */
  @IsCount() version: number;
  @IsTime() created_at: string;
  @IsBoolean() paused: boolean;
  /**
   * The reason why the pipeline has failed; null if it has not. A resume, a reset or a changed spec clears the failure.
   */
  @IsTextOrNull() failure: string | null;
  @Nested(() => PipelineRecordSpec) spec: PipelineSpec;
  @Nested(() => JobIdAndStartOffsets) run: JobIdAndStartOffsets;
}

/** The most pipelines of one installation. */
export const mostPipelines = 200;
