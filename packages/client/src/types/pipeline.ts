import type { NewEvent } from './event.js';
import type { Operator } from './operator.js';
import type { From, Source } from './source.js';

export interface PipelineSource extends Source {
  /** A partition without an event for this time no longer holds back windows. */
  idle_after?: string | null;
}

export interface PipelineInput {
  name: string;
  source: PipelineSource;
  operators: Operator[];
  from?: From | null;
}

/** A definition without its name, which is in the URL. */
export type PipelineReplacement = Omit<PipelineInput, 'name'> & { name?: string | null };

export interface Pipeline {
  name: string;
  version: number;
  status: 'running' | 'paused' | 'failed';
  source: PipelineSource;
  operators: Operator[];
  from: From;
  created_at: string;
  started_at: string;
  failure: string | null;
}

/** A pipeline and its progress. */
export interface PipelineWithStats extends Pipeline {
  processed: number;
  emitted: number;
  dropped: number;
  late: number;
  failed: number;
  /** The number of unread records. */
  lag: number;
  watermark: string | null;
  internal_topics: InternalTopic[];
  updated_at: string | null;
}

/** A pipeline, its progress, and what each of its operators has done. */
export interface PipelineDetail extends PipelineWithStats {
  /** The operators in the order of the definition, including those in branches. */
  steps: PipelineStep[];
}

/** Numbers of events at one operator, since the start of the pipeline's job. */
export interface PipelineStep {
  /** A JSON pointer to the operator, such as `/operators/0`. */
  path: string;
  operator: string;
  in: number;
  /** Passed on, written or delivered. */
  out: number;
  dropped: number;
  late: number;
  failed: number;
}

export interface InternalTopic {
  topic: string;
  /** A JSON pointer to the operator that reads the topic. */
  stage: string;
  partitions: number;
}

export interface DryRunInput {
  definition: PipelineReplacement;
  events: NewEvent[];
}

/** The effect of each operator on the events. */
export interface DryRun {
  events: DryRunTrace[];
  windows: DryRunWindow[];
  emitted: DryRunEmitted[];
  late: DryRunLate[];
  failed: DryRunFailed[];
  truncated: boolean;
}

export interface DryRunEvent {
  event_type: string;
  entity_id: string | null;
  timestamp: string;
  data: object;
  metadata: object;
}

/** The path of one event through the operators. */
export interface DryRunTrace {
  event: DryRunEvent;
  steps: DryRunStep[];
}

/** The path of the result of one window. */
export interface DryRunWindow extends DryRunTrace {
  at: string;
}

export interface DryRunStep {
  /** A JSON pointer to the operator. */
  at: string;
  operator: string;
  outcome: 'passed' | 'dropped' | 'emitted' | 'late' | 'failed' | 'forwarded';
  reason?: string | null;
  key?: string | null;
  result?: DryRunEvent | null;
}

export interface DryRunEmitted {
  at: string;
  stream?: string | null;
  webhook?: string | null;
  event: DryRunEvent;
}

export interface DryRunLate {
  at: string;
  stream?: string | null;
  event: DryRunEvent;
}

export interface DryRunFailed {
  at: string;
  pointer: string;
  error: string;
  event: DryRunEvent;
}
