import { listEnd, type ListEnd } from './list-end.js';
import { nameCursor, nameOfCursor } from './name-cursor.js';

export interface NamedPage<T> {
  items: T[];
  /** How the answer of the list ends. */
  end: ListEnd & { total: number };
}

/** Which part of a list, and what its cursors are bound to: the kind of list and its filters. */
export interface PageRequest<T = unknown> {
  limit: number;
  /** About how long an item is in the answer: with it, a page ends early rather than being longer than a few megabytes. */
  lengthOf?: (item: T) => number;
  cursor?: string | undefined;
  boundTo: unknown;
}

/** Characters of a page whose items say how long they are; the last one may go beyond it. */
const mostCharacters = 4 * 1024 * 1024;

/**
 * A page of a list that is held in memory, sorted by name. What is added or removed meanwhile makes no other item come
 * twice or not at all.
 * @throws ProblemError 400 `invalid_cursor`
 */
export function pageByName<T>(
  all: readonly T[],
  nameOf: (item: T) => string,
  { limit, cursor, boundTo, lengthOf }: PageRequest<T>,
): NamedPage<T> {
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
