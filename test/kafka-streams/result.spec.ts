import { describe, expect, it } from 'vitest';
import { inOurTerms, joinLines, joinsInOurTerms, lateOf, lines, type WindowResult } from './result.js';

const session = { kind: 'session', size: 10, updates: false };

function result(key: string, [start, end]: [number, number], ...events: number[]): WindowResult {
  return { key, start: start * 1000, end: end * 1000, sum: 0, least: 0, most: 0, events };
}

describe('results of Kafka Streams, converted to ours', () => {
  it('add the gap to the end of a session', () => {
    const { results } = inOurTerms([result('a', [0, 5], 1, 2)], session);
    expect(results).toEqual([result('a', [0, 15], 1, 2)]);
  });

  it('contain a session once that was emitted again with one more event', () => {
    const said = [result('a', [0, 5], 1), result('b', [0, 5], 2), result('a', [0, 15], 1, 3)];
    const { results, saidTwice } = inOurTerms(said, session);
    expect(lines(results)).toEqual(lines([result('b', [0, 15], 2), result('a', [0, 25], 1, 3)]));
    expect(saidTwice).toBe(1);
  });

  it('keep two sessions that share no event, and each update', () => {
    expect(inOurTerms([result('a', [0, 5], 1), result('a', [30, 31], 2)], session).results).toHaveLength(2);
    const updates = [result('a', [0, 5], 1), result('a', [0, 6], 1, 2)];
    expect(inOurTerms(updates, { ...session, updates: true }).results).toHaveLength(2);
  });

  it('are unchanged for other windows', () => {
    const said = [result('a', [0, 10], 1), result('a', [5, 15], 1, 2)];
    expect(inOurTerms(said, { ...session, kind: 'hopping' }).results).toEqual(said);
  });
});

describe('results of joins in Kafka Streams, converted to ours', () => {
  const joined = (left: number | null, right: number | null) => ({ key: 'a', left, right, at: 0 });

  it('do not contain an event as one that joins none if it joins one', () => {
    const said = [joined(1, null), joined(null, 2), joined(1, 2), joined(null, 1), joined(2, null)];
    const { results, joinedLater } = joinsInOurTerms(said);
    expect(results).toEqual([joined(1, 2), joined(null, 1), joined(2, null)]);
    expect(joinedLater).toBe(2);
  });

  it('keep a result that was emitted twice', () => {
    const twice = [joined(1, 2), joined(1, 2)];
    expect(joinsInOurTerms(twice).results).toEqual(twice);
    expect(joinLines(twice)).not.toEqual(joinLines([joined(1, 2)]));
  });
});

describe('results', () => {
  it('do not depend on their order and on the order of their events', () => {
    const [a, b] = [result('a', [0, 5], 1, 2), result('b', [0, 5], 3)];
    expect(lines([a, b])).toEqual(lines([b, { ...a, events: [2, 1] }]));
    expect(lines([a])).not.toEqual(lines([{ ...a, sum: 1 }]));
  });

  it('do not contain late events', () => {
    expect(lateOf([result('a', [0, 5], 0, 2), result('b', [0, 5], 2)], 4)).toEqual([1, 3]);
  });
});
