import { operators as known } from './index.js';
import type { OperatorExternalReference, OperatorJsonList, OperatorJson } from './operator.js';

/**
 * Returns what valid operators, also those in branches, write, post to and look up, in the order of the definition.
 */
export function effectsOf(
  operators: readonly OperatorJson[],
  pointer = '/operators',
): OperatorExternalReference[] {
  return operators.flatMap((operator, i) =>
    Object.entries(operator).flatMap(([name, spec]) => {
      const at = `${pointer}/${i}/${name}`;
      const lists = known[name]?.lists?.(spec, at) ?? [];
      return [...(known[name]?.effects?.(spec, at) ?? []), ...lists.flatMap(effectsOfList)];
    }),
  );
}

function effectsOfList({ operators, pointer }: OperatorJsonList): OperatorExternalReference[] {
  return effectsOf(operators, pointer);
}
