import { compareUtf8 } from '#json';
import { compareNumeric, DecimalText } from '#cel';

/** The sort value of a field: a number as its JSON text, the beginning of a text, or none. */
export type SortValue = readonly ['number' | 'text' | 'none', string];

/** Number of characters of a text that count for its order. The compared characters become part of cursors. */
const textCharacters = 128;
const ranks = { number: 0, text: 1, none: 2 } as const;

/**
 * Returns the sort value of a result. Lists and objects have no order, and sort like null.
 * @param json a result of a fold
 */
export function sortValue(json: string): SortValue {
  if (/^[-\d]/.test(json)) return ['number', json];
  if (json.startsWith('"')) return ['text', (JSON.parse(json) as string).slice(0, textCharacters)];
  return json === 'true' || json === 'false' ? ['text', json] : ['none', ''];
}

/** Whether a value from a cursor is a sort value. */
export function isSortValue(value: unknown): value is SortValue {
  if (!Array.isArray(value) || value.length !== 2) return false;
  const [kind, text] = value as unknown[];
  return typeof kind === 'string' && Object.hasOwn(ranks, kind) && typeof text === 'string';
}

/**
 * Compares numbers by their exact size, and texts by their code points. Numbers come before texts. Values without an
 * order come last in both directions.
 * @param sign 1 ascending, -1 descending
 */
export function compareSortValues(a: SortValue, b: SortValue, sign: 1 | -1): number {
  const [kindA, textA] = a;
  const [kindB, textB] = b;
  if (kindA === 'none' || kindB === 'none') return ranks[kindA] - ranks[kindB];
  if (kindA !== kindB) return sign * (ranks[kindA] - ranks[kindB]);
  return sign * (kindA === 'number' ? compareNumbers(textA, textB) : compareUtf8(textA, textB));
}

/**
 * Compares two numbers given as decimal text. If their values as doubles differ, the doubles decide. If the doubles are equal, the
 * function compares all digits of the texts.
 */
function compareNumbers(a: string, b: string): number {
  const [x, y] = [Number(a), Number(b)];
  if (x !== y) return x < y ? -1 : 1;
  return a === b ? 0 : (compareNumeric(new DecimalText(a), new DecimalText(b)) ?? 0);
}
