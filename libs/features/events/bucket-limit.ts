import { limits } from '#event';
import type { EpochMicros } from '#json';
import { ProblemError } from '#api';
import type { StoredEventCountBucket } from '#store';
import '#store';

/** Limit of buckets in one answer. A request for more is refused, because a partial count would be a wrong count. */
export const maxBuckets = limits.pageMax;

/**
 * Refuses a count whose time range has more intervals than the answer may have buckets, before anything is read from
 * the store.
 * @throws ProblemError 400
 */
export function requireRangeWithinBucketLimit(
  range: { since?: EpochMicros; until?: EpochMicros },
  intervalSeconds?: number,
): void {
  if (intervalSeconds === undefined || range.since === undefined || range.until === undefined) return;
  if ((range.until - range.since) / (intervalSeconds * 1e6) <= maxBuckets) return;
  const detail = `divides the time from since to until into more than ${maxBuckets} buckets`;
  throw new ProblemError('invalid_request', `The interval ${detail}.`, {
    errors: [{ pointer: 'interval', detail }],
  });
}

/** Refuses to answer a count that has more buckets than `maxBuckets`. @throws ProblemError 422 `query_too_expensive` */
export function requireWithinBucketLimit(buckets: readonly StoredEventCountBucket[]): void {
  if (buckets.length <= maxBuckets) return;
  throw new ProblemError(
    'query_too_expensive',
    `The answer would have more than ${maxBuckets} buckets: use a longer interval, a shorter time range, or fewer groups.`,
  );
}
