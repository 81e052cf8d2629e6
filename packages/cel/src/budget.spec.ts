import { describe, expect, it } from 'vitest';
import { stepsTaken } from '#async';
import { StepBudget, withinBudget } from './budget.js';
import { compileParsed } from './compile.js';
import { DecimalText } from './decimal.js';
import { EvaluationError } from './errors.js';
import { parseExpression } from './parse.js';
import { Timestamp, type CelObject } from './values.js';
import { eventVariable } from './variable.fixture.js';

const numbers = Array.from({ length: 200_000 }, (_, i) => i);
const names = Object.fromEntries(numbers.slice(0, 50_000).map((n) => [`n${n}`, n]));
const text = 'x'.repeat(500_000);
const digits = '1'.repeat(500_000);
const event = {
  timestamp: new Timestamp(0),
  data: {
    ...{ numbers, names, text, digits, other: 'x'.repeat(499_999) + 'y' },
    ...{
      number: new DecimalText(digits),
      hours: '1h'.repeat(20_000),
      zones: Intl.supportedValuesOf('timeZone'),
    },
  },
} as unknown as CelObject;
/**
 * Returns CEL text that repeats a sub-expression 60 times, joined by an operator: about as often as fits into one
 * expression.
 */
const often = (part: string, operator: string) => Array.from({ length: 60 }, () => part).join(operator);
const run = (expression: string) => compileParsed(parseExpression(expression), eventVariable)(event);

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
    'event.data.numbers.all(a, (a + 0.123456789012345) * 0.123456789012345 != 0.5)',
    'event.data.numbers.all(a, 1 / (a + 3) / 7 != 0.5)',
    'event.data.text.matches("^[xy]+$")',
    'event.data.text.matches(event.data.text)',
    'event.data.numbers.exists(a, "x".matches("(?:[ab]?){100}c" + string(a)))',
    'event.data.numbers.exists(a, event.data.text.contains(event.data.other))',
    'event.data.numbers.exists(a, event.data.text.lastIndexOf(event.data.other) > 0)',
    'event.data.numbers.exists(a, a == event.data.number)',
    'event.data.numbers.exists(a, event.data.number <= a)',
    'event.data.numbers.filter(a, has(event.data.x.y) || has(event.data.x.z)).size()',
    'event.data.numbers.map(a, {"a": a, "b": a, "c": {"d": a}})',
    'event.data.numbers.map(a, event.data.zones.map(zone, event.timestamp.getHours(zone)))',
    `event.data.numbers.exists(a, ${often('a == -1', ' || ')})`,
    `event.data.numbers.exists(a, ${often('string(a)', ' == ')} == "x")`,
    `event.data.numbers.exists(a, ${often('timestamp(a).getHours()', ' + ')} < 0)`,
  ])('%s fails', (expression) => {
    expect(() => run(expression)).toThrow(EvaluationError);
  });

  it.each([
    ['double(event.data.digits)', 10_000],
    ['event.data.number + 1', 5_000],
    ['duration(event.data.hours)', 10_000],
    ['event.timestamp.getHours("US/Pacific")', 500],
  ])('%s takes steps in proportion to what it reads', (expression, least) => {
    const budget = new StepBudget(400_000);
    withinBudget(budget, () => {
      try {
        run(expression);
      } catch (error) {
        expect(error).toBeInstanceOf(EvaluationError);
      }
    });
    expect(400_000 - budget.most(400_000)).toBeGreaterThanOrEqual(least);
  });

  it.each([
    ['event.data.numbers.exists(a, a == 199999)', true],
    ['event.data.numbers.filter(a, a % 2 == 0).size()', 100_000],
    ['event.data.text.substring(0, 300000).matches("^x+$")', true],
    ['event.data.text.lowerAscii().size()', 500_000],
  ])('%s has a value', (expression, value) => {
    expect(run(expression)).toBe(value);
  });

  it('fails even if || could ignore the error', () => {
    expect(() => run('event.data.numbers.exists(a, event.data.numbers.exists(b, b < 0)) || true')).toThrow(
      'too many steps',
    );
  });
});

describe('evaluations that share a step budget', () => {
  const half = 'event.data.numbers.exists(a, a == 199999)';

  it('together have the steps of one evaluation', () => {
    const taken = () => {
      const budget = new StepBudget();
      withinBudget(budget, () => run(half));
      return 400_000 - budget.most(400_000);
    };
    expect(taken()).toBeGreaterThan(150_000);
    withinBudget(new StepBudget(), () => {
      run(half);
      expect(() => [run(half), run(half)]).toThrow('those before it take too many steps for this event');
      expect(() => run(half)).toThrow(EvaluationError);
    });
    expect(run(half)).toBe(true);
  });

  it('take steps from the inner and the outer budget', () => {
    const all = new StepBudget(500_000);
    const one = () => withinBudget(new StepBudget(), () => run(half));
    withinBudget(all, () => {
      expect(one()).toBe(true);
      expect(one()).toBe(true);
      expect(all.isSpent).toBe(false);
      expect(one).toThrow('too many steps');
      expect(all.isSpent).toBe(true);
    });
  });

  it('are counted for the pauses of long work when the evaluation ends', () => {
    const before = stepsTaken;
    run(half);
    expect(stepsTaken - before).toBeGreaterThan(150_000);
  });
});
