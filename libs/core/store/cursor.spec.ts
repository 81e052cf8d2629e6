import { describe, expect, it } from 'vitest';
import { decodeCursor, encodeCursor } from './cursor.js';
import { InvalidCursorError } from './errors.js';

const types = ['number', 'string'] as const;
const binding = ['events', ['orders'], 10n];

describe('a cursor', () => {
  it('carries its position', () => {
    const position = [-2208988800000000, 'ördér "1"'];
    expect(decodeCursor(binding, encodeCursor(binding, position), types)).toEqual(position);
  });

  it('needs no escaping in a URL', () => {
    expect(encodeCursor(binding, [1, '???>>>~~~ü'])).toMatch(/^[A-Za-z0-9_-]+$/);
  });

  it('is valid only for the query that it was created for', () => {
    const cursor = encodeCursor(binding, [1, 'a']);
    expect(() => decodeCursor(['events', ['others'], 10n], cursor, types)).toThrow(InvalidCursorError);
    expect(() => decodeCursor(['events', ['orders'], 11n], cursor, types)).toThrow(InvalidCursorError);
  });

  const crafted = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  it.each([
    ['nothing', ''],
    ['no base64url', '💥'],
    ['padding', `${encodeCursor(binding, [1, 'a'])}=`],
    ['no JSON', Buffer.from('{').toString('base64url')],
    ['no list', crafted({})],
    ['too few values', encodeCursor(binding, [1])],
    ['too many values', encodeCursor(binding, [1, 'a', 2])],
    ['a value of another type', encodeCursor(binding, ['1', 'a'])],
    ['a fraction', encodeCursor(binding, [1.5, 'a'])],
    ['a number that is not safe', encodeCursor(binding, [2 ** 60, 'a'])],
    ['another check sum', crafted(['AAAAAAAAAAAAAAAA', 1, 'a'])],
  ])('is rejected when it contains %s', (_what, cursor) => {
    expect(() => decodeCursor(binding, cursor, types)).toThrow(InvalidCursorError);
  });
});
