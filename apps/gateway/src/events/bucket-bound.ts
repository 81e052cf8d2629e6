import { limits, type Micros } from '#event';
import { ProblemError } from '#api';
import type { CountBucket } from '#store';

/** Buckets that one answer holds; more is refused, because a part of a count would be a wrong count. */
export const mostBuckets = limits.pageMax;

/**
 * Refuses a range that is cut into more stretches than an answer holds, before anything is read.
 * @throws ProblemError 400
 */
export function requireFewStretches(
  range: { since?: Micros; until?: Micros },
  intervalSeconds?: number,
): void {
  if (intervalSeconds === undefined || range.since === undefined || range.until === undefined) return;
  if ((range.until - range.since) / (intervalSeconds * 1e6) <= mostBuckets) return;
  const detail = `cuts the time from since to until into more than ${mostBuckets} stretches`;
  throw new ProblemError('invalid_request', `The interval ${detail}.`, {
    errors: [{ pointer: 'interval', detail }],
  });
}

/** @throws ProblemError 422 `query_too_expensive` */
export function requireFewBuckets(buckets: readonly CountBucket[]): void {
  if (buckets.length <= mostBuckets) return;
  throw new ProblemError(
    'query_too_expensive',
    `The counts would be more than ${mostBuckets}: take a longer interval, a shorter time, or fewer groups.`,
  );
}
