import { RE2JS } from 're2js';
import { describe, expect, it, vi } from 'vitest';
import { RegexTooLargeError, InvalidCelExpressionError } from './errors.js';
import { maxCharacters, parseExpression } from './parse.js';

const refusal = (text: string): InvalidCelExpressionError => {
  try {
    parseExpression(text);
  } catch (error) {
    if (error instanceof InvalidCelExpressionError) return error;
    throw error;
  }
  throw new Error(`${text.slice(0, 40)} was not refused`);
};

describe('parseExpression', () => {
  it('parses members, operators and literals with their positions', () => {
    expect(parseExpression('event.data.amount * 2 > 10.5')).toEqual({
      kind: 'binary',
      operator: '>',
      at: 0,
      left: {
        kind: 'binary',
        operator: '*',
        at: 0,
        left: {
          kind: 'member',
          name: 'amount',
          at: 11,
          object: {
            kind: 'member',
            name: 'data',
            at: 6,
            object: { kind: 'variable', name: 'event', at: 0 },
          },
        },
        right: { kind: 'literal', value: 2n, at: 20 },
      },
      right: { kind: 'literal', value: 10.5, at: 24 },
    });
  });

  it('keeps integers of any size exact', () => {
    expect(parseExpression('9007199254740993')).toMatchObject({ value: 9007199254740993n });
    expect(parseExpression('-5')).toEqual({ kind: 'literal', value: -5n, at: 0 });
    expect(parseExpression('5u')).toMatchObject({ value: 5n });
  });

  it('parses calls, methods and macros', () => {
    expect(parseExpression('has(event.data.x)')).toMatchObject({ kind: 'call', name: 'has', object: null });
    expect(parseExpression('event.stream.startsWith("a")')).toMatchObject({
      kind: 'call',
      name: 'startsWith',
      object: { kind: 'member', name: 'stream' },
      args: [{ value: 'a' }],
    });
  });

  it('parses maps with values of several types', () => {
    expect(parseExpression('{"a": 1, "b": "x", "c": 2.5}')).toMatchObject({ kind: 'map' });
  });

  it.each(['', 'a ==', '1 +', '"open', 'a b', 'event.data.?x', 'b"bytes"', '(', '99999999999999999999.5.5'])(
    'rejects %j',
    (text) => {
      expect(refusal(text).message).not.toBe('');
    },
  );

  it('reports the position of an error', () => {
    expect(refusal('event.data.a == ').at).toBe(16);
  });

  it.each(['(', '[a', 'a**', '(?=a)', '(a)\\\\1', 'a{3}**'])(
    'rejects the pattern %s with its position',
    (pattern) => {
      expect(refusal(`true && event.stream.matches("${pattern}")`)).toMatchObject({
        at: 29,
        message: 'The pattern of matches() is not a regular expression (RE2).',
      });
    },
  );

  it.each([
    ['a program of 36 002 instructions', ['(?:[ab]?){900}'.repeat(20)]],
    ['more characters than are compiled', ['a'.repeat(1_001)]],
    ['nested repeats', ['(?:(?:a{10}){10}){10}']],
    ['repeats of groups, each of which doubles', [`${'('.repeat(9)}${'ab'.repeat(455)}${'){2}'.repeat(9)}`]],
    ['repeats of many alternatives', [`(?:${Array.from({ length: 240 }, (_, i) => i).join('|')}){60}`]],
    ['patterns that are too large together', ['(?:[ab]?){100}', 'x', '[a-z]{100}']],
  ])('rejects %s before compiling the last of them', (_name, patterns) => {
    const text = patterns.map((pattern) => `event.stream.matches("${pattern}")`).join(' || ');
    const compile = vi.spyOn(RE2JS, 'compile');
    try {
      expect(refusal(text)).toBeInstanceOf(RegexTooLargeError);
      expect(refusal(text).at).toBe(text.indexOf(patterns.at(-1) as string) - 1);
      expect(compile.mock.calls).not.toContainEqual([patterns.at(-1)]);
    } finally {
      compile.mockRestore();
    }
  });

  it('limits the length of a text by the size of all patterns together', () => {
    const one = parseExpression('event.stream.matches("^a+$")');
    expect(one).toMatchObject({ maxBytes: Math.floor(2_000_000 / 6) });
    const both = { left: { maxBytes: 166_666 }, right: { maxBytes: 166_666 } };
    expect(parseExpression('event.stream.matches("^a+$") || event.stream.matches("^b+$")')).toMatchObject(
      both,
    );
  });

  it('rejects an expression that is too long', () => {
    expect(refusal(`"${'x'.repeat(maxCharacters)}"`).at).toBe(maxCharacters);
  });

  it.each([
    ['parentheses', '('.repeat(4000)],
    ['lists', '['.repeat(4000)],
    ['negations', '!'.repeat(4000) + 'a'],
    ['minus signs', '-'.repeat(4000) + '1'],
    ['members', 'a' + '.b'.repeat(2000)],
    ['indexes', 'a' + '[0]'.repeat(1000)],
    ['conditionals', 'a?b:'.repeat(1000) + 'c'],
    ['calls', 'f('.repeat(2000)],
    ['sums', '1+'.repeat(2000) + '1'],
  ])('rejects deeply nested %s', (_name, text) => {
    expect(refusal(text).message).toContain('Exceeded');
  });
});
