import { describe, expect, it } from 'vitest';
import { compileParsed } from './compile.js';
import { EvaluationError } from './errors.js';
import { parseExpression } from './parse.js';
import type { ValueObject } from './values.js';

const numbers = Array.from({ length: 200_000 }, (_, i) => i);
const names = Object.fromEntries(numbers.slice(0, 50_000).map((n) => [`n${n}`, n]));
const text = 'x'.repeat(500_000);
const event = { data: { numbers, names, text, other: 'x'.repeat(499_999) + 'y' } } as unknown as ValueObject;
const run = (expression: string) => compileParsed(parseExpression(expression))(event);

describe('an expression over a large event', () => {
  it.each([
    'event.data.numbers.exists(a, event.data.numbers.exists(b, b < 0))',
    'event.data.numbers.exists(a, event.data.numbers.exists(b, b.x))',
    'event.data.numbers.map(a, event.data.numbers.map(b, b)) == []',
    'event.data.numbers.exists(a, event.data.text.contains("y"))',
    'event.data.numbers.exists(a, event.data.text == event.data.other)',
    'event.data.numbers.exists(a, event.data.text < event.data.text)',
    'event.data.numbers.exists(a, event.data.text.matches("y"))',
    'event.data.numbers.exists(a, event.data.numbers + [1] == event.data.numbers + [2])',
    'event.data.numbers.exists(a, -1 in event.data.numbers)',
    'event.data.numbers.exists(a, event.data.names.exists(b, false))',
    'event.data.numbers.exists(a, event.data.names.size() == 0)',
    'event.data.numbers.exists(a, event.data.text.size() == 0)',
    'event.data.numbers.exists(a, event.data.text.split("x").size() == 0)',
    'event.data.numbers.exists(a, event.data.text.substring(1) == "")',
    'event.data.numbers.map(a, "").join(event.data.text) == ""',
  ])('%s ends with an error', (expression) => {
    expect(() => run(expression)).toThrow(EvaluationError);
  });

  it.each([
    ['event.data.numbers.exists(a, a == 199999)', true],
    ['event.data.numbers.filter(a, a % 2 == 0).size()', 100_000],
    ['event.data.text.matches("^x+$")', true],
    ['event.data.text.lowerAscii().size()', 500_000],
  ])('%s has a value', (expression, value) => {
    expect(run(expression)).toBe(value);
  });

  it('is no value that || could pass over', () => {
    expect(() => run('event.data.numbers.exists(a, event.data.numbers.exists(b, b < 0)) || true')).toThrow(
      'too many steps',
    );
  });
});
