import { nameCursor, nameOfCursor } from './name-cursor.js';

export interface NamedPage<T> {
  items: T[];
  /** Set when there is more. */
  nextCursor?: string;
}

/** Which part of a list, and what its cursors are bound to: the kind of list and its filters. */
export interface PageRequest {
  limit: number;
  cursor?: string | undefined;
  boundTo: unknown;
}

/**
 * A page of a list that is held in memory, sorted by name. What is added or removed meanwhile makes no other item come
 * twice or not at all.
 * @throws ProblemError 400 `invalid_cursor`
 */
export function pageByName<T>(
  all: readonly T[],
  nameOf: (item: T) => string,
  { limit, cursor, boundTo }: PageRequest,
): NamedPage<T> {
  const after = cursor === undefined ? undefined : nameOfCursor(boundTo, cursor);
  const rest = all
    .map((item) => ({ item, name: nameOf(item) }))
    .filter(({ name }) => after === undefined || name > after)
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  const page = rest.slice(0, limit);
  const last = page.at(-1);
  const more = rest.length > limit && last !== undefined;
  return {
    items: page.map(({ item }) => item),
    ...(more && { nextCursor: nameCursor(boundTo, last.name) }),
  };
}
