import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseTime } from '#json';
import { parseExactJson, DecimalText, compare, Duration, Timestamp, type CelValue } from '#cel';
import { min, max } from './min-or-max.js';
import { FoldRejectedError } from './fold-operation.js';
import { itSatisfiesTheFoldLaws } from './laws.fixture.js';
import { at, numbers, texts } from './values.fixture.js';

const both = (...values: CelValue[]) =>
  [min, max].map((operation) =>
    operation.result(
      values.reduce((state: typeof operation.empty, value, n) => operation.add(state, value, at(n)), null),
    ),
  );
const fromJson = (text: string) => both(...(parseExactJson(text) as CelValue[]));
const ordered = fc.oneof(
  numbers,
  texts,
  fc.integer({ min: -9, max: 9 }).map((micros) => new Timestamp(micros * 1000)),
  fc.integer({ min: -9, max: 9 }).map((micros) => new Duration(micros)),
);

describe('min and max', () => {
  it.each([
    ['[]', 'null', 'null'],
    ['[3,1,2]', '1', '3'],
    ['[9007199254740992,9007199254740993,9007199254740991]', '9007199254740991', '9007199254740993'],
    ['[0.12345678901234567891,0.12345678901234567890,0.5]', '0.1234567890123456789', '0.5'],
    ['[-1e-300,1e300,0]', '-1e-300', '1e+300'],
    [
      '[9999999999999999969932311861968907953765,9999999999999999969932311861968907953766]',
      '9999999999999999969932311861968907953765',
      '9999999999999999969932311861968907953766',
    ],
    [
      '[9999999999999999969932311861968907953766,9999999999999999969932311861968907953765]',
      '9999999999999999969932311861968907953765',
      '9999999999999999969932311861968907953766',
    ],
    ['[-0]', '0', '0'],
    ['["b","a","é","🎉","\uffff"]', '"a"', '"🎉"'],
    ['[5,"5",1e30]', '5', '"5"'],
  ])('of %s are %s and %s', (values, least, most) => {
    expect(fromJson(values)).toEqual([least, most]);
  });

  it('return times and durations as strings', () => {
    const time = (text: string) => new Timestamp(parseTime(text) as number);
    expect(both(time('2026-01-02T00:00:00Z'), time('2026-01-01T00:00:00Z'))).toEqual([
      '"2026-01-01T00:00:00.000000Z"',
      '"2026-01-02T00:00:00.000000Z"',
    ]);
    expect(both(new Duration(1), new Duration(2_000_000))).toEqual(['"0.000001s"', '"2s"']);
  });

  it('order kinds: numbers, durations, times, strings', () => {
    expect(both('', new Timestamp(0), new Duration(0), 10n ** 30n)[0]).toBe('1e+30');
    expect(both('', new Timestamp(0), new Duration(0), 10n ** 30n)[1]).toBe('""');
    expect(both(new Timestamp(0), new Duration(9e15))[0]).toBe('"9000000000s"');
  });

  it('are values that were added, and no added value is beyond them', () => {
    fc.assert(
      fc.property(fc.array(numbers, { minLength: 1, maxLength: 8 }), (values) => {
        const [least, most] = both(...values).map((text) => parseExactJson(text));
        for (const value of values) {
          expect(compare(value, least as CelValue, 0)).toBeGreaterThanOrEqual(0);
          expect(compare(value, most as CelValue, 0)).toBeLessThanOrEqual(0);
        }
        expect(values.some((value) => compare(value, least as CelValue, 0) === 0)).toBe(true);
      }),
      { numRuns: 200 },
    );
  });

  it('reject a string that is too long to be stored for each key, and a number out of range', () => {
    expect(() => min.add(null, 'x'.repeat(65_536), at(0))).toThrow(FoldRejectedError);
    expect(() => max.add(null, new DecimalText('1e999'), at(0))).toThrow(FoldRejectedError);
  });

  describe('min', () => itSatisfiesTheFoldLaws(min, ordered));
  describe('max', () => itSatisfiesTheFoldLaws(max, ordered));
});
