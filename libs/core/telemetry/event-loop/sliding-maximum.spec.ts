import { describe, expect, it } from 'vitest';
import { SlidingMaximum } from './watchdog.js';

describe('the maximum of the last 60 seconds', () => {
  it('is the largest value, even if it is read repeatedly', () => {
    const recent = new SlidingMaximum(60_000, 10_000);
    recent.observe(0.3, 1_000);
    recent.observe(0.9, 2_000);
    recent.observe(0.1, 15_000);
    expect([recent.at(20_000), recent.at(20_000)]).toEqual([0.9, 0.9]);
  });

  it('forgets a value when its slot is older than the window', () => {
    const recent = new SlidingMaximum(60_000, 10_000);
    recent.observe(0.9, 2_000);
    recent.observe(0.1, 15_000);
    expect(recent.at(59_999)).toBe(0.9);
    expect(recent.at(60_000)).toBe(0.1);
    expect(recent.at(70_000)).toBe(0);
  });
});
