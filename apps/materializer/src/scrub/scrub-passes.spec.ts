import type { ScrubPassProgress } from '#store';
import { beforeEach, describe, expect, it } from 'vitest';
import { noTotals, ScrubPasses } from './scrub-passes.js';

const hour = 3_600_000;
const partition = { topic: 't', partition: 0 };
let time: number;
let passes: ScrubPasses;

beforeEach(() => {
  time = 1e12;
  passes = new ScrubPasses(6 * hour, () => time);
});

function saved(request: string, progress: Partial<ScrubPassProgress> = {}): ScrubPassProgress {
  const row = { request, stream: 's', partition: 0, ...noTotals, is_complete: false };
  return { ...row, updated_at: time * 1000, ...progress };
}

describe('given a request', () => {
  beforeEach(() => passes.request('t', 'a'));

  it('when a partition is new here, its pass begins at the beginning of the log', () => {
    expect(passes.begin(partition, [])).toMatchObject({
      ...{ requests: ['a'], unsaved: ['a'], fromTheStart: true },
    });
  });

  it('when its pass over a partition is complete, no pass begins for it, here or in another process', () => {
    const complete = [saved('a', { compared: 5, is_complete: true })];
    expect(passes.begin(partition, complete)).toMatchObject({ requests: [], fromTheStart: false });
  });

  it('when more than an hour has passed, it is forgotten', () => {
    time += hour;
    expect(passes.begin(partition, [])).toMatchObject({ requests: [], fromTheStart: false });
  });

  it('when another one comes during its pass, the pass ends before the pass of the other one begins', () => {
    passes.begin(partition, []);
    passes.request('t', 'b');
    const moving = saved('a', { compared: 5 });
    expect(passes.begin(partition, [moving])).toEqual({
      ...{ requests: ['a'], unsaved: ['b'], fromTheStart: false },
      totals: { ...noTotals, compared: 5 },
    });
    time += 2 * hour;
    const waiting = saved('b', { updated_at: (time - 2 * hour) * 1000 });
    passes.completed(partition);
    expect(passes.begin(partition, [{ ...moving, is_complete: true }, waiting])).toMatchObject({
      ...{ requests: ['b'], fromTheStart: true },
    });
  });

  it('when others come before its pass has compared anything, one pass answers all of them', () => {
    passes.begin(partition, []);
    passes.request('t', 'b');
    expect(passes.begin(partition, [saved('a')])).toMatchObject({
      ...{ requests: ['a', 'b'], unsaved: ['b'], fromTheStart: true },
    });
  });
});

describe('given a process that is restarted during a requested pass', () => {
  it('when the partition has compared something within the last hour, the pass continues for its request', () => {
    const row = saved('a', { compared: 5, repaired: 1 });
    expect(passes.begin(partition, [row])).toEqual({
      ...{ requests: ['a'], unsaved: [], fromTheStart: false },
      totals: { ...noTotals, compared: 5, repaired: 1 },
    });
  });

  it('when the partition has compared nothing, the pass begins at the beginning of the log', () => {
    expect(passes.begin(partition, [saved('a')])).toMatchObject({ requests: ['a'], fromTheStart: true });
  });

  it('when the pass has not moved for an hour, it does not continue for its request', () => {
    const row = saved('a', { compared: 5, updated_at: (time - hour) * 1000 });
    expect(passes.begin(partition, [row])).toMatchObject({ requests: [], fromTheStart: false });
  });
});
