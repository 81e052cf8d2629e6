import { createHash } from 'node:crypto';
import { jsonValue } from '#event';
import { InvalidCursorError } from './errors.js';

/** Where a page ended: the values of its order's columns in its last row. */
export type CursorPosition = readonly (string | number)[];

/**
 * A cursor is base64url of a JSON array: a check sum, then the position. The check sum covers the position and what the
 * cursor is bound to (the kind of list, filters, order): with another query, or changed on its way, it is refused.
 * There is nothing secret in it: every page it can lead to is one that the query without it leads to as well.
 */
export function encodeCursor(boundTo: unknown, position: CursorPosition): string {
  const text = JSON.stringify([checkSum(boundTo, position), ...position]);
  return Buffer.from(text, 'utf8').toString('base64url');
}

/**
 * @param types What each value of the position must be; whole numbers, negative ones included.
 * @throws InvalidCursorError
 */
export function decodeCursor(
  boundTo: unknown,
  cursor: string,
  types: readonly ('string' | 'number')[],
): CursorPosition {
  const [sum, ...position] = readArray(cursor);
  const fits =
    position.length === types.length &&
    position.every(
      (value, i) => typeof value === types[i] && (typeof value === 'string' || Number.isSafeInteger(value)),
    );
  if (!fits) throw new InvalidCursorError('The cursor cannot be read.');
  if (sum !== checkSum(boundTo, position as CursorPosition)) {
    throw new InvalidCursorError('The cursor belongs to a query with other filters or another order.');
  }
  return position as CursorPosition;
}

function readArray(cursor: string): unknown[] {
  const bytes = Buffer.from(cursor, 'base64url');
  // Node skips what is not base64url; only the one spelling that we make is taken.
  if (bytes.toString('base64url') !== cursor) throw new InvalidCursorError('The cursor cannot be read.');
  const value = jsonValue(bytes.toString('utf8'));
  if (Array.isArray(value)) return value;
  throw new InvalidCursorError('The cursor cannot be read.');
}

function checkSum(boundTo: unknown, position: CursorPosition): string {
  const text = JSON.stringify([boundTo, position], (_key, value: unknown) =>
    typeof value === 'bigint' ? `${value}n` : value,
  );
  return createHash('sha256').update(text).digest('base64url').slice(0, 16);
}
