import { toJson, type CelValue, type KindSet } from '#cel';
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

/** An integer from 0, an exact decimal number, a number or null, any JSON value, a list or an object. */
export type FoldResultType = 'count' | 'sum' | 'mean' | 'value' | 'list' | 'object';

/** Error: a fold operation cannot add the value of an event, for example because the value is too large. */
export class FoldRejectedError extends Error {
  override readonly name = 'FoldRejectedError';
}

/** Maximum number of characters of JSON text that `min`, `max`, `first`, `last` and `merge` store for a value. */
const valueCharacters = 64 * 1024;

/** Returns the JSON text of a value that a state stores. @throws FoldRejectedError if the text is longer than `maxLength` */
export function storedText(value: CelValue, maxLength: number = valueCharacters): string {
  const text = toJson(value, { maxLength });
  if (text !== undefined) return text;
  throw new FoldRejectedError(`A stored value has at most ${maxLength} characters of JSON.`);
}
