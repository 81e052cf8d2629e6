import type { OperatorSpec } from '#dataflow';

/** An operator, and where it stands in the definition: `/operators/3/branch/0/operators/1`. */
export interface PlacedOperator {
  at: string;
  operator: OperatorSpec;
}

/** All operators, those of branches among them, in the order of the definition. */
export function placedOperators(
  operators: readonly OperatorSpec[],
  pointer = '/operators',
): readonly PlacedOperator[] {
  return operators.flatMap((operator, i) => {
    const at = `${pointer}/${i}`;
    const inside = 'branch' in operator ? operator.branch : [];
    const branches = inside.map((branch, k) =>
      placedOperators(branch.operators, `${at}/branch/${k}/operators`),
    );
    return [{ at, operator }, ...branches.flat()];
  });
}

/** A stream that a pipeline writes to, and the pointer to where the definition says so. */
export interface Target {
  stream: string;
  pointer: string;
}

/** Everywhere that a pipeline writes to, what is late among it. */
export function targetsOf({ at, operator }: PlacedOperator): Target[] {
  if ('emit' in operator) return [{ stream: operator.emit.stream, pointer: `${at}/emit/stream` }];
  if (!('window' in operator) || !operator.window.late) return [];
  return [{ stream: operator.window.late.stream, pointer: `${at}/window/late/stream` }];
}
