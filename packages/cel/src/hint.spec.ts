import { describe, expect, it } from 'vitest';
import { InvalidCelExpressionError } from './errors.js';
import { parseExpression } from './parse.js';

const messageOf = (text: string): string => {
  try {
    parseExpression(text);
  } catch (error) {
    if (error instanceof InvalidCelExpressionError) return error.message;
    throw error;
  }
  throw new Error(`${text} was not refused`);
};

describe('the error of an expression', () => {
  it.each([
    ['event.data.a = 5', 'compare with =='],
    ['event.data.a === 5', 'compare with == or !='],
    ['event.data.a !== 5', 'compare with == or !='],
    ['event.data.a <> 5', 'write != instead of <>'],
    ['event.data.a == 5 and event.data.b == 6', 'write && instead of "and"'],
    ['event.data.a == 5 OR event.data.b == 6', 'write || instead of "or"'],
    ['not event.data.a', 'write ! instead of "not"'],
    ['event.data.a == 5 & event.data.b == 6', 'write && for "and"'],
    ['event.data.a is null', 'compare with == or !=, such as == null'],
    ['event.data.a LIKE "x%"', 'use startsWith(), endsWith(), contains() or matches()'],
    ['event.data.a in (1, 2)', 'write a list in brackets: [1, 2]'],
    ['event.data.a == “x”', 'put text in straight quotes: "x" or \'x\''],
    ['event.data.a == 5;', 'leave out the semicolon'],
    ['event.data.a IN [1]', 'write in, in lowercase'],
    ['event.data.a NOT IN [1]', 'write !(x in [1, 2])'],
  ])('of %s has a suggestion', (text, hint) => {
    expect(messageOf(text)).toMatch(/^(Unexpected|Expected) /);
    expect(messageOf(text).split('; ').slice(1)).toEqual([hint]);
  });

  it.each(['event.data.a >', 'event.data.a == ', '1 +', '(', 'event.data.', '[1,', 'event.data.a &&'])(
    'of %s states that the expression ends too early',
    (text) => {
      expect(messageOf(text)).toMatch(/^The expression ends too early: something is missing at its end/);
    },
  );

  it.each(['event.data.a == 5 AND event.data.b == 6', 'event.data.a AND'])(
    'of %s names the foreign word',
    (text) => {
      expect(messageOf(text)).toBe('Unexpected AND; write && instead of "and"');
    },
  );

  it.each(['event.data.a ==', '1 +', '(', 'event.constructor constructor'])(
    'of %s has no suggestion',
    (text) => {
      expect(messageOf(text)).not.toContain('; ');
    },
  );

  it.each(["event.data.a == 'x'", 'event.data.and == "a = b and c"'])(
    'does not occur for the valid expression %s',
    (text) => {
      expect(parseExpression(text)).toMatchObject({ kind: 'binary' });
    },
  );
});
