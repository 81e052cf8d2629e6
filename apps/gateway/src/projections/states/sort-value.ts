import { compareUtf8 } from '#event';
import { compareNumeric, Decimal } from '#cel';

/** What a field is sorted by: a number as the JSON text that it has, the beginning of a text, or neither. */
export type SortValue = readonly ['number' | 'text' | 'none', string];

/** Characters of a text that count: it goes into cursors. */
const textCharacters = 128;
const ranks = { number: 0, text: 1, none: 2 } as const;

/** @param json a result of a fold. Lists and objects have no order, and are sorted like null. */
export function sortValue(json: string): SortValue {
  if (/^[-\d]/.test(json)) return ['number', json];
  if (json.startsWith('"')) return ['text', (JSON.parse(json) as string).slice(0, textCharacters)];
  return json === 'true' || json === 'false' ? ['text', json] : ['none', ''];
}

/** A value that a cursor holds; undefined where it is none. */
export function isSortValue(value: unknown): value is SortValue {
  if (!Array.isArray(value) || value.length !== 2) return false;
  const [kind, text] = value as unknown[];
  return typeof kind === 'string' && Object.hasOwn(ranks, kind) && typeof text === 'string';
}

/**
 * Numbers by size, exactly, then texts by their code points. What has no order comes last, whichever the direction.
 * @param sign 1 ascending, -1 descending
 */
export function compareSortValues(a: SortValue, b: SortValue, sign: 1 | -1): number {
  const [kindA, textA] = a;
  const [kindB, textB] = b;
  if (kindA === 'none' || kindB === 'none') return ranks[kindA] - ranks[kindB];
  if (kindA !== kindB) return sign * (ranks[kindA] - ranks[kindB]);
  return sign * (kindA === 'number' ? compareNumbers(textA, textB) : compareUtf8(textA, textB));
}

/** Two different doubles are in the order of what they were made of; only the same ones need all digits. */
function compareNumbers(a: string, b: string): number {
  const [x, y] = [Number(a), Number(b)];
  if (x !== y) return x < y ? -1 : 1;
  return a === b ? 0 : (compareNumeric(new Decimal(a), new Decimal(b)) ?? 0);
}
