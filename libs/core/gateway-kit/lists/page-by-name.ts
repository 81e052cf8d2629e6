import { listEnd, type HasMoreAndNextCursor } from './has-more-and-next-cursor.js';
import { nameCursor, nameOfCursor } from './name-cursor.js';

/** One page of a list that is sorted by name, with the total and the cursor of the next page. */
interface PageSortedByName<T> {
  items: T[];
  /** The members with which the answer of the list ends. */
  end: HasMoreAndNextCursor & { total: number };
}

/**
 * Size and cursor of the requested page of a list. A cursor is valid only for the `boundTo` with which it was created:
 * the kind of list and its filters.
 */
interface PageRequest<T = unknown> {
  limit: number;
  /**
   * Returns the approximate length of an item in the answer, in characters. If it is given, a page ends after a few
   * megabytes.
   */
  lengthOf?: (item: T) => number;
  cursor?: string | undefined;
  boundTo: unknown;
}

/** Characters after which a page with `lengthOf` ends. The last item of such a page may exceed the limit. */
const mostCharacters = 4 * 1024 * 1024;

/**
 * Returns a page of an in-memory list, sorted by name. When items are added or removed between two pages, every other
 * item still appears exactly once.
 * @throws ProblemError 400 `invalid_cursor`
 */
export function pageByName<T>(
  all: readonly T[],
  nameOf: (item: T) => string,
  { limit, cursor, boundTo, lengthOf }: PageRequest<T>,
): PageSortedByName<T> {
  const after = cursor === undefined ? undefined : nameOfCursor(boundTo, cursor);
  const rest = all
    .map((item) => ({ item, name: nameOf(item) }))
    .filter(({ name }) => after === undefined || name > after)
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  const page = withinLength(rest.slice(0, limit), lengthOf);
  const last = page.at(-1);
  const more = rest.length > page.length && last !== undefined;
  return {
    items: page.map(({ item }) => item),
    end: { total: all.length, ...listEnd(more ? nameCursor(boundTo, last.name) : undefined) },
  };
}

function withinLength<T>(page: { item: T; name: string }[], lengthOf?: (item: T) => number): typeof page {
  if (!lengthOf) return page;
  let length = 0;
  const end = page.findIndex(({ item }) => (length += lengthOf(item)) > mostCharacters);
  return end < 0 ? page : page.slice(0, end + 1);
}
