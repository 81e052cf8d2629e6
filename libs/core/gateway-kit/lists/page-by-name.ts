import { createHash } from 'node:crypto';
import { IsBoolean, IsInt, Min } from 'class-validator';
import { ProblemError } from '#api';
import { jsonValue } from '#json';
import '#store';
import { Nullable } from '../openapi/schema.js';

/** Members that the OpenAPI schema of every list has: the total number of items, and the cursor of the next page. */
export class ListAnswer {
  @IsInt() @Min(0) total: number;
  @IsBoolean() has_more: boolean;
  @Nullable('string') next_cursor: string | null;
}

type ListEnd = Pick<ListAnswer, 'has_more' | 'next_cursor'>;

/** Returns the members with which the answers of all lists end. */
export function listEnd(nextCursor: string | undefined): ListEnd {
  return { has_more: nextCursor !== undefined, next_cursor: nextCursor ?? null };
}

/** The requested page of a list. */
interface PageRequest<T> {
  limit: number;
  cursor?: string | undefined;
  /** What the cursor is valid for: the kind of list and its filters. */
  boundTo: unknown;
  /** Returns the approximate length of an item in characters. With it, a page ends after a few megabytes. */
  lengthOf?: (item: T) => number;
}

/** Characters after which a page with `lengthOf` ends. The last item of such a page may exceed the limit. */
const mostCharacters = 4 * 1024 * 1024;

/**
 * Returns a page of an in-memory list, sorted by name, and the members with which the answer ends. When items are added
 * or removed between two pages, every other item still appears exactly once.
 * @throws ProblemError 400 `invalid_cursor`
 */
export function pageByName<T>(
  all: readonly T[],
  nameOf: (item: T) => string,
  { limit, cursor, boundTo, lengthOf }: PageRequest<T>,
): { items: T[]; end: ListEnd & { total: number } } {
  const after = cursor === undefined ? undefined : nameOfCursor(boundTo, cursor);
  const rest = all
    .map((item) => ({ item, name: nameOf(item) }))
    .filter(({ name }) => after === undefined || name > after)
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  const items = withinLength(
    rest.slice(0, limit).map(({ item }) => item),
    lengthOf,
  );
  const last = rest[items.length - 1];
  const nextCursor = rest.length > items.length && last ? nameCursor(boundTo, last.name) : undefined;
  return { items, end: { total: all.length, ...listEnd(nextCursor) } };
}

function withinLength<T>(items: T[], lengthOf?: (item: T) => number): T[] {
  if (!lengthOf) return items;
  let length = 0;
  const last = items.findIndex((item) => (length += lengthOf(item)) > mostCharacters);
  return last < 0 ? items : items.slice(0, last + 1);
}

/**
 * Returns the cursor of a list sorted by name: base64url of a JSON array of a checksum and the last name of the page.
 * The checksum covers the name and what the cursor is bound to: the kind of list and its filters.
 */
export function nameCursor(boundTo: unknown, name: string): string {
  const hash = createHash('sha256').update(JSON.stringify([boundTo, name]));
  const checksum = hash.digest('base64url').slice(0, 16);
  return Buffer.from(JSON.stringify([checksum, name])).toString('base64url');
}

/** Returns the name in a cursor. @throws ProblemError 400 `invalid_cursor` */
export function nameOfCursor(boundTo: unknown, cursor: string): string {
  const members = jsonValue(Buffer.from(cursor, 'base64url').toString());
  const name: unknown = Array.isArray(members) ? members[1] : undefined;
  if (typeof name === 'string' && nameCursor(boundTo, name) === cursor) return name;
  const detail = 'The cursor is broken, or belongs to another list or to other filters.';
  throw new ProblemError('invalid_cursor', detail, { errors: [{ pointer: 'cursor', detail }] });
}
