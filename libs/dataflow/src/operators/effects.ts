import { operators as known } from './index.js';
import type { OperatorEffect, OperatorList, OperatorDefinition } from './operator.js';

/** Returns the external effects of operators, in the order of the definition. @param operators are valid */
export function effectsOf(
  operators: readonly OperatorDefinition[],
  pointer = '/operators',
): OperatorEffect[] {
  return operators.flatMap((operator, i) =>
    Object.entries(operator).flatMap(([name, spec]) => {
      const at = `${pointer}/${i}/${name}`;
      const lists = known[name]?.lists?.(spec, at) ?? [];
      return [...(known[name]?.effects?.(spec, at) ?? []), ...lists.flatMap(effectsOfList)];
    }),
  );
}

function effectsOfList({ operators, pointer }: OperatorList): OperatorEffect[] {
  return effectsOf(operators, pointer);
}
