import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { numberTexts } from './decimal.fixture.js';
import { compareScaled, DecimalText, numeric, readDecimal, scaledDecimal, scaledText } from './decimal.js';
import { placesOf, smallProduct, smallSum, tens } from './small-decimal.js';

const read = (text: string) => readDecimal(text)!;
const form = (text: string) => numeric(read(text));

describe('a decimal', () => {
  it.each([
    ['0.1', 0.1],
    ['0.10', 0.1],
    ['-0', 0],
    ['5.0', 5],
    ['1e3', 1000],
    ['9007199254740991', 9007199254740991],
    ['9007199254740993', 9007199254740993n],
    ['9007199254740993.0', 9007199254740993n],
    ['1e23', 10n ** 23n],
    ['23.983333333333334', 23.983333333333334],
    ['5e-324', 5e-324],
  ])('%s has the canonical form %s', (text, expected) => {
    expect(form(text)).toBe(expected);
  });

  it.each(['0.12345678901234567890', '9007199254740993.5', '1e-390', '-0.30000000000000000001'])(
    '%s keeps its digits',
    (text) => {
      expect(form(text)).toBeInstanceOf(DecimalText);
      expect(read((form(text) as DecimalText).text)).toEqual(read(text));
    },
  );

  it.each(['1e308', '1e400', `1${'0'.repeat(308)}`, '1e-401', `0.${'0'.repeat(400)}1`, 'NaN', '', '1,5'])(
    '%s exceeds the limits or is not a number',
    (text) => {
      expect(readDecimal(text)).toBeUndefined();
    },
  );

  it('reads a long text in linear time', () => {
    expect(readDecimal('0.' + '0'.repeat(1_000_000) + '1' + '0'.repeat(1_000_000))).toBeUndefined();
  });

  it.each([
    ['100', '100'],
    ['1.50', '1.5'],
    ['-0.05', '-0.05'],
    ['1e20', '100000000000000000000'],
    ['12e25', '12e+25'],
    ['1e-20', '0.00000000000000000001'],
    ['-12e-30', '-12e-30'],
  ])('%s is written as %s', (text, expected) => {
    expect(scaledText(read(text))).toBe(expected);
  });

  it('is the same after it is written and read, in each of its forms', () => {
    fc.assert(
      fc.property(numberTexts, (text) => {
        const value = read(text);
        const one = numeric(value)!;
        expect(scaledDecimal(one)).toEqual(value);
        expect(read(scaledText(value))).toEqual(value);
        if (typeof one !== 'number') expect(Number.isSafeInteger(Number(one))).toBe(false);
      }),
      { numRuns: 500 },
    );
  });
});

describe('small decimals in doubles', () => {
  const doubles = numberTexts.map(Number);

  it('are whole units of their shortest text', () => {
    fc.assert(
      fc.property(doubles, fc.nat(12), (value, from) => {
        const places = placesOf(value, from);
        if (places < 0) return;
        const units = BigInt(Math.round(value * tens[places]!));
        expect(compareScaled({ units, scale: places }, scaledDecimal(value)!)).toBe(0);
        expect(places).toBe(Math.max(from, scaledDecimal(value)!.scale));
      }),
      { numRuns: 500 },
    );
  });

  it('are added and multiplied exactly, or have no result', () => {
    fc.assert(
      fc.property(doubles, doubles, (a, b) => {
        const [x, y] = [scaledDecimal(a)!, scaledDecimal(b)!];
        const scale = x.scale + y.scale;
        const sum = smallSum(a, b);
        const units = x.units * 10n ** BigInt(y.scale) + y.units * 10n ** BigInt(x.scale);
        if (sum !== undefined) expect(compareScaled(scaledDecimal(sum)!, { units, scale })).toBe(0);
        const product = smallProduct(a, b);
        if (product !== undefined) {
          expect(compareScaled(scaledDecimal(product)!, { units: x.units * y.units, scale })).toBe(0);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('take the fast path for prices', () => {
    expect([smallSum(0.1, 0.2), smallProduct(19.99, 3), placesOf(12.34, 0)]).toEqual([0.3, 59.97, 2]);
  });
});
