import { createHash } from 'node:crypto';
import type { EventPosition } from '../event-position.js';
import type { EventQuery } from '../store.js';

/** How far the last page of a kind of query reached. */
interface Reach {
  /** Microseconds between where it was asked to start and its last event; unknown where it had no start. */
  span?: number;
  /** The time of its last event. */
  last: number;
}

const kindsKept = 1_000;
/** A page is looked for within this many times the span that the last one had. */
const margin = 4;

/**
 * Over several streams no table has the order of pages: a page is the top of a sort. Asked for within a bound of time
 * it is small work (the key skips every granule outside), asked for without one it goes through everything. This
 * remembers how far pages of one kind reached and proposes a bound. A bound is never relied on: a page that does not
 * come out full within it is asked for again without.
 */
export class PageSpans {
  private readonly reaches = new Map<string, Reach | null>();

  /** A time up to which (descending: down to which), inclusive, the page is likely to be full. */
  bound(query: EventQuery, after: EventPosition | undefined): number | undefined {
    const reach = this.reaches.get(kindOf(query));
    if (!reach) return undefined;
    const start = startOf(query, after);
    if (start === undefined) return reach.last;
    if (reach.span === undefined) return undefined;
    const distance = Math.max(reach.span, 1) * margin;
    return query.order === 'asc' ? start + distance : start - distance;
  }

  /** @param last The time of the page's last event, or undefined when it was not full. */
  remember(query: EventQuery, after: EventPosition | undefined, last: number | undefined): void {
    const kind = kindOf(query);
    const start = startOf(query, after);
    const known = this.reaches.get(kind);
    this.reaches.delete(kind);
    this.reaches.set(
      kind,
      last === undefined ? null : { last, span: start === undefined ? known?.span : Math.abs(last - start) },
    );
    const oldest = this.reaches.keys().next().value;
    if (this.reaches.size > kindsKept && oldest !== undefined) this.reaches.delete(oldest);
  }
}

function startOf(query: EventQuery, after: EventPosition | undefined): number | undefined {
  return after?.timestamp ?? (query.order === 'asc' ? query.since : query.until);
}

/** Queries of one kind differ in nothing but times and cursor. */
function kindOf(query: EventQuery): string {
  const started = query.cursor !== undefined || startOf(query, undefined) !== undefined;
  const text = JSON.stringify(
    [
      query.access,
      query.streams,
      query.eventTypes,
      query.eventTypePrefix,
      query.where,
      query.order,
      query.limit,
      started,
    ],
    (_key, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value),
  );
  return createHash('sha256').update(text).digest('base64');
}
