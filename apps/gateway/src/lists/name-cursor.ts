import { ProblemError, streamNamePattern } from '#contracts';

/** The cursor of a list of streams sorted by name: the last name of the page, as base64url. */
export function nameCursor(name: string): string {
  return Buffer.from(`n:${name}`).toString('base64url');
}

/** @throws ProblemError 400 `invalid_cursor` */
export function nameOfCursor(cursor: string): string {
  const text = Buffer.from(cursor, 'base64url').toString();
  const name = text.slice(2);
  if (text.startsWith('n:') && streamNamePattern.test(name) && nameCursor(name) === cursor) return name;
  const detail = 'The cursor is broken, or belongs to another list.';
  throw new ProblemError('invalid_cursor', detail, { errors: [{ pointer: 'cursor', detail }] });
}
