import { describe, expect, it } from 'vitest';
import { usageOf } from './process-usage.js';

describe('the usage of a process', () => {
  it('matches the values that the process reads itself', () => {
    const { rss, cpuSeconds } = usageOf(process.pid);
    const own = process.cpuUsage();
    expect(rss / process.memoryUsage().rss).toBeCloseTo(1, 0);
    expect(Math.abs(cpuSeconds - (own.user + own.system) / 1e6)).toBeLessThan(0.5);
  });

  it('grows with its computations', () => {
    const before = usageOf(process.pid).cpuSeconds;
    const until = process.cpuUsage().user + 100_000;
    while (process.cpuUsage().user < until);
    expect(usageOf(process.pid).cpuSeconds).toBeGreaterThan(before);
  });
});
