import { describe, expect, it } from 'vitest';
import { parseExactJson } from '#cel';
import { first, last } from './first-or-last.js';
import { FoldRejectedError } from './fold-operation.js';
import { itSatisfiesTheFoldLaws } from './laws.fixture.js';
import type { FoldEventSortKey } from './position.js';
import { anyValues, at } from './values.fixture.js';

const both = (...events: [string, FoldEventSortKey][]) =>
  [first, last].map((operation) =>
    operation.result(
      events.reduce((state, [value, position]) => operation.add(state, value, position), operation.empty),
    ),
  );

describe('first and last', () => {
  it('are null without events', () => {
    expect(both()).toEqual(['null', 'null']);
  });

  it('order events by their event time, not by their arrival', () => {
    expect(both(['b', at(2)], ['c', at(3)], ['a', at(1)])).toEqual(['"a"', '"c"']);
  });

  it('order events of the same instant by partition, offset and stream', () => {
    expect(both(['b', [0, 0, 9, 'b']], ['c', [0, 1, 1, 'a']], ['a', [0, 0, 9, 'a']])).toEqual(['"a"', '"c"']);
  });

  it('keep all digits of any value', () => {
    const value = parseExactJson('{"a":[9007199254740993,0.10000000000000000001]}');
    expect(last.result(last.add(null, value, at(0)))).toBe('{"a":[9007199254740993,0.10000000000000000001]}');
  });

  it('reject a value that is too long to be stored for each key', () => {
    expect(() => last.add(null, 'x'.repeat(65_536), at(0))).toThrow(FoldRejectedError);
  });

  describe('first', () => itSatisfiesTheFoldLaws(first, anyValues));
  describe('last', () => itSatisfiesTheFoldLaws(last, anyValues));
});
