import { describe, expect, it } from 'vitest';
import { jsonPointerTo } from './json-pointer.js';

describe('pointerTo', () => {
  it.each([
    ['', 'a', '/a'],
    ['/a', 0, '/a/0'],
    ['/a', '', '/a/'],
    ['', '~/', '/~0~1'],
    ['', '~1', '/~01'],
  ])('of %j and %j is %j', (pointer, name, expected) => expect(jsonPointerTo(pointer, name)).toBe(expected));
});
