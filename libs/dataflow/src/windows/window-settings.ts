import type { EpochMicros } from '#event';
import { readableEvent } from '../flow/readable-event.js';
import type { PipelineEvent, OperatorOutcome } from '../flow/pipeline.js';
import type { Fold, FoldState } from '../folds/compile-fold.js';

/** The settings that all kinds of windows share. */
export interface WindowSettings {
  readonly stage: string;
  readonly fold: Fold;
  readonly lateness: EpochMicros;
  /** True if each event emits a result, and the end of the window emits none. */
  readonly updates: boolean;
  /** JSON pointers to the window and to its reduce. */
  readonly at: string;
  readonly reduceAt: string;
  /** The stream for late events; if undefined, they become dead letters. */
  readonly late: string | undefined;
}

/** Returns the outcome of a late event. */
export function lateOutcome({ at, late }: WindowSettings, flow: PipelineEvent): OperatorOutcome {
  return { kind: 'late', at, stream: late, flow };
}

/** Returns the fold state after the event, or a fail outcome if the event cannot be folded. */
export function addToFold(
  { fold, at, reduceAt }: WindowSettings,
  state: FoldState,
  flow: PipelineEvent,
): { state: FoldState; failed?: undefined } | { state?: undefined; failed: OperatorOutcome } {
  const { state: next, refused } = fold.add(state, readableEvent(flow));
  if (next) return { state: next };
  const pointer = reducePointer(refused.pointer, reduceAt);
  return { failed: { kind: 'fail', at, pointer, detail: refused.detail, flow } };
}

/** Translates a JSON pointer of a fold's error into a pointer into the reduce. */
export function reducePointer(pointer: string, reduceAt: string): string {
  return reduceAt + pointer.slice('/fields'.length);
}
