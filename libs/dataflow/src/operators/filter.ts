import { kinds } from '#cel';
import { compileOperand } from '../flow/operand.js';
import { attempting } from '../flow/step.js';
import type { Operator } from './operator.js';

/**
 * `filter`: lets events pass for which the condition is true. Numbers are compared exactly. An event for which the condition
 * has no value (a missing member, a wrong type) fails; `has(event.data.x)` asks before.
 */
export const filter: Operator = {
  summary: 'an expression; other events are dropped.',
  compile(spec, { at }) {
    const condition = attempting(compileOperand(spec, at, kinds.boolean), at);
    return (next) => (flow, context) => {
      const passes = condition(flow, context);
      if (passes === true) next(flow, context);
      else if (passes === false)
        context.outcomes.push({ kind: 'drop', at, reason: 'The condition is false.', flow });
    };
  },
};
