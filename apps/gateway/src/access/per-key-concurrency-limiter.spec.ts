import { describe, expect, it } from 'vitest';
import { PerKeyConcurrencyLimiter } from './per-key-concurrency-limiter.js';

describe('the running operations of a key', () => {
  it('are limited for each key separately', () => {
    const running = new PerKeyConcurrencyLimiter(2, 'exports');
    const leave = running.enter('a');
    running.enter('a');
    expect(() => running.enter('a')).toThrow('This key may run 2 exports at once');
    running.enter('b');
    leave();
    running.enter('a');
    expect(() => running.enter('a')).toThrow();
  });

  it('are not limited for callers without a key', () => {
    const running = new PerKeyConcurrencyLimiter(1, 'exports');
    running.enter(null);
    running.enter(null);
  });
});
