import { Injectable } from '@nestjs/common';
import type { Definitions } from '#registry';
import type { ConsumerLag } from './materializer-lag-reader.js';

/** Figures of one interval. A figure that nobody has measured is missing. */
interface HealthFigures {
  materializer?: ConsumerLag;
  processor?: ConsumerLag;
  /** Number of failed projections and pipelines. */
  failed_jobs?: number;
}

/** The largest figures of one interval, and its start in milliseconds since 1970. */
interface HealthSample extends HealthFigures {
  start: number;
}

/** Length of an interval, in milliseconds. */
export const historyIntervalMs = 15_000;

/** Number of intervals in the history: an hour. */
const mostSamples = 240;

/**
 * Keeps the measurements of the last hour in memory: the largest ones of each 15 seconds. The history measures nothing
 * itself: whoever measures adds the result, so the history costs no request to Kafka.
 */
@Injectable()
export class HealthHistory {
  private kept: HealthSample[] = [];

  /** Adds measurements of the time `now`, in milliseconds since 1970. */
  add(figures: HealthFigures, now = Date.now()): void {
    const start = now - (now % historyIntervalMs);
    // A clock that was far ahead has left samples that would take in all later measurements.
    this.kept = this.kept.filter((sample) => sample.start < start + mostSamples * historyIntervalMs);
    const newest = this.kept.at(-1);
    if (newest && newest.start >= start) this.kept[this.kept.length - 1] = largest(newest, figures);
    else this.kept.push({ start, ...figures });
    if (this.kept.length > mostSamples) this.kept.shift();
  }

  /** Returns the samples of the hour before `now`, the oldest first. */
  samples(now = Date.now()): readonly HealthSample[] {
    return this.kept.filter(({ start }) => start > now - mostSamples * historyIntervalMs);
  }
}

/** Returns the number of failed definitions of all kinds, such as projections and pipelines. */
export function failedJobs(definitions: Pick<Definitions, 'failed'>): number {
  return Object.values(definitions.failed()).reduce((sum, count) => sum + count, 0);
}

function largest(
  sample: HealthSample,
  { materializer, processor, failed_jobs }: HealthFigures,
): HealthSample {
  return {
    ...sample,
    ...(materializer && { materializer: largerLag(materializer, sample.materializer) }),
    ...(processor && { processor: largerLag(processor, sample.processor) }),
    ...(failed_jobs !== undefined && { failed_jobs: Math.max(failed_jobs, sample.failed_jobs ?? 0) }),
  };
}

function largerLag(one: ConsumerLag, other: ConsumerLag = one): ConsumerLag {
  return {
    lag_events: Math.max(one.lag_events, other.lag_events),
    lag_seconds: Math.max(one.lag_seconds, other.lag_seconds),
  };
}
