import { IsBoolean, IsInt, Min } from 'class-validator';
import { Nullable } from '../openapi/schema.js';
import { createHash } from 'node:crypto';
import { jsonValue } from '#json';
import { ProblemError } from '#api';
import '#store';

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

/** The members `has_more` and `next_cursor` at the end of a list's answer. */
export interface HasMoreAndNextCursor {
  has_more: boolean;
  next_cursor: string | null;
}

/** Returns the members `has_more` and `next_cursor`, with which the answers of all lists end. */
export function listEnd(nextCursor: string | undefined): HasMoreAndNextCursor {
  return { has_more: nextCursor !== undefined, next_cursor: nextCursor ?? null };
}

/** Members that the OpenAPI schema of every list has: the total number of items, and the cursor of the next page. */
export class ListAnswer {
  @IsInt() @Min(0) total: number;
  @IsBoolean() has_more: boolean;
  @Nullable('string') next_cursor: string | null;
}

/**
 * Returns the cursor of a list sorted by name: base64url of a JSON array of a checksum and the last name of the page.
 * The checksum covers the name and what the cursor is bound to: the kind of list and its filters.
 */
export function nameCursor(boundTo: unknown, name: string): string {
  return Buffer.from(JSON.stringify([checkSum(boundTo, name), name])).toString('base64url');
}

/** Returns the name in a cursor. @throws ProblemError 400 `invalid_cursor` */
export function nameOfCursor(boundTo: unknown, cursor: string): string {
  const name = readName(cursor);
  if (name !== undefined && nameCursor(boundTo, name) === cursor) return name;
  const detail = 'The cursor is broken, or belongs to another list or to other filters.';
  throw new ProblemError('invalid_cursor', detail, { errors: [{ pointer: 'cursor', detail }] });
}

function readName(cursor: string): string | undefined {
  const parts = jsonValue(Buffer.from(cursor, 'base64url').toString());
  return Array.isArray(parts) && typeof parts[1] === 'string' ? parts[1] : undefined;
}

function checkSum(boundTo: unknown, name: string): string {
  return createHash('sha256')
    .update(JSON.stringify([boundTo, name]))
    .digest('base64url')
    .slice(0, 16);
}
