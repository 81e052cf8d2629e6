import { kinds } from '#cel';
import { compileOperand } from '../flow/operand.js';
import { catchOperatorError } from '../flow/step.js';
import type { OperatorImplementation } from './operator.js';

/**
 * `filter`: passes on the events for which the condition is true. An event fails if the condition has no value for it
 * (a missing member, a wrong type); the condition can check with `has(event.data.x)`.
 */
export const filter: OperatorImplementation = {
  summary: 'a condition; an event for which it is false is dropped.',
  compile(spec, { at }) {
    const condition = catchOperatorError(compileOperand(spec, at, kinds.boolean), at);
    return (next) => (flow, context) => {
      const passes = condition(flow, context);
      if (passes === true) next(flow, context);
      else if (passes === false)
        context.outcomes.push({ kind: 'drop', at, reason: 'The condition is false.', flow });
    };
  },
};
