import { expect, it } from 'vitest';
import { RateLimit } from './rate-limit.js';

it('makes a caller wait for the units that were taken before, and ends the wait with the signal', async () => {
  let now = 0;
  const rate = new RateLimit(10, () => now);
  const { signal } = new AbortController();
  await rate.take(1_000_000, signal);
  const ended = new AbortController();
  const waiting = rate.take(1, ended.signal);
  ended.abort();
  await expect(waiting).rejects.toThrow();
  now = 1e9;
  await rate.take(1, signal);
});
