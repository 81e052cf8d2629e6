import { describe, expect, it } from 'vitest';
import { positionIn, rangeOf } from './json-position.js';

describe('the range of a JSON pointer', () => {
  const text = ' {"a": {"b/c": [1, "x"]}, "n": 1.50} ';
  const at = (pointer: string) => {
    const { from, to } = rangeOf(text, pointer);
    return text.slice(from, to);
  };

  it('is that of the value', () => {
    expect(at('/a/b~1c/1')).toBe('"x"');
    expect(at('/n')).toBe('1.50');
    expect(at('')).toBe(text.trim());
  });

  it('is that of the nearest value around a missing one', () => {
    expect(at('/a/b~1c/7')).toBe('[1, "x"]');
    expect(at('/missing/member')).toBe(text.trim());
    expect(at('/n/x')).toBe('1.50');
  });
});

describe('what is typed in a JSON text', () => {
  /** `|` marks the cursor. */
  const position = (text: string) => positionIn(text.replace('|', ''), text.indexOf('|'));

  it.each([
    ['{"source": {|', ['source'], true, []],
    ['{"a": 1, "|', [], true, ['a']],
    ['{"a": 1, "b|"}', [], true, ['a']],
    ['{"operators": [{"filter": "x"}, {"em|"}]}', ['operators', '1'], true, []],
    ['{"source": {"streams": ["a", "|"]}}', ['source', 'streams', '1'], false, []],
    ['{"a": "x,{\\"[", "op": "co|', ['op'], false, ['a', 'op']],
    ['{"a": {"b": 1}, "c|', [], true, ['a']],
  ])('%s', (text, ...[path, isName, names]) => {
    expect(position(text)).toMatchObject({ path, isName, names });
  });

  it('begins behind the quote', () => {
    expect(position('{"fil|": 1}')).toMatchObject({ from: 2, isQuoted: true });
    expect(position('{fil|')).toMatchObject({ from: 1, isQuoted: false });
  });

  it('is nothing outside of objects and arrays', () => {
    expect(position('|')).toBeUndefined();
    expect(position('{"a": 1} |')).toBeUndefined();
  });
});
