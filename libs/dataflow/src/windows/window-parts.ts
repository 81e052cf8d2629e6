import type { Micros } from '#event';
import { readable } from '../flow/flow-event.js';
import type { FlowEvent, Outcome } from '../flow/flow.js';
import type { Fold, FoldState } from '../folds/compile-fold.js';

/** What every kind of window is made of. */
export interface WindowParts {
  readonly stage: string;
  readonly fold: Fold;
  readonly lateness: Micros;
  /** A result with each event, none at the end. */
  readonly updates: boolean;
  /** Pointers to the window and to its reduce. */
  readonly at: string;
  readonly reduceAt: string;
  /** Where late events go; undefined: the dead letters. */
  readonly late: string | undefined;
}

/** Returns the outcome of a late event. */
export function lateOutcome({ at, late }: WindowParts, flow: FlowEvent): Outcome {
  return { kind: 'late', at, stream: late, flow };
}

/** Returns the state with the event, or why it cannot be folded. */
export function folded(
  { fold, at, reduceAt }: WindowParts,
  state: FoldState,
  flow: FlowEvent,
): { state: FoldState; failed?: undefined } | { state?: undefined; failed: Outcome } {
  const { state: next, refused } = fold.add(state, readable(flow));
  if (next) return { state: next };
  const pointer = reducePointer(refused.pointer, reduceAt);
  return { failed: { kind: 'fail', at, pointer, detail: refused.detail, flow } };
}

/** Returns where in a reduce stands what the pointer of a fold means. */
export function reducePointer(pointer: string, reduceAt: string): string {
  return reduceAt + pointer.slice('/fields'.length);
}
