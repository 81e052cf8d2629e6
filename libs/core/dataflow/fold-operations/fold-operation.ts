import {
  EvaluationError,
  numberBounds,
  scaledDecimal,
  toJson,
  type CelNumber,
  type CelValue,
  type KindSet,
  type ScaledDecimal,
} from '#cel';
import { expressionDetail } from '../definition/definition-error.js';
import type { FoldEventSortKey } from './position.js';

/** A JSON value. The value remains the same after JSON.stringify and JSON.parse. */
export type Json =
  null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json | undefined };

/**
 * The aggregation of one field of a fold. Pure: `add` and `merge` return a new state, plain JSON of limited size.
 * Events may be split into groups in any way and order: merging their states gives the same result as folding all
 * events at once.
 */
export interface FoldOperation<State extends Json = Json> {
  /** The kinds of values that the operation accepts; undefined if it takes no value. */
  readonly takes: KindSet | undefined;
  /** The kinds of values of the expression `by`; with it, the value to add is the list of `by` and `value`. */
  readonly takesBy?: KindSet;
  /** The member of a field's definition that the operation requires besides its expressions. */
  readonly parameter?: FoldParameter;
  /** True if the operation's results are lists or objects, which have no order; queries cannot sort by such a field. */
  readonly unordered?: true;
  /** The type of the result, which determines the field's columns in the SQL of analysts. */
  readonly resultType: FoldResultType;
  /** The state before the first event. Merging it into another state changes nothing. */
  readonly empty: State;
  /** Returns the state after one more event; `value` is null without `takes`. @throws FoldRejectedError */
  add(state: State, value: CelValue, position: FoldEventSortKey): State;
  /** Returns the state that folding the events of both states would give. Merging is commutative and associative. */
  merge(a: State, b: State): State;
  /** Returns the value of the field as JSON text. Numbers in the text may have more digits than a double. */
  result(state: State): string;
  /** Returns the items of the result as JSON texts; only for the result type `list`. */
  items?(state: State): readonly string[];
}

/** A number or a list of numbers in the definition of a field. */
export interface FoldParameter {
  readonly name: 'n' | 'p';
  /** Returns the operation with this parameter. @throws DefinitionError at the pointer */
  apply(value: unknown, pointer: string): FoldOperation;
}

/** An integer from 0, an exact decimal number, a number or null, a single value, a list of any length or other JSON. */
export type FoldResultType = 'count' | 'sum' | 'mean' | 'value' | 'list' | 'json';

/** Error: a fold operation cannot add the value of an event, for example because the value is too large. */
export class FoldRejectedError extends Error {
  override readonly name = 'FoldRejectedError';

  /** @param member the member of the field's definition that gave the value */
  constructor(
    message: string,
    readonly member: 'value' | 'by' = 'value',
  ) {
    super(message);
  }
}

/** Calls `compute`; its errors reject the event at this member of the field's definition. @throws FoldRejectedError */
export function rejectedIn<T>(member: 'value' | 'by', compute: () => T): T {
  try {
    return compute();
  } catch (error) {
    if (error instanceof EvaluationError) throw new FoldRejectedError(expressionDetail(error), member);
    if (error instanceof FoldRejectedError) throw new FoldRejectedError(error.message, member);
    throw error;
  }
}

/** Maximum number of characters of JSON text that `min`, `max`, `first`, `last` and `merge` store for a value. */
const valueCharacters = 64 * 1024;

/** Returns the JSON text of a value that a state stores. @throws FoldRejectedError if the text is longer than `maxLength` */
export function storedText(value: CelValue, maxLength: number = valueCharacters): string {
  const text = toJson(value, { maxLength });
  if (text !== undefined) return text;
  throw new FoldRejectedError(`A stored value has at most ${maxLength} characters of JSON.`);
}

/** Returns the exact decimal of a number. @throws FoldRejectedError for more than 308 digits before its point or 400 after */
export function exactNumber(value: CelNumber): ScaledDecimal {
  const exact = scaledDecimal(value);
  if (exact) return exact;
  throw new FoldRejectedError(`A number has at most ${numberBounds}.`);
}
