import { limits } from '#event';
import type { EpochMicros } from '#json';
import { ProblemError } from '#api';
import { Calendar, type CalendarUnit } from '#cel';
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
  throw rejectedParameter(
    'interval',
    `divides the time from since to until into more than ${maxBuckets} buckets`,
  );
}

/** Query parameters of a count that divide its time range. */
interface CountIntervals {
  readonly since?: EpochMicros;
  readonly until?: EpochMicros;
  readonly interval?: number;
  readonly calendar?: CalendarUnit;
  readonly zone?: string;
}

/**
 * Returns the starts of the buckets of a count by the intervals of a calendar; undefined for other counts. `since` and
 * `until` are required, because they bound the number of intervals.
 * @throws ProblemError 400
 */
export function calendarStarts(query: CountIntervals): EpochMicros[] | undefined {
  const { since, until, interval, calendar, zone } = query;
  if (calendar === undefined) {
    if (zone !== undefined) throw rejectedParameter('zone', 'is only for a count with calendar');
    return undefined;
  }
  if (interval !== undefined) throw rejectedParameter('interval', 'must not be there beside calendar');
  if (zone === undefined) throw rejectedParameter('zone', 'is required with calendar, such as Europe/Berlin');
  if (since === undefined) throw rejectedParameter('since', 'is required with calendar');
  if (until === undefined) throw rejectedParameter('until', 'is required with calendar');
  const starts = calendarOf(calendar, zone).startsBetween(since, until, maxBuckets + 1);
  if (starts.length > maxBuckets)
    throw rejectedParameter(
      'calendar',
      `divides the time from since to until into more than ${maxBuckets} buckets`,
    );
  return starts;
}

function calendarOf(unit: CalendarUnit, zone: string): Calendar {
  try {
    return new Calendar(unit, zone);
  } catch (error) {
    if (error instanceof RangeError) throw rejectedParameter('zone', error.message);
    throw error;
  }
}

/** Returns the problem of a parameter that does not fit the others. */
export function rejectedParameter(pointer: string, detail: string): ProblemError {
  return new ProblemError('invalid_request', `${pointer} ${detail}.`, { errors: [{ pointer, detail }] });
}

/** Refuses to answer a count that has more buckets than `maxBuckets`. @throws ProblemError 422 `query_too_expensive` */
export function requireWithinBucketLimit(buckets: readonly StoredEventCountBucket[]): void {
  if (buckets.length <= maxBuckets) return;
  throw new ProblemError(
    'query_too_expensive',
    `The answer would have more than ${maxBuckets} buckets: use a longer interval, a shorter time range, or fewer groups.`,
  );
}
