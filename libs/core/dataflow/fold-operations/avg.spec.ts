import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseExactJson } from '#cel';
import { avg } from './sum-and-avg.js';
import { itSatisfiesTheFoldLaws } from './laws.fixture.js';
import { at, numbers } from './values.fixture.js';

const avgOf = (...texts: string[]) =>
  avg.result(texts.reduce((state, text, n) => avg.add(state, parseExactJson(text), at(n)), avg.empty));

describe('avg', () => {
  it.each([
    [[], 'null'],
    [['1', '2'], '1.5'],
    [['0.1', '0.2', '0.3'], '0.2'],
    [['1', '0', '0'], '0.3333333333333333'],
    [['2', '0', '0'], '0.6666666666666666'],
    [['9007199254740993', '9007199254740993'], '9007199254740993'],
    [['1e300', '1e300', '1e300', '-3e300'], '0'],
    [['0.12345678901234567890', '0'], '0.06172839450617283945'],
  ])('of %j is %s', (texts, expected) => {
    expect(avgOf(...texts)).toBe(expected);
  });

  it('of whole numbers equals the quotient in doubles that a database computes', () => {
    fc.assert(
      fc.property(fc.array(fc.integer(), { minLength: 1, maxLength: 20 }), (values) => {
        const expected = values.reduce((a, b) => a + b, 0) / values.length;
        expect(Number(avgOf(...values.map(String)))).toBe(expected + 0);
      }),
      { numRuns: 200 },
    );
  });

  itSatisfiesTheFoldLaws(avg, numbers);
});
