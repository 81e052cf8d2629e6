import { EvaluationError, type CelValue } from '#cel';
import { compileFields, type CompiledField, type FoldField } from './compile-fields.js';
import { expressionDetail } from '../definition/definition-error.js';
import type { FoldEvent } from './fold-event.js';
import type { FoldEventSortKey } from '../fold-operations/position.js';
import { FoldRejectedError } from '../fold-operations/fold-operation.js';
import type { Json } from '../fold-operations/fold-operation.js';

/** The state of a fold, as plain JSON: one state for each field, in the order of the definition. */
export type FoldState = readonly Json[];

/** The value of each field for one event, in the order of the definition; null for a field without one. */
export type FoldValues = readonly (null | boolean | number | string)[];

/** The reason why an event cannot be folded, with a JSON pointer into the definition. */
export interface FoldRejection {
  readonly pointer: string;
  readonly detail: string;
}

/** The new state, or the reason why the event was rejected and the state is unchanged. */
export type FoldAddResult =
  | { readonly state: FoldState; readonly refused?: undefined }
  | { readonly state?: undefined; readonly refused: FoldRejection };

/**
 * The compiled fields of a projection or a `reduce`. Pure: all methods return new states. Events may be split into
 * groups in any way and order: merging the states of the groups equals folding all events at once.
 */
export interface Fold {
  readonly empty: FoldState;
  add(state: FoldState, event: FoldEvent): FoldAddResult;
  /**
   * Returns the values of all fields for an event, which `addValues` adds in place of the event. Undefined if a value is
   * not short and plain JSON, or if the event would be rejected.
   */
  valuesOf(event: FoldEvent): FoldValues | undefined;
  /** Returns the state after an event of which the values and the position are known. */
  addValues(state: FoldState, values: FoldValues, position: FoldEventSortKey): FoldAddResult;
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
    add: (state, event) => {
      const { position } = event;
      return add(fields, state, { position, valueAt: (i) => fields[i]!.value?.(event) ?? null });
    },
    valuesOf: (event) => valuesOf(fields, event),
    addValues: (state, values, position) => add(fields, state, { position, valueAt: (i) => values[i]! }),
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

function add(
  fields: readonly CompiledField[],
  state: FoldState,
  { position, valueAt }: { position: FoldEventSortKey; valueAt: (index: number) => CelValue },
): FoldAddResult {
  const next = new Array<Json>(fields.length);
  let at = 0;
  try {
    for (; at < fields.length; at++) {
      const { operation, value } = fields[at]!;
      const [before, found] = [state[at] as Json, valueAt(at)];
      // An event with a null value does not change the state.
      next[at] = value && found === null ? before : operation.add(before, found, position);
    }
    return { state: next };
  } catch (error) {
    const { member, detail } = refusal(error);
    return { refused: { pointer: `/fields/${fields[at]!.name}/${member}`, detail } };
  }
}

/** Maximum number of characters of all values of an event that are worth sending with the event. */
const valuesCharacters = 256;

function valuesOf(fields: readonly CompiledField[], event: FoldEvent): FoldValues | undefined {
  const values: (null | boolean | number | string)[] = [];
  let characters = 0;
  try {
    for (const { value } of fields) {
      const found = value?.(event) ?? null;
      if (!isPlain(found)) return undefined;
      if (typeof found === 'string') characters += found.length;
      values.push(found);
    }
  } catch (error) {
    if (error instanceof EvaluationError || error instanceof FoldRejectedError) return undefined;
    throw error;
  }
  return characters > valuesCharacters ? undefined : values;
}

/** Returns whether a value is the same after JSON.stringify and JSON.parse, which lose the sign of zero. */
function isPlain(value: CelValue): value is null | boolean | number | string {
  if (typeof value === 'number') return Number.isFinite(value) && !Object.is(value, -0);
  return value === null || typeof value === 'boolean' || typeof value === 'string';
}

function refusal(error: unknown): { member: string; detail: string } {
  if (error instanceof EvaluationError) return { member: 'value', detail: expressionDetail(error) };
  if (error instanceof FoldRejectedError) return { member: error.member, detail: error.message };
  throw error;
}
