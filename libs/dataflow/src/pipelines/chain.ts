import { StepBudget, withinBudget } from '#cel';
import { EvaluationContext, type KnownStates } from '../flow/evaluation-context.js';
import { readableEvent } from '../flow/readable-event.js';
import type { OperatorChain, PipelineEvent, OperatorOutcome } from '../flow/pipeline.js';
import type { Step } from '../flow/step.js';
import { uncounted } from '../flow/step-counts.js';
import type { StepFactory } from '../operators/operator.js';

/** The kinds of data that the operators of a chain read. */
export interface ChainReads {
  /** True if one of the operators reads a projection. */
  readonly looksUp: boolean;
}

/** Returns the chain of a stage. All evaluations of one call share one step budget. */
export function operatorChain(make: StepFactory, { looksUp }: ChainReads): OperatorChain {
  const [plain, traced] = [make(false), make(true)];
  const evaluate = (step: Step, flow: PipelineEvent, known: KnownStates, counts = uncounted) => {
    const context = new EvaluationContext(known, counts);
    withinBudget(new StepBudget(), () => step(readableEvent(flow), context));
    return context;
  };
  const complete = (context: EvaluationContext) => {
    if (context.missing.length === 0) return context.outcomes;
    throw new RangeError('run() was called before all answers to lookups() are known');
  };
  return {
    looksUp,
    lookups: (flow, known) => (looksUp ? evaluate(plain, flow, known).missing : []),
    // Steps without a trace return no `pass` entries.
    run: (flow, tables, counter) =>
      complete(evaluate(plain, flow, tables, counter?.numbers)) as OperatorOutcome[],
    trace: (flow, tables) => complete(evaluate(traced, flow, tables)),
  };
}
