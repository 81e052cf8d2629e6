import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isMultipleOf } from './decimal.js';

describe('multipleOf', () => {
  it.each([
    [19.99, 0.01],
    [123456789.99, 0.01],
    [0.3, 0.1],
    [4.35, 0.05],
    [1e22, 1],
    [0, 0.25],
    [-7.5, 2.5],
    [1e-7, 1e-8],
    [9007199254740.93, 0.01],
  ])('accepts %d as a multiple of %d in decimal notation', (value, divisor) => {
    expect(isMultipleOf(divisor)(value)).toBe(true);
  });

  it.each([
    [19.995, 0.01],
    [0.35, 0.1],
    [5, 2],
    [2.5, 1],
    [1e-9, 1e-8],
  ])('rejects %d as a multiple of %d', (value, divisor) => {
    expect(isMultipleOf(divisor)(value)).toBe(false);
  });

  it('is exact for every decimal with 15 digits', () => {
    const decimal = fc.record({
      digits: fc.maxSafeInteger().map((n) => n % 1e15),
      places: fc.integer({ min: 0, max: 9 }),
    });
    const step = fc.record({
      digits: fc.integer({ min: 1, max: 500 }),
      places: fc.integer({ min: 0, max: 9 }),
    });
    const number = ({ digits, places }: { digits: number; places: number }) => Number(`${digits}e-${places}`);
    fc.assert(
      fc.property(decimal, step, (value, divisor) => {
        const scaled = BigInt(value.digits) * 10n ** BigInt(divisor.places);
        const expected = scaled % (BigInt(divisor.digits) * 10n ** BigInt(value.places)) === 0n;
        expect(isMultipleOf(number(divisor))(number(value))).toBe(expected);
      }),
      { numRuns: 3_000 },
    );
  });
});
