import { StepBudget, withinBudget } from '#cel';
import { EventOutcomeCollector } from './flow/event-outcome-collector.js';
import { readableEvent } from './flow/lazily-parsed-event.js';
import type { OperatorChain, PipelineEvent, OperatorOutcome } from './flow/pipeline.js';
import type { OperatorFunction } from './flow/step.js';
import { uncounted } from './flow/operator-event-counts.js';
import type { OperatorFunctionFactory } from './operators/operator.js';

/**
 * Returns the chain of a stage's stateless operators. All evaluations of one call share one step budget.
 * @param slot index in `OperatorEventCounter.numbers` of the count of events that enter; undefined if counted elsewhere
 */
export function operatorChain(
  make: OperatorFunctionFactory,
  { looksUp }: Pick<OperatorChain, 'looksUp'>,
  slot?: number,
): OperatorChain {
  const [plain, traced] = [make(false), make(true)];
  const evaluate = (step: OperatorFunction, flow: PipelineEvent, context: EventOutcomeCollector) => {
    withinBudget(new StepBudget(), () => step(readableEvent(flow), context));
    return context;
  };
  const complete = (context: EventOutcomeCollector) => {
    if (context.missing.length === 0) return context.outcomes;
    throw new RangeError('run() was called before all answers to lookups() are known');
  };
  return {
    looksUp,
    lookups: (flow, known) =>
      looksUp ? evaluate(plain, flow, new EventOutcomeCollector(known)).missing : [],
    // Steps without a trace return no `pass` entries.
    run: (flow, tables, counter) => {
      const numbers = counter?.numbers ?? uncounted;
      if (slot !== undefined) numbers[slot]! += 1;
      return complete(evaluate(plain, flow, new EventOutcomeCollector(tables, numbers))) as OperatorOutcome[];
    },
    trace: (flow, tables) => complete(evaluate(traced, flow, new EventOutcomeCollector(tables))),
  };
}
