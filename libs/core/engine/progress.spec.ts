import { beforeEach, describe, expect, it } from 'vitest';
import { StalledConsumerDetector } from './progress.js';

describe('Progress', () => {
  let now: number;
  let progress: StalledConsumerDetector;
  beforeEach(() => {
    now = 1_000_000;
    progress = new StalledConsumerDetector(() => now);
  });

  it('treats a consumer with lag and no progress for a minute as hanging', () => {
    now += 59_000;
    progress.measured(1);
    expect(progress.hangs(1)).toBe(false);
    now += 2_000;
    expect(progress.hangs(1)).toBe(true);
  });

  it('treats a consumer without lag as idle for any time', () => {
    now += 3_600_000;
    progress.measured(0);
    expect(progress.hangs(0)).toBe(false);
  });

  it('gives a consumer that was idle a minute from its first lag on', () => {
    now += 3_600_000;
    progress.measured(0);
    now += 5_000;
    progress.measured(1);
    expect(progress.hangs(1)).toBe(false);
    now += 56_000;
    progress.measured(1);
    expect(progress.hangs(1)).toBe(true);
  });

  it('treats a consumer as alive while it retries an unavailable engine', () => {
    now += 3_600_000;
    progress.attempted();
    expect(progress.hangs(1000)).toBe(false);
    now += 61_000;
    expect(progress.hangs(1000)).toBe(true);
  });

  it('treats a consumer as hanging if its lag was not measured for a minute', () => {
    now += 61_000;
    expect(progress.hangs(0)).toBe(true);
  });

  it('treats a consumer as alive again after progress', () => {
    now += 61_000;
    progress.moved();
    expect(progress.hangs(5)).toBe(false);
  });
});
