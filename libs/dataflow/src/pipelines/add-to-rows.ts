import { StepBudget, withinBudget } from '#cel';
import type { FlowEvent, KeyedOperator, KeyedRow, Outcome } from '../flow/flow.js';

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
 * come again, and would be counted twice in the others. All evaluations share the steps of one.
 */
export function addToRows(operator: KeyedOperator, there: There, arrival: Arrival): Added {
  return withinBudget(new StepBudget(), () => addToAll(operator, there, arrival));
}

type Arrival = Parameters<KeyedOperator['add']>[2];

interface There {
  readonly names: readonly string[];
  readonly rowOf: (name: string) => KeyedRow | undefined;
}

function addToAll(operator: KeyedOperator, { names, rowOf }: There, arrival: Arrival): Added {
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
