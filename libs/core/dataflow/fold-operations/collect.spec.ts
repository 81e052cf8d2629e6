import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { collect } from './collect.js';
import { FoldRejectedError } from './fold-operation.js';
import { itSatisfiesTheFoldLaws } from './laws.fixture.js';
import { anyValues, at } from './values.fixture.js';

type State = typeof collect.empty;

const numbers = (count: number) => Array.from({ length: count }, (_, n) => n);
const list = (state: State) => JSON.parse(collect.result(state)) as unknown[];

describe('collect', () => {
  it('lists the values in the order of their events', () => {
    const state = [3, 1, 2].reduce((s: State, n) => collect.add(s, `v${n}`, at(n)), collect.empty);
    expect(collect.result(state)).toBe('["v1","v2","v3"]');
    expect(collect.result(collect.empty)).toBe('[]');
  });

  it('keeps the items of the first 1 000 events, in whatever order they arrive', () => {
    const late = numbers(1200).toReversed();
    const state = late.reduce((s: State, n) => collect.add(s, n, at(n)), collect.empty);
    expect(list(state)).toEqual(numbers(1000));
    expect(list(collect.add(state, -1, at(-1)))).toEqual([-1, ...numbers(999)]);
  });

  it('ends before the first item that would exceed 65 536 characters, and adds no item after it', () => {
    const large = 'x'.repeat(16_000);
    const values = [large, large, large, large, large, 'small'];
    const state = values.reduce((s: State, value, n) => collect.add(s, value, at(n)), collect.empty);
    expect(list(state)).toEqual([large, large, large, large]);
    expect(collect.result(state).length).toBe(state.characters);
  });

  it('rejects an item of more than 16 384 characters', () => {
    expect(() => collect.add(collect.empty, 'x'.repeat(16_384), at(0))).toThrow(FoldRejectedError);
  });

  itSatisfiesTheFoldLaws(collect, anyValues);
  describe('past its limits', () =>
    itSatisfiesTheFoldLaws(
      collect,
      fc.tuple(fc.constantFrom('a', 'b'), fc.nat(16_000)).map(([x, n]) => x.repeat(n)),
      { maxLength: 20, numRuns: 30 },
    ));
});
