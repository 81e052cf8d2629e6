import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseExactJson, type CelValue } from '#cel';
import { FoldRejectedError } from './fold-operation.js';
import { itSatisfiesTheFoldLaws } from './laws.fixture.js';
import { quantile } from './quantile.js';
import { at, numbers } from './values.fixture.js';

const operation = quantile([0, 0.5, 0.99, 1]);
type State = typeof operation.empty;

const fold = (values: readonly CelValue[]) =>
  values.reduce((state: State, value, n) => operation.add(state, value, at(n)), operation.empty);
const results = (values: readonly CelValue[]) =>
  JSON.parse(operation.result(fold(values))) as Record<string, number | null>;

describe('quantile', () => {
  it('has a member for each probability, in the order of the definition', () => {
    expect(quantile([0.99, 0.5, 1e-7]).result(fold([0]))).toBe('{"0.99":0,"0.5":0,"1e-7":0}');
  });

  it('is null without values', () => {
    expect(operation.result(operation.empty)).toBe('{"0":null,"0.5":null,"0.99":null,"1":null}');
  });

  it('differs by at most 1 % from the exact quantile, for numbers of both signs', () => {
    const value = fc.oneof(
      fc.integer({ min: -1000, max: 1000 }),
      fc.double({ min: -1e9, max: 1e9, noNaN: true }).filter((x) => x === 0 || Math.abs(x) > 1e-8),
    );
    fc.assert(
      fc.property(
        fc.array(value, { minLength: 1, maxLength: 200 }),
        fc.double({ min: 0, max: 1 }),
        (list, p) => {
          if (Number.isNaN(p)) return;
          const exact = list.toSorted((a, b) => a - b)[Math.floor(p * (list.length - 1))]!;
          const text = quantile([p]).result(fold(list));
          const [estimate] = Object.values(JSON.parse(text) as Record<string, number>);
          expect(Math.abs(estimate! - exact)).toBeLessThanOrEqual(Math.abs(exact) * (0.01 + 1e-9));
        },
      ),
    );
  });

  it.each([
    ['[9007199254740993,1e30,-1e307]', 9007199254740992],
    ['[0.30000000000000000001]', 0.3],
    ['[12345678901234567890123456789012345678901234567890]', 1.2345678901234567e49],
    ['[-0,0.0,1e-320,1e-400]', 0],
  ])('accepts numbers of any size, such as %s', (texts, median) => {
    const found = results(parseExactJson(texts) as CelValue[])['0.5']!;
    expect(Math.abs(found - median)).toBeLessThanOrEqual(median * 0.01);
  });

  it.each(['1e309', '-1e999', '1e-401', '1.5e308'])('rejects %s, as sum does', (text) => {
    expect(() => operation.add(operation.empty, parseExactJson(text), at(0))).toThrow(FoldRejectedError);
  });

  it('keeps the error of the largest values if the numbers span more than 2 048 bins', () => {
    const spread = Array.from({ length: 601 }, (_, i) => Number(`1e${i - 300}`));
    const found = results(spread);
    expect(found['1']! / 1e300).toBeCloseTo(1, 1);
    expect(found['0.99']! / 1e294).toBeCloseTo(1, 1);
    expect(found['0']! / 1e300).toBeCloseTo(1.65e-18, 19);
  });

  it('has a state of limited size', () => {
    const both = Array.from({ length: 12_000 }, (_, i) => (i % 2 ? 1 : -1) * 1.01 ** ((i >> 1) - 3000));
    const state = fold(both);
    expect([state[1].length, state[2].length]).toEqual([4096, 4096]);
    expect(JSON.stringify(state).length).toBeLessThan(40_000);
  });

  itSatisfiesTheFoldLaws(operation, numbers);
  describe('past its bins', () =>
    itSatisfiesTheFoldLaws(
      operation,
      fc.integer({ min: -300, max: 300 }).map((exponent) => Number(`1e${exponent}`)),
      { maxLength: 30 },
    ));
});
