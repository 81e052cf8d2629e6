import type { HealthHistory, HealthHistorySample } from '#client';

/** A value at a time, in seconds since 1970. */
export type Point = readonly [seconds: number, value: number];

/** Returns the points of each chart. A sample without a figure has no point in its chart. */
export function healthPoints({ samples }: Pick<HealthHistory, 'samples'>) {
  const of = (valueOf: (sample: HealthHistorySample) => number | null | undefined): Point[] =>
    samples.flatMap((sample) => {
      const value = valueOf(sample);
      return value == null ? [] : [[Date.parse(sample.time) / 1000, value] as const];
    });
  return {
    freshness: of(({ materializer }) => materializer?.lag_seconds),
    materializer: of(({ materializer }) => materializer?.lag_events),
    processor: of(({ processor }) => processor?.lag_events),
    failedJobs: of(({ failed_jobs }) => failed_jobs),
  };
}

/** Returns the time of day (UTC) at which points begin, if that is later than the first minutes of a range; else ''. */
export function beginning(points: readonly Point[], [from]: readonly [number, number]): string {
  const first = points[0]?.[0];
  if (first === undefined || first < from + 120) return '';
  return new Date(first * 1000).toISOString().slice(11, 16);
}
