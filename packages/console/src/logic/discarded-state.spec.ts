import { describe, expect, it } from 'vitest';
import { discardedBy } from './discarded-state.js';

const window = { window: { tumbling: '1m', key: 'event.entity_id', lateness: '10s' } };
const reduce = { reduce: { n: { op: 'count' } } };
const emit = { emit: { stream: 'out' } };
const filter = { filter: 'true' };
const dedupe = { dedupe: { key: 'event.entity_id', within: '1h' } };

function discarded(before: object[], after: object[]): string[] {
  return discardedBy(JSON.stringify({ operators: before }), JSON.stringify({ operators: after }));
}

describe('the state that a new definition of a pipeline deletes', () => {
  const before = [window, reduce, emit];

  it('is none if operators without state are added or changed, or members are in another order', () => {
    const { tumbling, key, lateness } = window.window;
    const reordered = { window: { lateness, key, tumbling, late: { stream: 'late' } } };
    expect(discarded(before, [filter, reordered, reduce, filter, emit])).toEqual([]);
  });

  it('is that of a changed window, or of a window with other fields', () => {
    const wider = { window: { ...window.window, tumbling: '2m' } };
    expect(discarded(before, [wider, reduce, emit])).toEqual(['/operators/0/window']);
    expect(discarded(before, [window, { reduce: { sum: reduce.reduce.n } }, emit])).toHaveLength(1);
  });

  it('is also that of what follows a removed operator with state', () => {
    expect(discarded([dedupe, window, reduce, emit], before)).toEqual([
      '/operators/0/dedupe',
      '/operators/1/window',
    ]);
  });

  it('is that of an operator that moves to another branch', () => {
    const inBranch = (index: number) => {
      const branches = [
        { when: 'a', operators: [emit] },
        { when: 'b', operators: [emit] },
      ];
      branches[index]!.operators = [dedupe as never, emit];
      return [{ branch: branches }];
    };
    expect(discarded(inBranch(0), inBranch(0))).toEqual([]);
    expect(discarded(inBranch(0), inBranch(1))).toEqual(['/operators/0/branch/0/operators/0/dedupe']);
  });

  it('is none of a join whose right side or name changes', () => {
    const join = (members: object) => ({
      join: { with: { streams: ['a'] }, left: 'l', right: 'r', within: { after: '1m' }, as: 'x', ...members },
    });
    const other = join({ with: { streams: ['b'] }, as: 'y' });
    expect(discarded([join({}), emit], [other, emit])).toEqual([]);
    expect(discarded([join({}), emit], [join({ left: 'other' }), emit])).toEqual(['/operators/0/join']);
  });
});
