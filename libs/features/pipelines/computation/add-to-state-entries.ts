import { StepBudget, withinBudget } from '#cel';
import type {
  PipelineEvent,
  KeyedOperator,
  StageResults,
  StateEntry,
  OperatorOutcome,
} from './flow/pipeline.js';

/** What adding one event to all its state entries in a keyed stage changes and produces. */
export interface StateEntriesAddResult {
  readonly rows: readonly (readonly [name: string, row: StateEntry])[];
  readonly results: StageResults;
  /** A drop, late or fail outcome of the event; undefined if the state entries took the event. */
  readonly outcome: OperatorOutcome | undefined;
}

/**
 * Adds an event to all its state entries, or to none if one of them fails it: the dead letter may be replayed, and
 * would count twice in the entries that took it. All evaluations share one step budget.
 */
export function addToStateEntries(
  operator: KeyedOperator,
  { names, rowOf }: { names: readonly string[]; rowOf: (name: string) => StateEntry | undefined },
  arrival: Parameters<KeyedOperator['add']>[2],
): StateEntriesAddResult {
  return withinBudget(new StepBudget(), () => {
    const rows: [string, StateEntry][] = [];
    const results: (PipelineEvent | undefined)[] = [];
    let outcome: OperatorOutcome | undefined;
    for (const name of names) {
      const added = operator.add(rowOf(name), name, arrival);
      if (added.outcome?.kind === 'fail') return { rows: [], results: [], outcome: added.outcome };
      if (added.row) rows.push([name, added.row]);
      results.push(...added.results);
      outcome ??= added.outcome;
    }
    return { rows, results, outcome };
  });
}
