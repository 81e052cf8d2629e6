import { anyButNull } from '#cel';
import type { FoldOperation } from './fold-operation.js';
import { storedText } from './stored-text.js';
import { comparePositions, type FoldPosition } from './position.js';

/** The most characters of JSON of one item; a larger item is rejected. */
const itemCharacters = 16 * 1024;
/** The list ends before the first item that would exceed one of these limits. Characters are those of its JSON text. */
const listItems = 1000;
const listCharacters = 64 * 1024;

type Item = readonly [value: string, position: FoldPosition];

type Collected = {
  /** The items of the list, in the order of their events. */
  readonly items: readonly Item[];
  /** Characters of the list as JSON text. */
  readonly characters: number;
  /** Position of the first event that was left out. The list has no event at or after this position. */
  readonly cut: FoldPosition | null;
};

/**
 * `collect`: a list of the values in the order of their events. The list ends before the first value that would exceed
 * 1 000 items or 65 536 characters of JSON. Later values are left out, in whatever order the events arrive.
 */
export const collect: FoldOperation<Collected> = {
  takes: anyButNull,
  unordered: true,
  empty: { items: [], characters: 2, cut: null },
  add: (state, value, position) => {
    const text = storedText(value, itemCharacters);
    if (isCut(state.cut, position)) return state;
    return appended(state, [text, position]) ?? bounded(inserted(state.items, [text, position]), state.cut);
  },
  merge: (a, b) => {
    const cut = a.cut && (!b.cut || comparePositions(a.cut, b.cut) < 0) ? a.cut : b.cut;
    return bounded(merged(a.items, b.items), cut);
  },
  result: ({ items }) => `[${items.map(([text]) => text).join(',')}]`,
};

function isCut(cut: FoldPosition | null, position: FoldPosition): boolean {
  return cut !== null && comparePositions(position, cut) >= 0;
}

/**
 * Appends the item to the list; undefined if the item is out of order or does not fit. Most events take this fast path.
 */
function appended({ items, characters, cut }: Collected, item: Item): Collected | undefined {
  const last = items.at(-1);
  const after = characters + item[0].length + (last ? 1 : 0);
  if (items.length >= listItems || after > listCharacters) return undefined;
  if (last && comparePositions(last[1], item[1]) > 0) return undefined;
  return { items: [...items, item], characters: after, cut };
}

function inserted(items: readonly Item[], item: Item): readonly Item[] {
  const at = items.findIndex(([, position]) => comparePositions(position, item[1]) > 0);
  return at < 0 ? [...items, item] : [...items.slice(0, at), item, ...items.slice(at)];
}

function merged(a: readonly Item[], b: readonly Item[]): readonly Item[] {
  return [...a, ...b].sort((x, y) => comparePositions(x[1], y[1]));
}

function bounded(items: readonly Item[], cut: FoldPosition | null): Collected {
  let characters = 2;
  for (const [i, [text, position]] of items.entries()) {
    const after = characters + text.length + (i === 0 ? 0 : 1);
    const isFull = i >= listItems || after > listCharacters;
    if (isCut(cut, position)) return { items: items.slice(0, i), characters, cut };
    if (isFull) return { items: items.slice(0, i), characters, cut: position };
    characters = after;
  }
  return { items, characters, cut };
}
