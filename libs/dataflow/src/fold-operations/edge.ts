import { anyButNull } from '#cel';
import type { FoldOperation } from './fold-operation.js';
import { keptText } from './kept-text.js';
import { comparePositions, type Position } from './position.js';

/** The value as JSON text, with the position of its event. */
type Edge = null | readonly [value: string, position: Position];

/**
 * Returns the fold operation whose result is the value of the event with the lowest position (`sign` 1) or the highest
 * (-1), in whatever order events arrive. Without values the result is null.
 */
export function edge(sign: 1 | -1): FoldOperation<Edge> {
  const isPast = (state: Edge, position: Position) =>
    state !== null && sign * comparePositions(position, state[1]) >= 0;
  return {
    takes: anyButNull,
    empty: null,
    add: (state, value, position) => (isPast(state, position) ? state : [keptText(value), position]),
    merge: (a, b) => (b === null || isPast(a, b[1]) ? a : b),
    result: (state) => (state === null ? 'null' : state[0]),
  };
}
