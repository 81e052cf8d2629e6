import type { Kinds } from '#cel';
import type { Value } from '#cel';
import type { Json } from './json.js';
import type { Position } from './position.js';

/**
 * What a field of a fold does with the values of events. It is pure, and states are never changed but replaced: plain
 * JSON, bounded in size. Where events are folded in pieces, in any order, and the pieces' states are merged, the result
 * is that of folding all at once.
 */
export interface FoldOperation<State extends Json = Json> {
  /** The kinds of values that it takes; undefined when it takes none. */
  readonly takes: Kinds | undefined;
  /** True if results are lists or objects: nothing can be sorted by them. */
  readonly unordered?: true;
  /** The state of no event; merging it changes nothing. */
  readonly empty: State;
  /**
   * @param value of a kind that it takes; null where it takes none.
   * @throws RefusedError, and then nothing was added.
   */
  add(state: State, value: Value, position: Position): State;
  /** Commutative and associative. */
  merge(a: State, b: State): State;
  /** What readers see, as JSON text: its numbers may have more digits than a double. */
  result(state: State): string;
}

/** The value of an event cannot be folded. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
}
