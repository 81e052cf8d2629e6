import { describe, expect, it } from 'vitest';
import { prettyJson, withMembers } from './pretty-json.js';

describe('an indented JSON text', () => {
  it('keeps the text of each value, and short values in one line', () => {
    const text = '{"a":{"n":12345678901234567890.10,"t":"\\u00e9"},"empty":{},"list":[1,[]]}';
    expect(prettyJson(text)).toBe(
      [
        '{',
        '  "a": { "n": 12345678901234567890.10, "t": "\\u00e9" },',
        '  "empty": {},',
        '  "list": [1, []]',
        '}',
      ].join('\n'),
    );
  });

  it('has a line for each member of a long value', () => {
    const long = 'x'.repeat(60);
    expect(prettyJson(`{"a":[{"b":"${long}"},2]}`)).toBe(
      `{\n  "a": [\n    { "b": "${long}" },\n    2\n  ]\n}`,
    );
    expect(prettyJson('{}')).toBe('{}');
  });

  it('has the same value', () => {
    const value = { a: { b: [{ c: 'y'.repeat(80), d: [] }, null, true] }, 'e"f': -1.5e3 };
    expect(JSON.parse(prettyJson(JSON.stringify(value)))).toEqual(value);
  });
});

it('selects members in the order of their names, without those that are null', () => {
  const text = '{"status":"running","from":null,"operators":[],"source":{"streams":["a"]}}';
  expect(JSON.parse(withMembers(text, ['source', 'operators', 'from']))).toEqual({
    source: { streams: ['a'] },
    operators: [],
  });
  expect(withMembers(text, ['source', 'operators'])).toMatch(/^\{\n {2}"source"/);
});
