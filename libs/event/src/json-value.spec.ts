import { describe, expect, it } from 'vitest';
import { isJsonObject, jsonValue } from './json-value.js';

describe('isJsonObject', () => {
  it.each([{}, { a: 1 }, Object.create(null)])('is true of the object %j', (value: unknown) => {
    expect(isJsonObject(value)).toBe(true);
  });

  it.each([null, [], 'a', 1, true, undefined])('is false of %j', (value) => {
    expect(isJsonObject(value)).toBe(false);
  });
});

describe('jsonValue', () => {
  it('is what the text says', () => {
    expect(jsonValue('{"a":[1,null]}')).toEqual({ a: [1, null] });
  });

  it.each(['', '{', 'undefined', '1 2'])('is undefined where the text %j is not JSON', (text) => {
    expect(jsonValue(text)).toBeUndefined();
  });
});
