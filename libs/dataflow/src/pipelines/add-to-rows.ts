import type { FlowEvent, KeyedOperator, KeyedRow, Outcome } from './flow.js';

/** What becomes of an event in a keyed stage. */
export interface Added {
  /** By name, those that it changes. */
  readonly rows: readonly (readonly [name: string, row: KeyedRow])[];
  readonly results: readonly FlowEvent[];
  /** Undefined when it was taken. */
  readonly outcome: Outcome | undefined;
}

/**
 * Adds an event to all rows that are for it; or to none, when one of them fails it: as the dead letter that it becomes it may
 * come again, and would be counted twice in the others.
 */
export function addToRows(
  operator: KeyedOperator,
  { names, rowOf }: { names: readonly string[]; rowOf: (name: string) => KeyedRow | undefined },
  arrival: Parameters<KeyedOperator['add']>[2],
): Added {
  const rows: (readonly [string, KeyedRow])[] = [];
  const results: FlowEvent[] = [];
  let outcome: Outcome | undefined;
  for (const name of names) {
    const step = operator.add(rowOf(name), name, arrival);
    if (step.outcome?.kind === 'fail') return { rows: [], results: [], outcome: step.outcome };
    if (step.row) rows.push([name, step.row]);
    results.push(...step.results);
    outcome ??= step.outcome;
  }
  return { rows, results, outcome };
}
