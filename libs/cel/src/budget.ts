import { countSteps } from '#async';
import { EvaluationError } from './errors.js';

/**
 * What one evaluation may cost, and all evaluations of one definition for one event together. A step is about what
 * comparing two numbers costs, or looking at 64 characters: 100 ms at most for the largest event.
 */
const steps = 400_000;

const charactersPerStep = 64;

/**
 * What several evaluations may cost together, in steps: those of one definition for one event, or of one request such as a
 * dry run. A budget that is made within another one takes from that, too.
 */
export class StepBudget {
  private taken = 0;
  private readonly outer = shared;

  constructor(private left = steps) {}

  /** Steps that evaluations have taken; the last one may have taken a little more than there was. */
  get spent(): number {
    return this.taken;
  }

  /** Whether evaluations were cut short because they cost more than this. */
  get isSpent(): boolean {
    return this.left <= 0;
  }

  /** Steps that an evaluation may take of those that it may take at most. */
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

/** Runs work that waits for nothing: what its evaluations cost is taken from this budget. */
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
/** What the evaluation began with. */
let begun = 0;
let evaluations = 0;
let shared: StepBudget | undefined;

/** Not an EvaluationError, so that no operator absorbs it and goes on. */
class ExhaustedError extends Error {}

/** Before each evaluation. There is one budget, because an evaluation never waits for anything. */
export function startBudget(): void {
  evaluations++;
  begun = shared ? shared.most(steps) : steps;
  left = begun;
}

/** After it: what else compares values is not bounded by steps. */
export function endBudget(): void {
  const taken = begun - left;
  countSteps(taken);
  shared?.take(taken);
  left = Infinity;
}

/** The number of this evaluation, for what is charged once in each. */
export function currentEvaluation(): number {
  return evaluations;
}

/** What throwing an error takes, and going on after it, in steps. */
const stepsOfError = 6;

/** For an error that an operator passes over. */
export function spendOnError(): void {
  spend(stepsOfError);
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
  const what = begun < steps ? 'The expression and those before it take' : 'The expression takes';
  return new EvaluationError(`${what} too many steps for this event: use smaller lists.`, at);
}
