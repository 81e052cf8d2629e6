import { describe, expect, it } from 'vitest';
import { PollBackoff } from './poll-backoff.js';

const backoffWith = (fetchWaitMs: number) => new PollBackoff({ fetchWaitMs, fetchCollectMs: 25 });

describe('the poll back-off of fetches', () => {
  it('waits for the full time while no partition is paused', () => {
    expect(backoffWith(100).waitMs({ hasPaused: false, partitions: 1 })).toBe(100);
  });

  it('begins with short waits while a partition is paused, and doubles them until records arrive', () => {
    const backoff = backoffWith(100);
    const waits: number[] = [];
    for (const bytes of [0, 0, 0, 0, 0, 100, 0]) {
      waits.push(backoff.waitMs({ hasPaused: true, partitions: 1 }));
      backoff.answered({ bytes });
    }
    expect(waits).toEqual([10, 20, 40, 80, 100, 100, 10]);
  });

  it('never waits longer than without a paused partition', () => {
    expect(backoffWith(5).waitMs({ hasPaused: true, partitions: 1 })).toBe(5);
  });

  it('pauses after a small response, but not after an empty or a large one', () => {
    const backoff = backoffWith(100);
    expect([0, 1, 65_535, 65_536].map((bytes) => backoff.answered({ bytes }))).toEqual([0, 25, 25, 0]);
  });

  it('waits longer for many partitions, because the broker checks each of them', () => {
    const backoff = backoffWith(100);
    const waits = [100, 400, 2_000, 100_000].map((partitions) => [
      backoff.waitMs({ hasPaused: false, partitions }),
      backoff.waitMs({ hasPaused: true, partitions }),
    ]);
    expect(waits).toEqual([
      [100, 10],
      [100, 10],
      [500, 50],
      [1_000, 100],
    ]);
  });
});
