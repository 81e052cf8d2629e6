import type { SourceFilter } from '../folds/compile-source.js';
import type { OperatorSpec } from '../operators/operator.js';

/** A pipeline as clients write it. Expressions are CEL on `event`; durations are texts such as `10s`, `1m`, `1h`, `1d`. */
export interface PipelineSpec {
  source: SourceFilter & {
    streams: readonly string[];
    /** After so long without a record at the end of its log, a partition holds back no window. Default: `30s`. */
    idle_after?: string;
  };
  operators: readonly OperatorSpec[];
  /** Where a run begins in a stream that it has not read yet. */
  from: 'beginning' | 'now';
}
