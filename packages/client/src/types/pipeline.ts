import type { NewEvent } from './event.js';
import type { Operator } from './operator.js';
import type { SourceStart, DefinitionSource } from './source.js';

/** The events that a pipeline processes. */
export interface PipelineSource extends DefinitionSource {
  /**
   * Duration, such as `30s`: a partition that has had no event for this long no longer delays the closing of windows.
   */
  idle_after?: string | null;
}

/** The definition of a new pipeline. */
export interface PipelineInput {
  name: string;
  source: PipelineSource;
  operators: Operator[];
  from?: SourceStart | null;
}

/** The new definition of an existing pipeline. The URL contains the name, so `name` may be omitted. */
export type PipelineReplacement = Omit<PipelineInput, 'name'> & { name?: string | null };

/** A pipeline's definition and status. */
export interface Pipeline {
  name: string;
  version: number;
  status: 'running' | 'paused' | 'failed';
  source: PipelineSource;
  operators: Operator[];
  from: SourceStart;
  created_at: string;
  started_at: string;
  failure: string | null;
}

/** Deliveries to a webhook that are repeated, because its receiver does not accept them. */
export interface DeliveryRetry {
  /** When the first delivery failed since one was accepted. */
  since: string;
  last_answer: string;
}

/** A pipeline's definition and status, with the counts and the lag of its current job. */
export interface PipelineWithStats extends Pipeline {
  processed: number;
  emitted: number;
  dropped: number;
  late: number;
  failed: number;
  /**
   * The number of Kafka records that the pipeline's job has not processed yet, of its source streams and internal
   * topics.
   */
  lag: number;
  watermark: string | null;
  /** Null while no delivery is repeated. */
  retrying: DeliveryRetry | null;
  internal_topics: InternalTopic[];
  updated_at: string | null;
}

/** A pipeline's definition and status, with the counts of its current job and of each operator. */
export interface PipelineDetail extends PipelineWithStats {
  /** The operators in the order of the definition, including those in branches. */
  steps: PipelineStepStats[];
}

/** Numbers of events at one operator, since the start of the pipeline's job. */
export interface PipelineStepStats {
  /** A JSON pointer to the operator, such as `/operators/0`. */
  path: string;
  operator: string;
  in: number;
  /** Events that the operator passed on, wrote to a stream, or delivered to a webhook. */
  out: number;
  dropped: number;
  late: number;
  failed: number;
}

/** A Kafka topic that a pipeline uses internally, before a window or dedupe. */
export interface InternalTopic {
  topic: string;
  /** A JSON pointer to the operator that reads the topic. */
  stage: string;
  partitions: number;
}

/** A pipeline definition, and events to try it with. */
export interface DryRunInput {
  definition: PipelineReplacement;
  events: NewEvent[];
}

/** Result of a dry run: what each operator does with the events, and what the pipeline would write. */
export interface DryRunReport {
  events: DryRunTrace[];
  windows: DryRunWindow[];
  emitted: DryRunEmittedEvent[];
  late: DryRunLateEvent[];
  failed: DryRunFailedEvent[];
  truncated: boolean;
}

/** An event at one step of a dry run. */
export interface DryRunEvent {
  event_type: string;
  entity_id: string | null;
  timestamp: string;
  data: object;
  metadata: object;
}

/** One input event of a dry run, and what each operator that it reaches does with it. */
export interface DryRunTrace {
  event: DryRunEvent;
  steps: DryRunStep[];
}

/** The result of one window of a dry run, and what each later operator does with it. */
export interface DryRunWindow extends DryRunTrace {
  at: string;
}

/** What one operator did with one event in a dry run. */
export interface DryRunStep {
  /** A JSON pointer to the operator. */
  at: string;
  operator: string;
  outcome: 'passed' | 'dropped' | 'emitted' | 'late' | 'failed' | 'forwarded';
  reason?: string | null;
  key?: string | null;
  result?: DryRunEvent | null;
}

/** An event that the pipeline would write to a stream or send to a webhook. */
export interface DryRunEmittedEvent {
  at: string;
  stream?: string | null;
  webhook?: string | null;
  event: DryRunEvent;
}

/** An event that arrived too late for its window in a dry run. */
export interface DryRunLateEvent {
  at: string;
  stream?: string | null;
  event: DryRunEvent;
}

/** An event that an operator could not process in a dry run. */
export interface DryRunFailedEvent {
  at: string;
  pointer: string;
  error: string;
  event: DryRunEvent;
}
