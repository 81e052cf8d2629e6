/** A value that rows are sorted by. */
export type SortValue = string | number | null | undefined;

export interface SortOrder {
  /** The name of the column. */
  name?: string;
  isDescending: boolean;
}

/** Rows that are shown as one until they are opened: rows with a common prefix, or one row without `prefix`. */
export interface RowGroup<T> {
  prefix?: string;
  rows: readonly T[];
}

/** A list with more rows than this is folded. */
const mostUnfolded = 20;

/** Reads an order from its text in a URL: the name of a column, after a minus if it is descending. */
export function sortOrderOf(text = ''): SortOrder {
  const isDescending = text.startsWith('-');
  return { name: (isDescending ? text.slice(1) : text) || undefined, isDescending };
}

/** Returns the order after a click on a column: numbers begin with the largest; the third click removes the order. */
export function nextSort(order: SortOrder, name: string, isNumber = false): SortOrder {
  if (order.name !== name) return { name, isDescending: isNumber };
  return order.isDescending === isNumber ? { name, isDescending: !isNumber } : { isDescending: false };
}

/** Returns the text of an order in a URL. */
export function sortText({ name, isDescending }: SortOrder): string | undefined {
  return name && (isDescending ? `-${name}` : name);
}

/** Returns the rows whose text contains all words of a search, in any case. */
export function matching<T>(rows: readonly T[], textOf: (row: T) => string, search: string): readonly T[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return rows;
  return rows.filter((row) => {
    const text = textOf(row).toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

const collator = new Intl.Collator('en', { numeric: true });

/** Returns the rows in the order of their values. Rows with equal values keep their order; rows without one are last. */
export function sorted<T>(
  rows: readonly T[],
  valueOf: (row: T) => SortValue,
  isDescending: boolean,
): readonly T[] {
  const sign = isDescending ? -1 : 1;
  return rows
    .map((row) => [row, valueOf(row) ?? undefined] as const)
    .sort(([, a], [, b]) => {
      if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined);
      return sign * compared(a, b);
    })
    .map(([row]) => row);
}

function compared(a: string | number, b: string | number): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return collator.compare(String(a), String(b));
}

/**
 * Folds the rows of a long list: rows whose names share a prefix up to a separator become one group, at the position of
 * the first of them. If all names share a prefix, the next one counts.
 */
export function folded<T>(rows: readonly T[], nameOf: (row: T) => string): readonly RowGroup<T>[] {
  if (rows.length <= mostUnfolded) return rows.map((row) => ({ rows: [row] }));
  const prefixes = rows.map((row) => prefixesOf(nameOf(row)));
  let level = 0;
  while (prefixes.every((some) => some[level] !== undefined && some[level] === prefixes[0]![level])) level++;
  const groups = new Map<string | T, T[]>();
  rows.forEach((row, i) => {
    const key = prefixes[i]![level] ?? row;
    const group = groups.get(key);
    if (group) group.push(row);
    else groups.set(key, [row]);
  });
  return [...groups].map(([prefix, rows]) =>
    typeof prefix === 'string' && rows.length > 1 ? { prefix, rows } : { rows },
  );
}

/** Returns the beginnings of a name up to each separator: `a.` and `a.b-` of `a.b-c`. */
function prefixesOf(name: string): string[] {
  return [...name.matchAll(/[._ -]/g)]
    .map(({ index }) => name.slice(0, index + 1))
    .filter((one) => one !== name);
}

/** How the numbers of a group become one. */
export type Total = 'sum' | 'largest';

/** Returns the total of numbers: their sum, or the largest. Rows without a number are left out. */
export function totalOf(values: readonly SortValue[], total: Total): number | undefined {
  const numbers = values.filter((value) => typeof value === 'number');
  if (numbers.length === 0) return undefined;
  return numbers.reduce((a, b) => (total === 'sum' ? a + b : Math.max(a, b)));
}
