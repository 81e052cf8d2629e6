import type { PipelineSpec } from '#dataflow';
import type { RunSource } from '../sources/run-source.js';

/**
 * One run of a pipeline. It has a consumer group, progress, rows and internal topics of its own, under its id; what it emits
 * has ids of its own, too.
 */
export interface PipelineRun {
  /** 24 hexadecimal digits, made at random. */
  id: string;
  /** By stream: all those that the definition reads now. */
  sources: Readonly<Record<string, RunSource>>;
  /** RFC 3339. */
  started_at: string;
}

/** A pipeline. Another definition goes on in the same run where the one before has stopped; a reset is another run. */
export interface PipelineDefinition {
  name: string;
  /** Goes up by one with each other spec. */
  version: number;
  created_at: string;
  paused: boolean;
  /** Why it cannot go on; null while it can. Resuming it, a reset, or another spec takes it away. */
  failure: string | null;
  spec: PipelineSpec;
  run: PipelineRun;
}

/** Pipelines of one installation. */
export const mostPipelines = 200;
