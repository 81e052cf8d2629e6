import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseExactJson, type CelValue } from '#cel';
import { FoldRejectedError } from './fold-operation.js';
import { itSatisfiesTheFoldLaws } from './laws.fixture.js';
import { top } from './top.js';
import { anyValues, at, numbers } from './values.fixture.js';

const three = top(3);
type State = typeof three.empty;

/** The list after events of `[by, value]`, one second apart. */
const fold = (events: readonly (readonly [CelValue, CelValue])[]) =>
  events.reduce((state: State, event, n) => three.add(state, event, at(n)), three.empty);
const result = (events: string) => three.result(fold(parseExactJson(events) as [CelValue, CelValue][]));

describe('top', () => {
  it('lists the events with the largest by, the largest first', () => {
    expect(result('[[5,"e"],[9,"n"],[-1,"m"],[7,"s"]]')).toBe(
      '[{"by":9,"value":"n"},{"by":7,"value":"s"},{"by":5,"value":"e"}]',
    );
    expect(result('[]')).toBe('[]');
  });

  it('compares and returns numbers with all digits', () => {
    expect(
      result('[[9007199254740992,1],[9007199254740993,2],[1e-400,3],[0,{"n":0.10000000000000000001}]]'),
    ).toBe('[{"by":9007199254740993,"value":2},{"by":9007199254740992,"value":1},{"by":1e-400,"value":3}]');
  });

  it('keeps the earliest of equal events, in whatever order they arrive', () => {
    const arrivals = [4, 2, 0, 3, 1];
    const state = arrivals.reduce((s: State, n) => three.add(s, [n === 3 ? 8 : 7, n], at(n)), three.empty);
    expect(three.result(state)).toBe('[{"by":8,"value":3},{"by":7,"value":0},{"by":7,"value":1}]');
  });

  it.each([
    ['a value of more than 2 048 characters', [1, 'x'.repeat(2047)], 'value'],
    ['a text to sort by of more than 256 characters', ['x'.repeat(255), 1], 'by'],
    ['a number to sort by that sum rejects', [parseExactJson('1e999'), 1], 'by'],
  ])('rejects %s, also if the list has larger ones', (_, event, member) => {
    const full = fold([
      ['z', 1],
      ['z', 2],
      ['z', 3],
    ]);
    const add = () => three.add(full, event, at(9));
    expect(add).toThrow(FoldRejectedError);
    expect(add).toThrow(expect.objectContaining({ member }) as Error);
  });

  it('has a state of limited size', () => {
    const largest = top(100);
    const event = [parseExactJson(`${'9'.repeat(308)}.${'9'.repeat(400)}`), 'x'.repeat(2046)];
    let state = largest.empty;
    for (let n = 0; n < 120; n++) state = largest.add(state, event, at(n));
    expect(state.length).toBe(100);
    expect(JSON.stringify(state).length).toBeLessThan(290_000);
  });

  const by = fc.oneof(numbers, fc.integer({ min: 0, max: 2 }), fc.string({ maxLength: 2 }));
  itSatisfiesTheFoldLaws(three, fc.tuple(by, anyValues) as fc.Arbitrary<CelValue>);
});
