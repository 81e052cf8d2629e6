import { describe, expect, it } from 'vitest';
import { ProblemError } from '#api';
import { KeyRateLimiter } from './key-limits.js';
import { rateLimitRejections } from '../metrics.js';

describe('the limits of a key', () => {
  it('are reported in the headers of the IETF draft, for each limited unit', () => {
    const limits = new KeyRateLimiter({ requestsPerSecond: 10, eventsPerSecond: 100 });
    limits.take('requests', 1, 0);
    limits.take('events', 1000, 0);
    expect(limits.headers(0)).toEqual({
      'ratelimit-policy': '"requests";q=10;qu="requests";w=1, "events";q=100;qu="events";w=1',
      ratelimit: '"requests";r=9;t=1, "events";r=0;t=10',
    });
    expect(new KeyRateLimiter({ requestsPerSecond: 1 }).headers(0)).toEqual({
      'ratelimit-policy': '"requests";q=1;qu="requests";w=1',
      ratelimit: '"requests";r=1;t=0',
    });
  });

  it('reject a request over them with the seconds to wait, and accept it after that time', () => {
    const limits = new KeyRateLimiter({ eventsPerSecond: 100 });
    limits.take('events', 10_000, 0);
    const problem = refusal(() => limits.take('events', 1, 0));
    expect(problem.code).toBe('too_many_requests');
    expect(problem.options.retryAfterSeconds).toBe(100);
    expect(problem.message).toBe('This key may use 100 events per second. Repeat the request in 100 s.');
    expect(problem.options.headers?.ratelimit).toBe('"events";r=0;t=100');
    limits.take('events', 1, 100_000);
  });

  it('count rejections by unit', async () => {
    const refused = async () =>
      (await rateLimitRejections.get()).values.find(({ labels }) => labels.unit === 'events')?.value ?? 0;
    const before = await refused();
    const limits = new KeyRateLimiter({ eventsPerSecond: 1, requestsPerSecond: 1 });
    limits.take('events', 5, 0);
    for (let i = 0; i < 2; i++) refusal(() => limits.take('events', 1, 0));
    expect(await refused()).toBe(before + 2);
  });

  it('do not limit other units, and a count of 0 has no effect', () => {
    const limits = new KeyRateLimiter({ eventsPerSecond: 1 });
    for (let i = 0; i < 100; i++) limits.take('requests', 1, 0);
    limits.take('events', 1, 0);
    limits.take('events', 0, 0);
    expect(() => limits.take('events', 1, 0)).toThrow(ProblemError);
  });
});

function refusal(action: () => unknown): ProblemError {
  try {
    action();
  } catch (error) {
    if (error instanceof ProblemError) return error;
    throw error;
  }
  throw new Error('it was accepted');
}
