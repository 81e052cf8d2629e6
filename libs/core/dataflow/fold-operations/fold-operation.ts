import type { KindSet, CelValue } from '#cel';
import type { Json } from './json.js';
import type { FoldEventSortKey } from './position.js';

/**
 * The aggregation of one field of a fold. A fold operation is pure. The state of a fold operation is plain JSON of
 * limited size. The methods `add` and `merge` return a new state and never modify a given state. Events may be split
 * into groups in any way and order: merging the states of the groups gives the same result as folding all events at
 * once.
 */
export interface FoldOperation<State extends Json = Json> {
  /**
   * The kinds of CEL values that the operation accepts; undefined if a field with this operation has no value
   * expression.
   */
  readonly takes: KindSet | undefined;
  /** True if the operation's results are lists or objects, which have no order; queries cannot sort by such a field. */
  readonly unordered?: true;
  /** The type of the result, which determines the field's columns in the SQL of analysts. */
  readonly resultType: FoldResultType;
  /** The state before the first event. Merging it into another state changes nothing. */
  readonly empty: State;
  /**
   * Returns the state of the field after one more event.
   * @param value of a kind in `takes`; null if `takes` is undefined
   * @throws FoldRejectedError if the value cannot be added
   */
  add(state: State, value: CelValue, position: FoldEventSortKey): State;
  /** Returns the state that folding the events of both states would give. Merging is commutative and associative. */
  merge(a: State, b: State): State;
  /** Returns the value of the field as JSON text. Numbers in the text may have more digits than a double. */
  result(state: State): string;
  /** Returns the items of the result as JSON texts; only for the result type `list`. */
  items?(state: State): readonly string[];
}

/**
 * Type of the result of a fold operation: an integer from 0, an exact decimal number, a number or null, any JSON value, a
 * list or an object.
 */
export type FoldResultType = 'count' | 'sum' | 'mean' | 'value' | 'list' | 'object';

/** Error: a fold operation cannot add the value of an event, for example because the value is too large. */
export class FoldRejectedError extends Error {
  override readonly name = 'FoldRejectedError';
}
