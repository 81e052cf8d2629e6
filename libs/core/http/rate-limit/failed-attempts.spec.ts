import { describe, expect, it } from 'vitest';
import { FailedAuthAttempts } from './failed-attempts.js';

describe('failed attempts', () => {
  it('are tolerated up to 20 from one network, and then one every 3 seconds', () => {
    const attempts = new FailedAuthAttempts();
    for (let i = 0; i < 20; i++) expect(attempts.add('a', 0)).toBe(0);
    expect(attempts.add('a', 0)).toBe(3000);
    expect(attempts.add('a', 2999)).toBe(1);
    expect(attempts.add('a', 3000)).toBe(0);
    expect(attempts.add('a', 3000)).toBe(3000);
    for (let i = 0; i < 20; i++) expect(attempts.add('a', 63_000)).toBe(0);
    expect(attempts.add('a', 63_000)).toBeGreaterThan(0);
  });

  it('of one network do not count against another', () => {
    const attempts = new FailedAuthAttempts({ perMinute: 1, networks: 10 });
    expect(attempts.add('a', 0)).toBe(0);
    expect(attempts.add('b', 0)).toBe(0);
    expect(attempts.add('a', 0)).toBeGreaterThan(0);
  });

  it('are counted for a limited number of networks, those that failed last', () => {
    const attempts = new FailedAuthAttempts({ perMinute: 1, networks: 2 });
    attempts.add('a', 0);
    attempts.add('b', 0);
    attempts.add('a', 0);
    attempts.add('c', 0);
    expect(attempts.add('a', 0)).toBeGreaterThan(0);
    expect(attempts.add('b', 0)).toBe(0);
    expect(attempts.add('c', 0)).toBe(0);
  });
});
