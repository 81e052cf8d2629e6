import { describe, expect, it } from 'vitest';
import { beginning, healthPoints } from './health-points.js';

describe('the points of a chart', () => {
  const sample = (time: string, more: object) => ({
    ...{ time, materializer: null, processor: null, failed_jobs: null, ...more },
  });

  it('are the figures that were measured', () => {
    const points = healthPoints({
      samples: [
        sample('1970-01-01T00:00:15Z', { materializer: { lag_events: 3, lag_seconds: 0.5 }, failed_jobs: 0 }),
        sample('1970-01-01T00:00:30Z', { processor: { lag_events: 7, lag_seconds: 2 } }),
      ],
    });
    expect(points).toEqual({
      freshness: [[15, 0.5]],
      materializer: [[15, 3]],
      processor: [[30, 7]],
      failedJobs: [[15, 0]],
    });
  });

  it('say when they begin, unless they fill the range', () => {
    expect(beginning([[3_600, 1]], [0, 3_700])).toBe('01:00');
    expect(beginning([[100, 1]], [0, 3_600])).toBe('');
    expect(beginning([], [0, 3_600])).toBe('');
  });
});
