import { describe, expect, it } from 'vitest';
import { limits } from '#event';
import { jsonElements, jsonMembers } from './json-members.js';

describe('the members of a JSON object', () => {
  it.each([
    ['{"a":1,"events":[ {"n":0.10} ],"b":2}', '[ {"n":0.10} ]', ['a', 'b']],
    [' { "x" : {"events":[1]} , "events" : [12345678901234567890] } ', '[12345678901234567890]', ['x']],
    ['{"events":[1],"events":[2]}', '[2]', []],
    ['{"\\u0065vents":[3]}', '[3]', []],
    ['{"a":"\\"events\\":[1]"}', undefined, ['a']],
    ['{}', undefined, []],
  ])('of %s: events is %s', (text, events, others) => {
    const found = jsonMembers(text, ['events']);
    expect([found?.desired.get('events'), found?.others]).toEqual([events, others]);
  });

  it('are at most a hundred besides the desired ones', () => {
    const text = `{${Array.from({ length: 5_000 }, (_, i) => `"${i}":0`).join()},"events":[]}`;
    const found = jsonMembers(text, ['events']);
    expect([found?.others.length, found?.desired.size]).toEqual([100, 1]);
  });

  it.each(['7', '[{"events":1}]', '"events"', ' null '])('are undefined in %s', (text) => {
    expect(jsonMembers(text, ['events'])).toBeUndefined();
  });

  it.each([
    ['{"events":[}', 'character 12 '],
    ['{"a":1} {', 'character 9 '],
    ['', 'character 1 '],
    [`{"a":${'['.repeat(limits.jsonDepth + 1)}${']'.repeat(limits.jsonDepth + 1)}}`, 'levels deep'],
  ])('are refused in %s', (text, detail) => {
    expect(() => jsonMembers(text, [])).toThrow(detail);
  });
});

describe('the elements of a JSON array', () => {
  it.each([
    ['[]', 0],
    ['[ ]', 0],
    ['[1 , [2,3],{"a":[4]}]', 3],
    ['[1,2,3,4,5,6]', 4],
    ['{}', undefined],
    ['1', undefined],
  ])('of %s are counted: %s', (text, count) => {
    expect(jsonElements(text, 4)).toBe(count);
  });
});
