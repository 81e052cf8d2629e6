import { createHash } from 'node:crypto';
import type { EventPageSortKey } from '../event-page-sort-key.js';
import type { EventQuery } from '../store.js';

/** The time range that the last page of one kind of query has covered. */
interface PageTimeRange {
  /** Microseconds between the page's start time and its last event; unknown if the query had no start time. */
  span?: number;
  /** The timestamp of the page's last event, in microseconds. */
  last: number;
}

const maxQueryKinds = 1_000;
/** A read first searches this multiple of the time range of the last page. */
const searchFactor = 4;

/**
 * Time-range hints for pages over several streams. No table has the page order over several streams, so
 * ClickHouse sorts the matching rows. With a time bound this is little work, because the primary key skips
 * all other granules; without one, ClickHouse reads every matching row. This class remembers the time range
 * of the last page of each kind of query and proposes a bound. A bound is only a hint: if the page is not
 * full within the bound, the caller repeats the query without it.
 */
export class TimeRangeHints {
  private readonly ranges = new Map<string, PageTimeRange | null>();

  /**
   * Returns a time, inclusive, up to which (for descending order, down to which) the page is likely to be
   * full. Undefined if there is no hint.
   */
  bound(query: EventQuery, after: EventPageSortKey | undefined): number | undefined {
    const range = this.ranges.get(queryKindOf(query));
    if (!range) return undefined;
    const start = startOf(query, after);
    if (start === undefined) return range.last;
    if (range.span === undefined) return undefined;
    const distance = Math.max(range.span, 1) * searchFactor;
    return query.order === 'asc' ? start + distance : start - distance;
  }

  /** @param last The timestamp of the page's last event; undefined if the page was not full. */
  remember(query: EventQuery, after: EventPageSortKey | undefined, last: number | undefined): void {
    const kind = queryKindOf(query);
    const start = startOf(query, after);
    const known = this.ranges.get(kind);
    this.ranges.delete(kind);
    this.ranges.set(
      kind,
      last === undefined ? null : { last, span: start === undefined ? known?.span : Math.abs(last - start) },
    );
    const oldest = this.ranges.keys().next().value;
    if (this.ranges.size > maxQueryKinds && oldest !== undefined) this.ranges.delete(oldest);
  }
}

function startOf(query: EventQuery, after: EventPageSortKey | undefined): number | undefined {
  return after?.timestamp ?? (query.order === 'asc' ? query.since : query.until);
}

/** Returns a key for the kind of a query: queries of one kind differ only in their times and cursor. */
function queryKindOf(query: EventQuery): string {
  const started = query.cursor !== undefined || startOf(query, undefined) !== undefined;
  const { access, streams, eventTypes, eventTypePrefix, where, order, limit } = query;
  const text = JSON.stringify(
    [access, streams, eventTypes, eventTypePrefix, where, order, limit, started],
    (_key, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value),
  );
  return createHash('sha256').update(text).digest('base64');
}
