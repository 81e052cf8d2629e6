import { describe, expect, it } from 'vitest';
import { CommitLine } from './commit-line.js';

describe('CommitLine', () => {
  it('commits one at a time, and of several that wait only the furthest', async () => {
    const commits: number[] = [];
    let answer: (() => void)[] = [];
    const line = new CommitLine(0, async (next) => {
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

  it('never goes back', async () => {
    const commits: number[] = [];
    const line = new CommitLine(50, async (next) => commits.push(next) > 0);
    await line.offer(40);
    await line.offer(60);
    await line.offer(55);
    expect(commits).toEqual([60]);
  });

  it('does not count as committed what is refused because the partition is no longer ours', async () => {
    const line = new CommitLine(5, async () => false);
    await line.offer(9);
    expect(line.committed).toBe(5);
  });

  it('rejects with what the log says', async () => {
    const line = new CommitLine(5, () => Promise.reject(new Error('broken')));
    await expect(line.offer(9)).rejects.toThrow('broken');
  });
});
