import type { SourceFilterSpec } from '#dataflow';
import type { OperatorJson } from './operators/operator.js';

/**
 * A pipeline definition, in the form that clients write: CEL on `event`, and durations such as `10s`, `1m`, `1h`, `1d`.
 */
export interface PipelineSpec {
  source: SourceFilterSpec & {
    streams: readonly string[];
    /** A partition without a record for this long, at the end of its log, holds back no window. Default: `30s`. */
    idle_after?: string;
  };
  operators: readonly OperatorJson[];
  /** Where a job begins in a source stream that it has not read yet: at its first record, or at its end. */
  from: 'beginning' | 'now';
}
