interface Lag {
  lag_events: number;
  lag_seconds: number;
}

/** A sample of the history of the gateway. A figure that was not measured is null. */
interface Sample {
  time: string;
  materializer: Lag | null;
  processor: Lag | null;
  failed_jobs: number | null;
}

/** A value at a time, in seconds since 1970. */
export type Point = readonly [seconds: number, value: number];

/** The figures of the overview that the history of the gateway has. */
interface HealthPoints {
  freshness: readonly Point[];
  materializer: readonly Point[];
  processor: readonly Point[];
  failedJobs: readonly Point[];
}

/** Returns the points of each chart. A sample without a figure has no point in its chart. */
export function healthPoints({ samples }: { samples: readonly Sample[] }): HealthPoints {
  const of = (figure: (sample: Sample) => number | null | undefined): Point[] =>
    samples.flatMap((sample) => {
      const value = figure(sample);
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
