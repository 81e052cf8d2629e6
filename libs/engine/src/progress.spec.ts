import { beforeEach, describe, expect, it } from 'vitest';
import { Progress } from './progress.js';

describe('Progress', () => {
  let now: number;
  let progress: Progress;
  beforeEach(() => {
    now = 1_000_000;
    progress = new Progress(() => now);
  });

  it('calls a consumer hanging that has lag and has not moved for a minute', () => {
    now += 59_000;
    progress.measured(1);
    expect(progress.hangs(1)).toBe(false);
    now += 2_000;
    expect(progress.hangs(1)).toBe(true);
  });

  it('calls one without lag idle, however long', () => {
    now += 3_600_000;
    progress.measured(0);
    expect(progress.hangs(0)).toBe(false);
  });

  it('gives one that was idle for long a minute from the first lag on', () => {
    now += 3_600_000;
    progress.measured(0);
    now += 5_000;
    progress.measured(1);
    expect(progress.hangs(1)).toBe(false);
    now += 56_000;
    progress.measured(1);
    expect(progress.hangs(1)).toBe(true);
  });

  it('calls one alive that keeps trying an engine that does not answer', () => {
    now += 3_600_000;
    progress.attempted();
    expect(progress.hangs(1000)).toBe(false);
    now += 61_000;
    expect(progress.hangs(1000)).toBe(true);
  });

  it('calls one hanging when not even the lag has become known for a minute', () => {
    now += 61_000;
    expect(progress.hangs(0)).toBe(true);
  });

  it('is alive again as soon as something moves', () => {
    now += 61_000;
    progress.moved();
    expect(progress.hangs(5)).toBe(false);
  });
});
