import { createHash } from 'node:crypto';
import { anyButNull, toJson, type CelValue } from '#cel';
import { FoldRejectedError, type FoldOperation } from './fold-operation.js';
import {
  addToRegisters,
  emptyRegisters,
  estimate,
  mergeRegisters,
  type HyperLogLogRegisters,
} from './hyperloglog.js';

/** The sorted distinct values, or the registers of a HyperLogLog if there are more than 1 000. */
type CountDistinctState = readonly string[] | HyperLogLogRegisters;

const exactValues = 1000;

/** Maximum number of characters of a value as JSON text; an event with a larger value is rejected. */
const valueCharacters = 64 * 1024;

/** Maximum number of characters of a value that is stored as its text; a longer value is stored as a hash. */
const keptCharacters = 40;

/**
 * `count_distinct`: the number of distinct values, exact up to 1 000; above that, a HyperLogLog estimates it with a
 * standard error of 1.63 %. 5 and 5.0 are one value; 5 and "5" are two. Lists and objects are equal if their members
 * are.
 */
export const countDistinct: FoldOperation<CountDistinctState> = {
  takes: anyButNull,
  resultType: 'count',
  empty: [],
  add: (state, value) => addText(state, identity(value)),
  merge: (a, b) => {
    if (typeof a === 'string' && typeof b === 'string') return mergeRegisters(a, b);
    if (typeof b === 'string') return addAll(b, a as readonly string[]);
    return addAll(a, b);
  },
  result: (state) => String(typeof state === 'string' ? estimate(state) : state.length),
};

function identity(value: CelValue): string {
  const text = toJson(value, { maxLength: valueCharacters, sorted: true });
  if (text === undefined) {
    throw new FoldRejectedError(`A counted value has at most ${valueCharacters} characters of JSON.`);
  }
  if (text.length <= keptCharacters) return text;
  return `#${createHash('sha256').update(text).digest('base64url').slice(0, 22)}`;
}

function addText(state: CountDistinctState, text: string): CountDistinctState {
  if (typeof state === 'string') return addToRegisters(state, text);
  const at = indexOfText(state, text);
  if (state[at] === text) return state;
  if (state.length === exactValues) {
    return addToRegisters(state.reduce(addToRegisters, emptyRegisters), text);
  }
  return [...state.slice(0, at), text, ...state.slice(at)];
}

function addAll(state: CountDistinctState, texts: readonly string[]): CountDistinctState {
  return texts.reduce(addText, state);
}

/** Returns the index of a text in the sorted list, or the index at which to insert it. */
function indexOfText(texts: readonly string[], text: string): number {
  let [low, high] = [0, texts.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (texts[middle]! < text) low = middle + 1;
    else high = middle;
  }
  return low;
}
