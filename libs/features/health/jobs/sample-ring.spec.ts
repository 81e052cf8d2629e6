import { describe, expect, it } from 'vitest';
import { SampleRing } from './sample-ring.js';

const ring = () => new SampleRing({ intervalSeconds: 10, samples: 4 });
const lag = (lag_events: number, lag_seconds = 0) => ({ lag_events, lag_seconds });
const lags = (of: SampleRing, now: number) => of.samples(now).lag_events;

describe('the samples of a job', () => {
  it('are empty where nobody has measured', () => {
    const empty = [null, null, null, null];
    expect(ring().samples(1_000_000)).toEqual({
      ...{ processed_per_second: empty, failed: empty, lag_events: empty, lag_seconds: empty },
    });
  });

  it('have the mean rate, the failed events and the largest lag of each interval', () => {
    const one = ring();
    one.addCounts({ processed: 10, failed: 1, seconds: 5 }, 100_000);
    one.addCounts({ processed: 5, failed: 2, seconds: 5 }, 109_999);
    one.addLag(lag(7, 1.5), 100_000);
    one.addLag(lag(3, 2.5), 105_000);
    one.addLag(lag(0), 110_000);
    expect(one.samples(110_000)).toEqual({
      processed_per_second: [null, null, 1.5, null],
      failed: [null, null, 3, null],
      lag_events: [null, null, 7, 0],
      lag_seconds: [null, null, 2.5, 0],
    });
  });

  it('are forgotten after the span, also those in front of a gap', () => {
    const one = ring();
    for (const [at, events] of [0, 1, 2, 3, 4].entries()) one.addLag(lag(events), at * 10_000);
    expect(lags(one, 40_000)).toEqual([1, 2, 3, 4]);
    one.addLag(lag(6), 60_000);
    expect(lags(one, 60_000)).toEqual([3, 4, null, 6]);
    expect(lags(one, 80_000)).toEqual([null, 6, null, null]);
    one.addLag(lag(9), 900_000);
    expect(lags(one, 900_000)).toEqual([null, null, null, 9]);
  });

  it('go on when the clock is set back, and forget what a clock measured that was far ahead', () => {
    const one = ring();
    one.addLag(lag(1), 60_000);
    one.addLag(lag(5), 50_000);
    expect(lags(one, 60_000)).toEqual([null, null, null, 5]);
    one.addLag(lag(7), 86_400_000);
    one.addLag(lag(2), 70_000);
    expect(lags(one, 70_000)).toEqual([null, null, null, 2]);
  });
});
