import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { numberTexts } from '../../../../packages/cel/src/decimal.fixture.js';
import { compareScaled, DecimalText, readDecimal, parseExactJson } from '#cel';
import { FoldRejectedError } from './fold-operation.js';
import { itSatisfiesTheFoldLaws } from './laws.fixture.js';
import { sum } from './sum-and-avg.js';
import { at, numbers } from './values.fixture.js';

const sumOf = (...texts: string[]) =>
  sum.result(texts.reduce((state, text, n) => sum.add(state, parseExactJson(text), at(n)), sum.empty));

describe('sum', () => {
  it.each([
    [[], '0'],
    [['1', '2', '3'], '6'],
    [Array<string>(10).fill('0.1'), '1'],
    [['0.1', '0.2'], '0.3'],
    [['19.99', '0.01', '-20'], '0'],
    [['9007199254740991', '1', '1'], '9007199254740993'],
    [['9007199254740993', '-9007199254740993', '0.5'], '0.5'],
    [['0.12345678901234567890', '1'], '1.1234567890123456789'],
    [['1e300', '1', '-1e300'], '1'],
    [['1e22', '1e-22'], '10000000000000000000000.0000000000000000000001'],
    [['23.983333333333334', '23.983333333333334'], '47.966666666666668'],
    [['-0'], '0'],
  ])('of %j is %s', (texts, expected) => {
    expect(sumOf(...texts)).toBe(expected);
  });

  it('has no rounding error after a million prices', () => {
    let state = sum.empty;
    for (let n = 0; n < 1_000_000; n++) state = sum.add(state, 19.99, at(n));
    expect(sum.result(state)).toBe('19990000');
  });

  it('is exact in every digit', () => {
    fc.assert(
      fc.property(fc.array(numberTexts, { maxLength: 8 }), (texts) => {
        const scaledUp = texts.map((text) => {
          const { units, scale } = readDecimal(text)!;
          return units * 10n ** BigInt(400 - scale);
        });
        const units = scaledUp.reduce((a, b) => a + b, 0n);
        expect(compareScaled(readDecimal(sumOf(...texts))!, { units, scale: 400 })).toBe(0);
      }),
      { numRuns: 200 },
    );
  });

  it('rejects a number that is out of range, with the range in the error', () => {
    expect(() => sum.add(sum.empty, new DecimalText('1e999'), at(0))).toThrow(FoldRejectedError);
    expect(() => sum.add(sum.empty, new DecimalText('1e999'), at(0))).toThrow(
      '308 digits before and 400 after',
    );
  });

  itSatisfiesTheFoldLaws(sum, numbers);
});
