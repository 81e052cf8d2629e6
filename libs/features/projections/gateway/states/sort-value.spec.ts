import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareSortValues, isSortValue, sortValue } from './sort-value.js';

const sorted = (values: string[], sign: 1 | -1 = 1) =>
  values.toSorted((a, b) => compareSortValues(sortValue(a), sortValue(b), sign));

describe('the sort values of a field', () => {
  it('are sorted as numbers with all their digits', () => {
    const numbers = [
      '-1e3',
      '-1.5',
      '0',
      '0.1',
      '0.10000000000000000001',
      '9',
      '10',
      '9007199254740992',
      '9007199254740993',
    ];
    expect(sorted(numbers.toReversed())).toEqual(numbers);
    expect(sorted(numbers, -1)).toEqual(numbers.toReversed());
  });

  it('are numbers, then texts; values without an order come last in both directions', () => {
    const ascending = ['5', '"2026-11-21T04:00:00.000000Z"', '"a"', '"é"', '"\uffee"', '"🎉"', 'null'];
    expect(sorted(ascending.toReversed())).toEqual(ascending);
    expect(sorted(ascending, -1)).toEqual([...ascending.slice(0, -1).toReversed(), 'null']);
    expect(compareSortValues(sortValue('{"a":1}'), sortValue('null'), 1)).toBe(0);
    expect(compareSortValues(sortValue('[1]'), sortValue('-1'), -1)).toBeGreaterThan(0);
  });

  it('have a total order, whatever they are', () => {
    const json = fc.jsonValue({ maxDepth: 1 }).map((value) => JSON.stringify(value));
    fc.assert(
      fc.property(json, json, json, (a, b, c) => {
        const [x, y, z] = [sortValue(a), sortValue(b), sortValue(c)];
        for (const sign of [1, -1] as const) {
          expect(Math.sign(compareSortValues(x, y, sign)) + 0).toBe(
            -Math.sign(compareSortValues(y, x, sign)) + 0,
          );
          if (compareSortValues(x, y, sign) <= 0 && compareSortValues(y, z, sign) <= 0)
            expect(compareSortValues(x, z, sign)).toBeLessThanOrEqual(0);
        }
      }),
    );
  });

  it('become part of cursors, long texts with their beginning', () => {
    const value = sortValue(JSON.stringify('x'.repeat(1000)));
    expect(value).toEqual(['text', 'x'.repeat(128)]);
    expect(isSortValue(JSON.parse(JSON.stringify(value)))).toBe(true);
    for (const none of [null, [], ['text'], ['text', 1], ['list', 'a'], ['toString', 'a'], 'text']) {
      expect(isSortValue(none)).toBe(false);
    }
  });
});
