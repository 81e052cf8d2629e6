import { EvaluationError } from '#cel';
import { kindsOf, namesOfKinds } from '#cel';
import type { Value } from '#cel';
import { compileFields, type Field, type FoldField } from './compile-fields.js';
import { expressionDetail } from '../definition/definition-error.js';
import type { FoldEvent } from './fold-event.js';
import { RefusedError } from '../fold-operations/fold-operation.js';
import type { Json } from '../fold-operations/json.js';

/** What a fold knows after some events: one state for each field, in the definition's order. Plain JSON. */
export type FoldState = readonly Json[];

/** Why an event was not folded, with a pointer into the definition. */
export interface Refused {
  readonly pointer: string;
  readonly detail: string;
}

/** The state with the event, or why the state stays as it was. */
export type FoldOutcome =
  | { readonly state: FoldState; readonly refused?: undefined }
  | { readonly state?: undefined; readonly refused: Refused };

/**
 * A definition's fields, compiled. It is pure: no clock, no I/O; states are replaced, never changed. Folding in pieces
 * and merging their states gives what folding all events at once gives, in whatever order they come.
 */
export interface Fold {
  readonly empty: FoldState;
  add(state: FoldState, event: FoldEvent): FoldOutcome;
  merge(a: FoldState, b: FoldState): FoldState;
  /** Results by field, as JSON text each: numbers may have more digits than a double. */
  results(state: FoldState): Record<string, string>;
  /** The same as the text of one object, in the definition's order. */
  result(state: FoldState): string;
}

/** @throws DefinitionError with every error of every field, under /fields. */
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
  };
}

function add(fields: readonly Field[], state: FoldState, event: FoldEvent): FoldOutcome {
  const next = new Array<Json>(fields.length);
  let at = 0;
  try {
    for (; at < fields.length; at++) next[at] = added(fields[at]!, state[at] as Json, event);
    return { state: next };
  } catch (error) {
    return { refused: { pointer: `/fields/${fields[at]!.name}/value`, detail: refusal(error) } };
  }
}

/** The field's state with the event. A value of null adds nothing. */
function added({ operation, value }: Field, state: Json, event: FoldEvent): Json {
  if (!value) return operation.add(state, null, event.position);
  const found = value(event);
  if (found === null) return state;
  checkKind(found, operation.takes ?? 0);
  return operation.add(state, found, event.position);
}

function checkKind(value: Value, takes: number): void {
  const kind = kindsOf(value);
  if (kind & takes) return;
  throw new RefusedError(`This is ${namesOfKinds(kind)}, but ${namesOfKinds(takes)} is needed.`);
}

function refusal(error: unknown): string {
  if (error instanceof EvaluationError) return expressionDetail(error);
  if (error instanceof RefusedError) return error.message;
  throw error;
}
