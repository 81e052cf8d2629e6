import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseExactJson, type CelValue } from '#cel';
import { countDistinct } from './count-distinct.js';
import { FoldRejectedError } from './fold-operation.js';
import { itSatisfiesTheFoldLaws } from './laws.fixture.js';
import { anyValues, at } from './values.fixture.js';

type State = typeof countDistinct.empty;

const fold = (values: readonly CelValue[]) =>
  values.reduce((state: State, value, n) => countDistinct.add(state, value, at(n)), countDistinct.empty);
const count = (values: readonly CelValue[]) => Number(countDistinct.result(fold(values)));
const users = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => `user-${from + i}`);

describe('count_distinct', () => {
  it.each([
    ['[]', 0],
    ['["a","b","a"]', 2],
    ['[5,5.0,"5",true,"true"]', 4],
    ['[9007199254740992,9007199254740993]', 2],
    ['[0.30000000000000000001,0.300000000000000000010]', 1],
    ['[{"a":1,"b":2},{"b":2,"a":1},[1,2],[2,1]]', 3],
  ])('of %s is %i', (values, expected) => {
    expect(count(parseExactJson(values) as CelValue[])).toBe(expected);
  });

  it('is exact up to 1 000 values, even if they are long and repeat', () => {
    const values = users(0, 1000).map((user) => user + 'x'.repeat(100));
    expect(count([...values, ...values.toReversed()])).toBe(1000);
  });

  it('estimates larger counts, with the same result for any grouping of the events', () => {
    const at1 = fold(users(0, 3000));
    expect(typeof at1).toBe('string');
    expect(countDistinct.merge(fold(users(0, 900)), fold(users(800, 3000)))).toEqual(at1);
    expect(countDistinct.merge(fold(users(900, 3000)), fold(users(0, 1000)))).toEqual(at1);
    expect(countDistinct.merge(fold(users(1500, 3000)), fold(users(0, 1600)))).toEqual(at1);
    expect(countDistinct.merge(fold(users(0, 600)), fold(users(600, 1200)))).toEqual(fold(users(0, 1200)));
  });

  it('has a state of limited size', () => {
    expect(JSON.stringify(fold(users(0, 20_000))).length).toBe(4098);
    const longest = fold(users(0, 1000).map((user) => user + 'x'.repeat(100)));
    expect(JSON.stringify(longest).length).toBeLessThan(45_000);
  });

  it('rejects a value that is too long', () => {
    expect(() => countDistinct.add([], 'x'.repeat(65_536), at(0))).toThrow(FoldRejectedError);
  });

  itSatisfiesTheFoldLaws(countDistinct, anyValues);
  describe('past the limit of exact counting', () => {
    const many = countDistinct.merge(fold(users(0, 700)), fold(users(500, 1100)));
    const values = fc.integer({ min: 0, max: 3000 }).map((n) => `user-${n}`);
    itSatisfiesTheFoldLaws({ ...countDistinct, empty: many }, values, { numRuns: 10 });
  });
});
