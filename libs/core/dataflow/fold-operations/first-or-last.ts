import { anyButNull } from '#cel';
import { storedText, type FoldOperation } from './fold-operation.js';
import { comparePositions, type FoldEventSortKey } from './position.js';

/** The chosen value as JSON text, with the position of its event; null before the first value. */
type PositionedValue = null | readonly [value: string, position: FoldEventSortKey];

/**
 * Returns the operation for the value with the lowest position (`sign` 1) or the highest (-1); null without values.
 */
function firstOrLast(sign: 1 | -1): FoldOperation<PositionedValue> {
  const isPast = (state: PositionedValue, position: FoldEventSortKey) =>
    state !== null && sign * comparePositions(position, state[1]) >= 0;
  return {
    takes: anyButNull,
    resultType: 'value',
    empty: null,
    add: (state, value, position) => (isPast(state, position) ? state : [storedText(value), position]),
    merge: (a, b) => (b === null || isPast(a, b[1]) ? a : b),
    result: (state) => (state === null ? 'null' : state[0]),
  };
}

/** `first`: the value with the earliest event time, then the lowest partition and offset. */
export const first = firstOrLast(1);

/** `last`: the value with the latest event time, then the highest partition and offset. */
export const last = firstOrLast(-1);
