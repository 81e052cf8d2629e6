import { countSteps } from '#async';
import { EvaluationError } from './errors.js';

/**
 * Maximum number of steps of one evaluation of a CEL expression, and of all evaluations of one definition for one value
 * together. A step costs about as much as comparing two numbers or reading 64 characters. The limit corresponds to at
 * most 100 ms for a value of 1 MiB.
 */
const steps = 400_000;

const charactersPerStep = 64;

/**
 * Limits the steps that several evaluations take together: those of one definition for one value, or those of a
 * request. Steps of a nested budget also count for the outer one.
 */
export class StepBudget {
  private taken = 0;
  private readonly outer = shared;

  constructor(private left = steps) {}

  /** Number of steps taken so far; the last evaluation may have exceeded the budget slightly. */
  get spent(): number {
    return this.taken;
  }

  /** True if the step budget is used up; further evaluations that need steps fail. */
  get isSpent(): boolean {
    return this.left <= 0;
  }

  /** Returns the steps that the next evaluation may take: at most `atMost`, and what is left here and outside. */
  most(atMost: number): number {
    const most = Math.min(atMost, this.left);
    return this.outer ? this.outer.most(most) : most;
  }

  take(taken: number): void {
    this.taken += taken;
    this.left -= taken;
    this.outer?.take(taken);
  }
}

/** Runs synchronous work; all evaluations of CEL expressions in it share this step budget. */
export function withinBudget<T>(budget: StepBudget, work: () => T): T {
  const outer = shared;
  shared = budget;
  try {
    return work();
  } finally {
    shared = outer;
  }
}

let left = Infinity;
/** Number of steps that the current evaluation of a CEL expression was allowed at its start. */
let begun = 0;
let evaluations = 0;
let shared: StepBudget | undefined;

/** Error: an evaluation has used all its steps. Not an EvaluationError, so that no operator absorbs it. */
class BudgetExhaustedError extends Error {}

/** Starts to count the steps of an evaluation. Evaluations are synchronous, so one counter is enough. */
export function startBudget(): void {
  evaluations++;
  begun = shared ? shared.most(steps) : steps;
  left = begun;
}

/**
 * Ends the count of an evaluation: takes its steps from the shared budget, and counts them for `TimeSlice`. Code that
 * compares values outside of an evaluation has no step limit.
 */
export function endBudget(): void {
  const taken = begun - left;
  countSteps(taken);
  shared?.take(taken);
  left = Infinity;
}

/** Returns the sequence number of the current evaluation, for costs that are charged once in each evaluation. */
export function currentEvaluation(): number {
  return evaluations;
}

/** Number of steps charged for an error that an operator such as `||` catches. */
const stepsOfError = 6;

/** Charges the current evaluation for an error that an operator such as `||` catches and ignores. */
export function spendOnError(): void {
  spend(stepsOfError);
}

/** Charges the evaluation before an operation runs; all operations do that take longer for larger values. */
export function spend(cost: number): void {
  left -= cost;
  if (left < 0) throw new BudgetExhaustedError();
}

/** Charges the current evaluation for reading this number of characters, before they are read. */
export function spendOnText(characters: number): void {
  spend(characters / charactersPerStep);
}

/** Returns the error to report for a failed evaluation: an evaluation that cost too much has no value. */
export function evaluationFailure(error: unknown, { name, at }: { name: string; at: number }): unknown {
  if (!(error instanceof BudgetExhaustedError)) return error;
  const what = begun < steps ? 'The expression and those before it take' : 'The expression takes';
  return new EvaluationError(`${what} too many steps for this ${name}: use smaller lists.`, at);
}
