import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TokenBucket } from './token-bucket.js';

describe('a token bucket', () => {
  it('grants its burst at once, and then each token when it has flowed in', () => {
    const bucket = new TokenBucket(4, 4);
    for (let i = 0; i < 4; i++) expect(bucket.take(1, 0)).toBe(0);
    expect(bucket.take(1, 0)).toBe(250);
    expect(bucket.take(1, 249)).toBe(1);
    expect(bucket.take(1, 250)).toBe(0);
    expect(bucket.take(1, 250)).toBe(250);
  });

  it('does not collect more than its burst', () => {
    const bucket = new TokenBucket(2, 2);
    expect(bucket.remaining(3_600_000)).toBe(2);
  });

  it('grants more than its capacity if it has no debt, and nothing more until the debt is paid', () => {
    const bucket = new TokenBucket(100, 100);
    expect(bucket.take(10_000, 0)).toBe(0);
    expect(bucket.remaining(0)).toBe(0);
    expect(bucket.take(1, 0)).toBe(99_010);
    expect(bucket.take(10_000, 99_009)).toBe(1);
    expect(bucket.take(10_000, 99_010)).toBe(0);
  });

  it.each([1, 3, 7, 999])('counts exactly at a rate of %d, at any time of the clock', (rate) => {
    for (let now = 0.1; now < 1e10; now = now * 7.3) {
      const bucket = new TokenBucket(rate, rate);
      for (let taken = 1; taken < Math.min(rate, 50); taken++) {
        expect(bucket.take(1, now)).toBe(0);
        expect(bucket.remaining(now)).toBe(rate - taken);
      }
    }
  });

  it('takes nothing when it rejects: the returned time to wait remains correct', () => {
    const bucket = new TokenBucket(1, 1);
    bucket.take(1, 0);
    for (let i = 0; i < 100; i++) bucket.take(1, 10);
    expect(bucket.take(1, 1000)).toBe(0);
  });

  it('returns the time until one more token is available', () => {
    const bucket = new TokenBucket(2, 2);
    expect(bucket.msUntilMore(0)).toBe(0);
    bucket.take(1, 0);
    expect(bucket.msUntilMore(100)).toBe(400);
  });

  it('grants nothing if the clock steps back', () => {
    const bucket = new TokenBucket(1, 1);
    bucket.take(1, 1000);
    expect(bucket.remaining(0)).toBe(0);
    expect(bucket.take(1, 1999)).toBe(1);
  });

  it('never grants more than burst, rate and one last larger request', () => {
    const requests = fc.array(fc.tuple(fc.nat(3000), fc.integer({ min: 1, max: 50 })), { maxLength: 200 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 20 }), requests, (rate, asked) => {
        const bucket = new TokenBucket(rate, rate);
        let [now, before] = [0, 0];
        for (const [passed, count] of asked) {
          now += passed;
          if (bucket.take(count, now) > 0) continue;
          expect(before).toBeLessThanOrEqual(rate + (now / 1000) * rate + 1e-6);
          before += count;
        }
      }),
    );
  });
});
