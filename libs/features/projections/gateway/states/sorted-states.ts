import { compareUtf8, jsonValue } from '#json';
import { ProblemError } from '#api';
import type { UnmergedKeyedState } from '#store';
import type { Fold, FoldState } from '#dataflow';
import '#store';
import { keyState, mergedKey, type KeyState, type MergedKeyFoldState } from './key-state.js';
import { compareSortValues, isSortValue, sortValue, type SortValue } from './sort-value.js';

/** Limit of keys that a projection may have for a read sorted by a field; with more keys, the read is refused. */
export const maxSortedKeys = 20_000;
/** Number of keys that are read at a time. */
const readAtOnce = 2_000;

/** A position in the list of keys sorted by a field: the sort value and the key. */
type SortPosition = readonly [value: SortValue, key: string];

/** A page of a projection's keys sorted by one field, and how to read the keys. */
interface SortedRequest {
  fold: Fold;
  /** Returns the result of the sort field, as JSON text. */
  resultOf: (state: FoldState) => string;
  order: 'asc' | 'desc';
  limit: number;
  /** The position of the last key of the previous page; undefined for the first page. */
  after?: SortPosition | undefined;
  /** Reads the next keys after a key, in the order of keys. */
  read: (after: string | undefined, limit: number) => Promise<UnmergedKeyedState[]>;
}

interface Candidate extends MergedKeyFoldState {
  place: SortPosition;
}

/**
 * Resolves with a page of keys sorted by a field. Reads all keys of the projection, 2 000 at a time, and keeps only
 * those of the page in memory.
 * @throws ProblemError 422 `query_too_expensive`
 */
export async function sortedStates(
  request: SortedRequest,
): Promise<{ states: KeyState[]; next?: SortPosition }> {
  const { fold, limit } = request;
  const found = await firstOf(request);
  const page = found.slice(0, limit);
  const states = page.map((key) => keyState(fold, key));
  const last = page.at(-1);
  return found.length > limit && last ? { states, next: last.place } : { states };
}

/**
 * Resolves with the first `limit` + 1 keys after the position in sort order; the last one only shows that there is a
 * next page.
 */
async function firstOf({ fold, resultOf, order, limit, after, read }: SortedRequest): Promise<Candidate[]> {
  const sign = order === 'asc' ? 1 : -1;
  const compare = (a: SortPosition, b: SortPosition) =>
    compareSortValues(a[0], b[0], sign) || compareUtf8(a[1], b[1]);
  const wanted = limit + 1;
  let kept: Candidate[] = [];
  let seen = 0;
  for (let last: string | undefined; ;) {
    const keys = await read(last, readAtOnce);
    seen += keys.length;
    if (seen > maxSortedKeys) throw tooManyToSort();
    for (const key of keys) {
      const merged = mergedKey(fold, key);
      const place = [sortValue(resultOf(merged.folded)), key.key] as const;
      if (!after || compare(place, after) > 0) kept.push({ ...merged, place });
    }
    kept = kept.sort((a, b) => compare(a.place, b.place)).slice(0, wanted);
    if (keys.length < readAtOnce) return kept;
    last = keys.at(-1)?.key;
  }
}

/** Parses the position in a cursor; returns undefined for any other text. */
export function parseSortPosition(text: string): SortPosition | undefined {
  const read = jsonValue(text);
  if (!Array.isArray(read) || read.length !== 2) return undefined;
  const [value, key] = read as unknown[];
  return isSortValue(value) && typeof key === 'string' ? [value, key] : undefined;
}

export function invalidSortCursor(): ProblemError {
  const detail = 'The cursor is broken, or belongs to another list or to other filters.';
  return new ProblemError('invalid_cursor', detail, { errors: [{ pointer: 'cursor', detail }] });
}

export function tooManyToSort(): ProblemError {
  const detail = `At most ${maxSortedKeys} keys are sorted by a field: narrow them with prefix, or leave out order_by.`;
  return new ProblemError('query_too_expensive', detail, { errors: [{ pointer: 'order_by', detail }] });
}
