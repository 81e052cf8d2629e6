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
  it('returns the value of the text', () => {
    expect(jsonValue('{"a":[1,null]}')).toEqual({ a: [1, null] });
  });

  it.each(['', '{', 'undefined', '1 2'])('returns undefined if the text is not JSON: %j', (text) => {
    expect(jsonValue(text)).toBeUndefined();
  });
});
