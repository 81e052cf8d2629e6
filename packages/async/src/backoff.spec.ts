import { describe, expect, it } from 'vitest';
import { Backoff } from './backoff.js';

describe('Backoff', () => {
  it('doubles each wait up to the limit', () => {
    const backoff = new Backoff(100, 500);
    expect([1, 2, 3, 4, 5].map(() => backoff.next())).toEqual([100, 200, 400, 500, 500]);
  });

  it('restarts with the first wait after a reset', () => {
    const backoff = new Backoff(100, 500);
    backoff.next();
    backoff.next();
    backoff.reset();
    expect([backoff.next(), backoff.next()]).toEqual([100, 200]);
  });
});
