import { describe, expect, it } from 'vitest';
import { OffsetCommitter } from './offset-committer.js';

describe('OffsetCommitter', () => {
  it('commits one offset at a time, and only the highest of several waiting ones', async () => {
    const commits: number[] = [];
    let answer: (() => void)[] = [];
    const line = new OffsetCommitter(0, async (next) => {
      commits.push(next);
      await new Promise<void>((resolve) => answer.push(resolve));
      return true;
    });
    const offers = [line.offer(10), line.offer(20), line.offer(30), line.offer(25)];
    answer.shift()!();
    await new Promise(setImmediate);
    answer.shift()!();
    await Promise.all(offers);
    answer = [];
    expect([commits, line.committed]).toEqual([[10, 30], 30]);
  });

  it('never commits a lower offset', async () => {
    const commits: number[] = [];
    const line = new OffsetCommitter(50, async (next) => commits.push(next) > 0);
    await line.offer(40);
    await line.offer(60);
    await line.offer(55);
    expect(commits).toEqual([60]);
  });

  it('does not record an offset as committed if the partition is no longer owned', async () => {
    const line = new OffsetCommitter(5, async () => false);
    await line.offer(9);
    expect(line.committed).toBe(5);
  });

  it('rejects with the error of the log', async () => {
    const line = new OffsetCommitter(5, () => Promise.reject(new Error('broken')));
    await expect(line.offer(9)).rejects.toThrow('broken');
  });
});
