import { anyButNull } from '#cel';
import type { FoldOperation } from './fold-operation.js';
import { keptText } from './kept-text.js';
import { comparePositions, type Position } from './position.js';

/** A larger item is refused. */
const itemCharacters = 16 * 1024;
/** The list ends before the item that would pass one of them. Characters are those of JSON. */
const listItems = 1000;
const listCharacters = 64 * 1024;

type Item = readonly [value: string, position: Position];

type Collected = {
  /** In order. */
  readonly items: readonly Item[];
  /** Of the list as JSON. */
  readonly characters: number;
  /** Where the first event stands that was left out; nothing from there on is in the list. */
  readonly cut: Position | null;
};

/**
 * The values in the order of their events, as a list that ends before the first that would pass 1 000 items or 65 536
 * characters of JSON: what comes after it is left out, whenever it arrives.
 */
export const collect: FoldOperation<Collected> = {
  takes: anyButNull,
  unordered: true,
  empty: { items: [], characters: 2, cut: null },
  add: (state, value, position) => {
    const text = keptText(value, itemCharacters);
    if (isCut(state.cut, position)) return state;
    return appended(state, [text, position]) ?? bounded(inserted(state.items, [text, position]), state.cut);
  },
  merge: (a, b) => {
    const cut = a.cut && (!b.cut || comparePositions(a.cut, b.cut) < 0) ? a.cut : b.cut;
    return bounded(merged(a.items, b.items), cut);
  },
  result: ({ items }) => `[${items.map(([text]) => text).join(',')}]`,
};

function isCut(cut: Position | null, position: Position): boolean {
  return cut !== null && comparePositions(position, cut) >= 0;
}

/** The quick way for most events: they come in order, and fit. */
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

function bounded(items: readonly Item[], cut: Position | null): Collected {
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
