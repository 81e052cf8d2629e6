import { describe, expect, it } from 'vitest';
import { areNumbers, childrenOf, kindOf, memberText, textAt } from './json-tree.js';

describe('the children of a JSON value', () => {
  it('keep every digit of numbers', () => {
    expect([...childrenOf('{"a": 9223372036854775808, "b":[1.50, 2]}')]).toEqual([
      { name: 'a', text: '9223372036854775808', from: 6 },
      { name: 'b', text: '[1.50, 2]', from: 31 },
    ]);
    expect([...childrenOf('[1.50, 2e400]')].map(({ text }) => text)).toEqual(['1.50', '2e400']);
  });

  it('include quotes, brackets and backslashes in strings, and repeated names', () => {
    const text = String.raw`{ "a\"}" : "]\\", "x":1, "x":{"y":"}"} }`;
    expect([...childrenOf(text)]).toMatchObject([
      { name: 'a"}', text: String.raw`"]\\"` },
      { name: 'x', text: '1' },
      { name: 'x', text: '{"y":"}"}' },
    ]);
  });

  it('are none in an empty object or array', () => {
    expect([...childrenOf('{ }'), ...childrenOf('[]')]).toEqual([]);
  });

  it('are read lazily', () => {
    const children = childrenOf(`[1,${'x'.repeat(10)}`);
    expect(children.next().value).toMatchObject({ name: '0', text: '1' });
  });
});

describe('the kind of a value', () => {
  it.each([
    ['{}', 'object'],
    ['[]', 'array'],
    ['"a"', 'string'],
    ['-1', 'number'],
    ['true', 'boolean'],
    ['null', 'null'],
  ])('of %s is %s', (text, kind) => expect(kindOf(text)).toBe(kind));
});

it('finds the last member with a name, as JSON.parse does', () => {
  expect(memberText('{"a":1,"a":2.0}', 'a')).toBe('2.0');
  expect(memberText('[1]', 'a')).toBeUndefined();
});

describe('the text at a path', () => {
  const text = ' {"a":[{"b": 1.50}], "c": null}';

  it.each([
    [['a', 0, 'b'], '1.50'],
    [['a', 0], '{"b": 1.50}'],
    [['c'], 'null'],
    [[], text.trim()],
    [['a', 1], undefined],
    [['c', 'd'], undefined],
  ])('%j is %j', (path, found) => expect(textAt(text, path)).toBe(found));
});

describe('a column of JSON values', () => {
  it.each([
    [['1', undefined, 'null', '-2.5'], true],
    [['1', '"2"'], false],
    [['null', undefined], false],
  ])('%j has numbers: %s', (texts, expected) => expect(areNumbers(texts)).toBe(expected));
});
