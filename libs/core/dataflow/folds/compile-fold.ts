import { EvaluationError, kindsOf, namesOfKinds, type CelValue } from '#cel';
import { compileFields, type CompiledField, type FoldField } from './compile-fields.js';
import { expressionDetail } from '../definition/definition-error.js';
import type { FoldEvent } from './fold-event.js';
import { FoldRejectedError } from '../fold-operations/fold-operation.js';
import type { Json } from '../fold-operations/fold-operation.js';

/** The state of a fold, as plain JSON: one state for each field, in the order of the definition. */
export type FoldState = readonly Json[];

/** The reason why an event cannot be folded, with a JSON pointer into the definition. */
export interface FoldRejection {
  readonly pointer: string;
  readonly detail: string;
}

/** The new state, or the reason why the event was rejected and the state is unchanged. */
type FoldAddResult =
  | { readonly state: FoldState; readonly refused?: undefined }
  | { readonly state?: undefined; readonly refused: FoldRejection };

/**
 * The compiled fields of a projection or a `reduce`. Pure: all methods return new states. Events may be split into
 * groups in any way and order: merging the states of the groups equals folding all events at once.
 */
export interface Fold {
  readonly empty: FoldState;
  add(state: FoldState, event: FoldEvent): FoldAddResult;
  merge(a: FoldState, b: FoldState): FoldState;
  /** Returns the result of each field by its name, as JSON text. Numbers may have more digits than a double. */
  results(state: FoldState): Record<string, string>;
  /** Returns the results of all fields as the JSON text of one object, in the order of the definition. */
  result(state: FoldState): string;
  /** Returns the results for SQL views: a line of JSON for each field, and tabs between the items of a list. */
  lines(state: FoldState): string;
}

/** Compiles a fold. @throws DefinitionError with every error of every field, under /fields */
export function compileFold(definition: Readonly<Record<string, FoldField>>): Fold {
  const fields = compileFields(definition);
  const operations = fields.map(({ operation }) => operation);
  const results = (state: FoldState) =>
    fields.map(({ name, operation }, i): [string, string] => [name, operation.result(state[i] as Json)]);
  return {
    empty: operations.map(({ empty }) => empty),
    add: (state, event) => add(fields, state, event),
    merge: (a, b) => operations.map((operation, i) => operation.merge(a[i] as Json, b[i] as Json)),
    results: (state) => Object.fromEntries(results(state)),
    result: (state) =>
      `{${results(state)
        .map(([name, text]) => `"${name}":${text}`)
        .join(',')}}`,
    lines: (state) =>
      operations
        .map((operation, i) =>
          operation.items ? operation.items(state[i] as Json).join('\t') : operation.result(state[i] as Json),
        )
        .join('\n'),
  };
}

function add(fields: readonly CompiledField[], state: FoldState, event: FoldEvent): FoldAddResult {
  const next = new Array<Json>(fields.length);
  let at = 0;
  try {
    for (; at < fields.length; at++) next[at] = added(fields[at]!, state[at] as Json, event);
    return { state: next };
  } catch (error) {
    return { refused: { pointer: `/fields/${fields[at]!.name}/value`, detail: refusal(error) } };
  }
}

/** Returns the state of a field after an event. An event with a null value does not change the state. */
function added({ operation, value }: CompiledField, state: Json, event: FoldEvent): Json {
  if (!value) return operation.add(state, null, event.position);
  const found = value(event);
  if (found === null) return state;
  checkKind(found, operation.takes ?? 0);
  return operation.add(state, found, event.position);
}

function checkKind(value: CelValue, takes: number): void {
  const kind = kindsOf(value);
  if (kind & takes) return;
  throw new FoldRejectedError(`This is ${namesOfKinds(kind)}, but ${namesOfKinds(takes)} is needed.`);
}

function refusal(error: unknown): string {
  if (error instanceof EvaluationError) return expressionDetail(error);
  if (error instanceof FoldRejectedError) return error.message;
  throw error;
}
