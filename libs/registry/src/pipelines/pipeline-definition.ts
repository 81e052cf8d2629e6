import type { PipelineSpec } from '#dataflow';
import type { SourceStreamWithStartOffsets } from '../sources/source-stream-with-start-offsets.js';

/**
 * One job of a pipeline. The job's id names its own consumer group, checkpoints, state entries and internal topics.
 * Events that different jobs emit have different ids.
 */
export interface JobIdAndStartOffsets {
  /** Id of the job: 24 random hexadecimal digits. */
  id: string;
  /** The id and start offsets of each stream that the pipeline's current spec reads, by stream name. */
  sources: Readonly<Record<string, SourceStreamWithStartOffsets>>;
  /** Start time of the job, as RFC 3339. */
  started_at: string;
}

/**
 * The definition of a pipeline. A changed definition continues in the same job, at the position where the previous one
 * stopped. A reset starts another job.
 */
export interface PipelineDefinition {
  name: string;
  /** Version of the pipeline's definition, which increases by one with each changed spec. */
  version: number;
  created_at: string;
  paused: boolean;
  /**
   * The reason why the pipeline has failed; null if it has not. A resume, a reset or a changed spec clears the failure.
   */
  failure: string | null;
  spec: PipelineSpec;
  run: JobIdAndStartOffsets;
}

/** The most pipelines of one installation. */
export const mostPipelines = 200;
