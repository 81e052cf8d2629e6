import { countSteps } from '#async';
import { EvaluationError } from './errors.js';

/**
 * The steps of one evaluation, and of all evaluations of one definition for one event together. A step costs about as
 * much as comparing two numbers or reading 64 characters. The limit corresponds to at most 100 ms for the largest
 * event.
 */
const steps = 400_000;

const charactersPerStep = 64;

/**
 * A step budget that several evaluations share: those of one definition for one event, or those of a request such as a
 * dry run. Steps of a nested budget also count for the outer one.
 */
export class StepBudget {
  private taken = 0;
  private readonly outer = shared;

  constructor(private left = steps) {}

  /** Steps that evaluations have taken. The last evaluation may have exceeded the budget slightly. */
  get spent(): number {
    return this.taken;
  }

  /** True if the budget is used up; evaluations that need more steps fail. */
  get isSpent(): boolean {
    return this.left <= 0;
  }

  /** Returns the steps that one evaluation may take: at most `atMost`, and at most the rest of the budget. */
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

/** Runs synchronous work whose evaluations share this budget. */
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
/** The steps that the current evaluation had at its start. */
let begun = 0;
let evaluations = 0;
let shared: StepBudget | undefined;

/**
 * The evaluation has used all its steps. This error is not an EvaluationError, so that no operator absorbs it and
 * continues.
 */
class BudgetExhaustedError extends Error {}

/** Starts the budget of an evaluation. One variable is enough, because an evaluation is synchronous. */
export function startBudget(): void {
  evaluations++;
  begun = shared ? shared.most(steps) : steps;
  left = begun;
}

/** Ends the budget of an evaluation. Code outside of evaluations that compares values has no step limit. */
export function endBudget(): void {
  const taken = begun - left;
  countSteps(taken);
  shared?.take(taken);
  left = Infinity;
}

/** Returns the number of the current evaluation, for costs that are charged once in each. */
export function currentEvaluation(): number {
  return evaluations;
}

/** Steps of throwing an error and continuing after it. */
const stepsOfError = 6;

/** Charges an error that an operator ignores. */
export function spendOnError(): void {
  spend(stepsOfError);
}

/**
 * Charges the cost of an operation to the evaluation before the operation runs. Every operation that takes longer for
 * larger values calls this function.
 */
export function spend(cost: number): void {
  left -= cost;
  if (left < 0) throw new BudgetExhaustedError();
}

export function spendOnText(characters: number): void {
  spend(characters / charactersPerStep);
}

/** Returns the error to report for a failed evaluation: an evaluation that cost too much has no value. */
export function evaluationFailure(error: unknown, at: number): unknown {
  if (!(error instanceof BudgetExhaustedError)) return error;
  const what = begun < steps ? 'The expression and those before it take' : 'The expression takes';
  return new EvaluationError(`${what} too many steps for this event: use smaller lists.`, at);
}
