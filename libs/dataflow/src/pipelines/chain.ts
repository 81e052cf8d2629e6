import { StepBudget, withinBudget } from '#cel';
import type { Step } from '../operators/operator.js';
import { readable } from './flow-event.js';
import type { Chain, FlowEvent, Outcome } from './flow.js';
import { Run, type Known } from './run.js';

/** The same steps twice: those of a trace tell of each operator that let an event pass. */
export interface Steps {
  readonly plain: Step;
  readonly traced: Step;
}

/** The chain of a stage. All evaluations of one call share the steps of one. */
export function operatorChain({ plain, traced }: Steps, { looksUp }: { looksUp: boolean }): Chain {
  const runOf = (step: Step, flow: FlowEvent, known: Known) => {
    const run = new Run(known);
    withinBudget(new StepBudget(), () => step(readable(flow), run));
    return run;
  };
  const complete = (run: Run) => {
    if (run.missing.length === 0) return run.outcomes;
    throw new RangeError('run() before everything that lookups() names is known');
  };
  return {
    looksUp,
    lookups: (flow, known) => (looksUp ? runOf(plain, flow, known).missing : []),
    // Plain steps make no passes.
    run: (flow, tables) => complete(runOf(plain, flow, tables)) as Outcome[],
    trace: (flow, tables) => complete(runOf(traced, flow, tables)),
  };
}
