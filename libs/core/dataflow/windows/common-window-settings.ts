import type { EpochMicros } from '#json';
import { readableEvent } from '../flow/lazily-parsed-event.js';
import type { PipelineEvent, OperatorOutcome } from '../flow/pipeline.js';
import type { Fold, FoldState } from '../folds/compile-fold.js';

/** What tumbling, hopping and session windows have in common. */
export interface CommonWindowSettings {
  readonly stage: string;
  readonly fold: Fold;
  readonly lateness: EpochMicros;
  /** True (`"emit": "updates"`) if each event emits a result of its window, and the end of the window emits none. */
  readonly updates: boolean;
  /** JSON pointers to the window operator, and to its reduce. */
  readonly at: string;
  readonly reduceAt: string;
  /** Name of the stream that late events are written to; if undefined, late events become dead letters. */
  readonly late: string | undefined;
}

/** Returns the outcome for an event that arrived after its window had closed. */
export function lateOutcome({ at, late }: CommonWindowSettings, flow: PipelineEvent): OperatorOutcome {
  return { kind: 'late', at, stream: late, flow };
}

/** Returns the fold state after the event, or a fail outcome if the event cannot be folded. */
export function addToFold(
  { fold, at, reduceAt }: CommonWindowSettings,
  state: FoldState,
  flow: PipelineEvent,
): { state: FoldState; failed?: undefined } | { state?: undefined; failed: OperatorOutcome } {
  const { state: next, refused } = fold.add(state, readableEvent(flow));
  if (next) return { state: next };
  const pointer = reducePointer(refused.pointer, reduceAt);
  return { failed: { kind: 'fail', at, pointer, detail: refused.detail, flow } };
}

/** Translates a pointer of a fold, such as `/fields/n/value`, into a pointer into the reduce. */
export function reducePointer(pointer: string, reduceAt: string): string {
  return reduceAt + pointer.slice('/fields'.length);
}
