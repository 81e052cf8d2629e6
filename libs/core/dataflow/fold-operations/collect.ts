import { anyButNull } from '#cel';
import { storedText, type FoldOperation } from './fold-operation.js';
import { comparePositions, type FoldEventSortKey } from './position.js';

/** Maximum number of characters of one item of the list as JSON text; an event with a larger value is rejected. */
const itemCharacters = 16 * 1024;
/** Maximum items and characters of the list, which ends before the first item that would exceed one of them. */
const listItems = 1000;
const listCharacters = 64 * 1024;

type CollectedItem = readonly [value: string, position: FoldEventSortKey];

type CollectState = {
  readonly items: readonly CollectedItem[];
  readonly characters: number;
  /** Position of the first event that was left out because the list is full; no item is at or after it. */
  readonly cut: FoldEventSortKey | null;
};

/**
 * `collect`: a list of the values in the order of their events, in whatever order they arrive. It ends before the first
 * value that would exceed 1 000 items or 65 536 characters of JSON.
 */
export const collect: FoldOperation<CollectState> = {
  takes: anyButNull,
  resultType: 'list',
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
  items: ({ items }) => items.map(([text]) => text),
  result: ({ items }) => `[${items.map(([text]) => text).join(',')}]`,
};

function isCut(cut: FoldEventSortKey | null, position: FoldEventSortKey): boolean {
  return cut !== null && comparePositions(position, cut) >= 0;
}

/** The fast path: appends the item; undefined if it belongs before the last one or does not fit. */
function appended({ items, characters, cut }: CollectState, item: CollectedItem): CollectState | undefined {
  const last = items.at(-1);
  const after = characters + item[0].length + (last ? 1 : 0);
  if (items.length >= listItems || after > listCharacters) return undefined;
  if (last && comparePositions(last[1], item[1]) > 0) return undefined;
  return { items: [...items, item], characters: after, cut };
}

function inserted(items: readonly CollectedItem[], item: CollectedItem): readonly CollectedItem[] {
  const at = items.findIndex(([, sortKey]) => comparePositions(sortKey, item[1]) > 0);
  return at < 0 ? [...items, item] : [...items.slice(0, at), item, ...items.slice(at)];
}

function merged(a: readonly CollectedItem[], b: readonly CollectedItem[]): readonly CollectedItem[] {
  return [...a, ...b].sort((x, y) => comparePositions(x[1], y[1]));
}

function bounded(items: readonly CollectedItem[], cut: FoldEventSortKey | null): CollectState {
  let characters = 2;
  for (const [i, [text, sortKey]] of items.entries()) {
    const after = characters + text.length + (i === 0 ? 0 : 1);
    const isFull = i >= listItems || after > listCharacters;
    if (isCut(cut, sortKey)) return { items: items.slice(0, i), characters, cut };
    if (isFull) return { items: items.slice(0, i), characters, cut: sortKey };
    characters = after;
  }
  return { items, characters, cut };
}
