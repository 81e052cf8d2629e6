import { EvaluationError } from './errors.js';

/**
 * What one evaluation may cost. A step is about what comparing two numbers costs, or looking at 64 characters: 100 ms
 * at most for an expression over the largest event.
 */
const steps = 400_000;

const charactersPerStep = 64;

let left = Infinity;

/** Not an EvaluationError, so that no operator absorbs it and goes on. */
class ExhaustedError extends Error {}

/** Before each evaluation. There is one budget, because an evaluation never waits for anything. */
export function startBudget(): void {
  left = steps;
}

/** After it: what else compares values is not bounded by steps. */
export function endBudget(): void {
  left = Infinity;
}

/** For what an operation is about to do; all that takes longer for larger values spends. */
export function spend(cost: number): void {
  left -= cost;
  if (left < 0) throw new ExhaustedError();
}

export function spendOnText(characters: number): void {
  spend(characters / charactersPerStep);
}

/** What a failed evaluation is reported as: one that cost too much had no value. */
export function evaluationFailure(error: unknown, at: number): unknown {
  if (!(error instanceof ExhaustedError)) return error;
  return new EvaluationError('The expression takes too many steps for this event: use smaller lists.', at);
}
