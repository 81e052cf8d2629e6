import { describe, expect, it } from 'vitest';
import { IngestClock } from './ingest-clock.js';

describe('the ingest clock', () => {
  it('returns the wall-clock time in whole microseconds', () => {
    const now = new IngestClock().now();
    expect(Number.isInteger(now)).toBe(true);
    expect(Math.abs(now / 1000 - Date.now())).toBeLessThan(1000);
  });

  it('continues when the wall clock steps back, and follows the wall clock when it steps ahead', () => {
    let [wall, monotonic] = [1_000_000, 0];
    const clock = new IngestClock(
      () => wall,
      () => monotonic,
    );
    [wall, monotonic] = [wall - 500_000, 10.5];
    expect(clock.now()).toBe(1_000_010_500);
    [wall, monotonic] = [2_000_000, 20];
    expect(clock.now()).toBe(2_000_000_000);
    monotonic = 21;
    expect(clock.now()).toBe(2_000_001_000);
  });
});
