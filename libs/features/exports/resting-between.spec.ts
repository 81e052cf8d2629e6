import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { restingBetween } from './resting-between.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Pages, each of which takes `ms` to read. */
async function* pagesOf(ms: number): AsyncGenerator<number> {
  for (let page = 1; page <= 3; page++) {
    await new Promise((resolve) => setTimeout(resolve, ms));
    yield page;
  }
}

/** Returns the times in milliseconds at which the pages arrive. */
async function arrivals(ms: number, areOthersBusy: () => boolean): Promise<number[]> {
  const began = Date.now();
  const times: number[] = [];
  const reading = (async () => {
    for await (const _ of restingBetween(pagesOf(ms), areOthersBusy)) times.push(Date.now() - began);
  })();
  await vi.advanceTimersByTimeAsync(10_000);
  await reading;
  return times;
}

describe('the pages of an export', () => {
  it('given no queries, follow each other without a rest', async () => {
    expect(await arrivals(50, () => false)).toEqual([50, 100, 150]);
  });

  it('given queries, take half of the time', async () => {
    expect(await arrivals(50, () => true)).toEqual([50, 150, 250]);
  });

  it('given queries and slow pages, rest for at most 200 ms', async () => {
    expect(await arrivals(1_000, () => true)).toEqual([1_000, 2_200, 3_400]);
  });
});
