import { StepBudget, withinBudget } from '#cel';
import type { FlowEvent, KeyedOperator, KeyedRow, Outcome } from '../flow/flow.js';

/** The result of adding an event to the state entries of a keyed stage. */
export interface Added {
  /** The changed entries, by name. */
  readonly rows: readonly (readonly [name: string, row: KeyedRow])[];
  readonly results: readonly FlowEvent[];
  /** A drop, late or fail outcome; undefined if the entries took the event. */
  readonly outcome: Outcome | undefined;
}

/**
 * Adds an event to all its state entries, or to none if one of them fails it. The failed event becomes a dead letter
 * that may be replayed, and would then be counted twice in the other entries. All evaluations together share one step
 * budget.
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
