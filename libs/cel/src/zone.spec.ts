import { describe, expect, it, vi } from 'vitest';
import { StepBudget, withinBudget } from './budget.js';
import { compileParsed } from './compile.js';
import { parseExpression } from './parse.js';
import { Timestamp, type CelObject } from './values.js';

const zones = Intl.supportedValuesOf('timeZone');
const evaluate = (expression: string, data: object = {}) =>
  compileParsed(parseExpression(expression))({ timestamp: new Timestamp(0), data } as unknown as CelObject);
const stepsOf = (expression: string, data: object = {}): number => {
  const budget = new StepBudget(400_000);
  withinBudget(budget, () => evaluate(expression, data));
  return 400_000 - budget.most(400_000);
};
const hours = 'event.timestamp.getHours("Asia/Tokyo")';

describe('a time zone', () => {
  it('takes the same steps after any earlier evaluations in this process', () => {
    const first = stepsOf(hours);
    expect(stepsOf(hours)).toBe(first);
    stepsOf('event.data.zones.map(zone, event.timestamp.getHours(zone))', { zones: zones.slice(0, 200) });
    expect(stepsOf(hours)).toBe(first);
    evaluate('timestamp(1e9).getHours("Asia/Tokyo")');
    expect(stepsOf(hours)).toBe(first);
  });

  it('is opened once in an evaluation of up to a hundred zones, and looked up once for each quarter of an hour', () => {
    const twice = `[${hours}, event.timestamp.getHours("Asia/Seoul"), ${hours}]`;
    expect(stepsOf(twice)).toBeGreaterThan(1_000);
    expect(stepsOf(twice)).toBeLessThan(1_200);
    const many = 'event.data.zones.map(z, event.data.zones.map(zone, event.timestamp.getHours(zone)))';
    expect(stepsOf(many, { zones: zones.slice(0, 100) })).toBeLessThan(100 * 600 + 100 * 100 * 3);
  });

  it('with a name that is too long is rejected before the name is looked up', () => {
    const opened = vi.spyOn(Intl, 'DateTimeFormat');
    const searched = vi.spyOn(RegExp.prototype, 'exec');
    try {
      expect(() =>
        evaluate('event.timestamp.getHours(event.data.z) == 1', { z: 'A'.repeat(900_000) }),
      ).toThrow('A time zone is written like');
      expect(opened).not.toHaveBeenCalled();
      expect(searched.mock.calls.flat().filter((text) => text.length > 1_000)).toEqual([]);
    } finally {
      opened.mockRestore();
      searched.mockRestore();
    }
  });
});
