import { createHash } from 'node:crypto';
import { anyButNull } from '#cel';
import { toJson } from '#cel';
import type { Value } from '#cel';
import { RefusedError, type FoldOperation } from './fold-operation.js';
import { addToRegisters, emptyRegisters, estimate, mergeRegisters, type Registers } from './hyperloglog.js';

/** Different values in order, or the registers of a HyperLogLog of more of them. */
type Distinct = readonly string[] | Registers;

/** Up to so many different values the count is exact. */
const exactValues = 1000;

/** Characters of JSON of a value; a larger one is refused. */
const valueCharacters = 64 * 1024;

/** Longer values are kept as hashes. */
const keptCharacters = 40;

/**
 * How many different values there are: exactly up to 1 000, then estimated by a HyperLogLog with a standard error of
 * 1.63 %. 5 and 5.0 are one value, 5 and "5" are two; lists and objects are equal where their members are.
 */
export const countDistinct: FoldOperation<Distinct> = {
  takes: anyButNull,
  empty: [],
  add: (state, value) => addText(state, identity(value)),
  merge: (a, b) => {
    if (typeof a === 'string' && typeof b === 'string') return mergeRegisters(a, b);
    if (typeof b === 'string') return addAll(b, a as readonly string[]);
    return addAll(a, b);
  },
  result: (state) => String(typeof state === 'string' ? estimate(state) : state.length),
};

function identity(value: Value): string {
  const text = toJson(value, { maxLength: valueCharacters, sorted: true });
  if (text === undefined) {
    throw new RefusedError(`A value that is counted has at most ${valueCharacters} characters of JSON.`);
  }
  if (text.length <= keptCharacters) return text;
  return `#${createHash('sha256').update(text).digest('base64url').slice(0, 22)}`;
}

function addText(state: Distinct, text: string): Distinct {
  if (typeof state === 'string') return addToRegisters(state, text);
  const at = placeOf(state, text);
  if (state[at] === text) return state;
  if (state.length === exactValues) {
    return addToRegisters(state.reduce(addToRegisters, emptyRegisters), text);
  }
  return [...state.slice(0, at), text, ...state.slice(at)];
}

function addAll(state: Distinct, texts: readonly string[]): Distinct {
  return texts.reduce(addText, state);
}

/** Where it stands in order, or would stand. */
function placeOf(texts: readonly string[], text: string): number {
  let [low, high] = [0, texts.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (texts[middle]! < text) low = middle + 1;
    else high = middle;
  }
  return low;
}
