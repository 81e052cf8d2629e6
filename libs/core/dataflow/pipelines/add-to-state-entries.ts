import { StepBudget, withinBudget } from '#cel';
import type { PipelineEvent, KeyedOperator, StateEntry, OperatorOutcome } from '../flow/pipeline.js';

/** What adding one event to all its state entries in a keyed stage changes and produces. */
export interface StateEntriesAddResult {
  /** The changed state entries, each with its name. */
  readonly rows: readonly (readonly [name: string, row: StateEntry])[];
  readonly results: readonly PipelineEvent[];
  /** A drop, late or fail outcome of the event; undefined if the state entries took the event. */
  readonly outcome: OperatorOutcome | undefined;
}

/**
 * Adds an event to all its state entries, or to none if one of them fails it: the dead letter may be replayed, and
 * would count twice in the entries that took it. All evaluations share one step budget.
 */
export function addToStateEntries(
  operator: KeyedOperator,
  there: CurrentEntries,
  arrival: ArrivingEvent,
): StateEntriesAddResult {
  return withinBudget(new StepBudget(), () => addToAll(operator, there, arrival));
}

type ArrivingEvent = Parameters<KeyedOperator['add']>[2];

interface CurrentEntries {
  readonly names: readonly string[];
  readonly rowOf: (name: string) => StateEntry | undefined;
}

function addToAll(
  operator: KeyedOperator,
  { names, rowOf }: CurrentEntries,
  arrival: ArrivingEvent,
): StateEntriesAddResult {
  const rows: (readonly [string, StateEntry])[] = [];
  const results: PipelineEvent[] = [];
  let outcome: OperatorOutcome | undefined;
  for (const name of names) {
    const step = operator.add(rowOf(name), name, arrival);
    if (step.outcome?.kind === 'fail') return { rows: [], results: [], outcome: step.outcome };
    if (step.row) rows.push([name, step.row]);
    results.push(...step.results);
    outcome ??= step.outcome;
  }
  return { rows, results, outcome };
}
