import { createHash } from 'node:crypto';
import { jsonValue } from '#json';
import { InvalidCursorError } from './errors.js';

/** The position at which a page of a list ended: the values of the sort columns in its last row. */
type CursorPosition = readonly (string | number)[];

/**
 * Encodes a cursor: base64url of a JSON array with a checksum, then the position. The checksum covers the position
 * and `boundTo` (the kind of list, the filters, the order). So `decodeCursor` rejects a cursor that was modified or
 * comes from another query. A cursor contains no secret: the query without the cursor leads to the same pages.
 */
export function encodeCursor(boundTo: unknown, position: CursorPosition): string {
  const text = JSON.stringify([checkSum(boundTo, position), ...position]);
  return Buffer.from(text, 'utf8').toString('base64url');
}

/**
 * Decodes a cursor and verifies its checksum.
 * @param types The expected type of each value of the position; a number must be a safe integer and may be negative.
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
  if (!fits) throw new InvalidCursorError('The cursor is malformed.');
  if (sum !== checkSum(boundTo, position as CursorPosition)) {
    throw new InvalidCursorError('The cursor belongs to a query with other filters or another order.');
  }
  return position as CursorPosition;
}

function readArray(cursor: string): unknown[] {
  const bytes = Buffer.from(cursor, 'base64url');
  // Node ignores characters that are not base64url. Only the exact text that `encodeCursor` produces is
  // accepted.
  if (bytes.toString('base64url') !== cursor) throw new InvalidCursorError('The cursor is malformed.');
  const value = jsonValue(bytes.toString('utf8'));
  if (Array.isArray(value)) return value;
  throw new InvalidCursorError('The cursor is malformed.');
}

function checkSum(boundTo: unknown, position: CursorPosition): string {
  const text = JSON.stringify([boundTo, position], (_key, value: unknown) =>
    typeof value === 'bigint' ? `${value}n` : value,
  );
  return createHash('sha256').update(text).digest('base64url').slice(0, 16);
}
