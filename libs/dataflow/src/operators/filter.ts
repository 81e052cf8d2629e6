import { kinds } from '#cel';
import { attempting, compileOperand, type Operator } from './operator.js';

/**
 * `filter`: lets events pass for which the condition is true. Numbers are compared exactly. Where the condition has no
 * value for an event (a missing member, a wrong type), the event fails; `has(event.data.x)` asks before.
 * @throws DefinitionError
 */
export function compileFilter(spec: unknown, at: string): Operator {
  const condition = attempting(compileOperand(spec, at, kinds.boolean), at);
  return (next) => (flow, run) => {
    const passes = condition(flow, run);
    if (passes === true) next(flow, run);
    else if (passes === false)
      run.outcomes.push({ kind: 'drop', at, reason: 'The condition is false.', flow });
  };
}
