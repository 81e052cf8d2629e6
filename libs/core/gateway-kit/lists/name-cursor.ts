import { createHash } from 'node:crypto';
import { jsonValue } from '#json';
import { ProblemError } from '#api';
import '#store';

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
