import { describe, expect, it } from 'vitest';
import { TimeLagEstimator } from './time-lag-estimator.js';

describe('the lag in seconds', () => {
  it('is 0 when everything has been committed', () => {
    expect(new TimeLagEstimator().observe({ end: 5, committed: 5 }, 0)).toBe(0);
  });

  it('grows while the group does not advance', () => {
    const clock = new TimeLagEstimator();
    const stuck = { end: 5, committed: 3 };
    expect([0, 1000, 60_000].map((now) => clock.observe(stuck, now))).toEqual([0, 1, 60]);
  });

  it('is the age of the oldest end that the group has not passed', () => {
    const clock = new TimeLagEstimator();
    for (let second = 0; second <= 10; second++) {
      clock.observe({ end: 100 * (second + 1), committed: 0 }, second * 1000);
    }
    expect(clock.observe({ end: 1200, committed: 700 }, 11_000)).toBe(4);
    expect(clock.observe({ end: 1200, committed: 1200 }, 12_000)).toBe(0);
  });

  it('starts again at 0 after the group has caught up', () => {
    const clock = new TimeLagEstimator();
    clock.observe({ end: 5, committed: 3 }, 0);
    clock.observe({ end: 5, committed: 5 }, 1000);
    expect(clock.observe({ end: 6, committed: 5 }, 9000)).toBe(0);
  });

  it('is 0 after a topic was deleted, of which records were unread', () => {
    const clock = new TimeLagEstimator();
    clock.observe({ end: 50, committed: 10 }, 0);
    expect(clock.observe({ end: 5, committed: 5 }, 1000)).toBe(0);
  });

  it('is correct even when the lag lasts for very many observations', () => {
    const clock = new TimeLagEstimator();
    for (let second = 0; second < 1000; second++) {
      clock.observe({ end: second + 1, committed: 0 }, second * 1000);
    }
    expect(clock.observe({ end: 1001, committed: 0 }, 1_000_000)).toBe(1000);
  });
});
