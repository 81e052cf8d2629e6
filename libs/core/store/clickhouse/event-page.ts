import type { StoredEvent } from '#event';
import { eventCursor, eventCursorPosition, type EventPageSortKey } from '../event-page-sort-key.js';
import type { EventQuery, CursorPage } from '../store.js';
import {
  eventPageSql,
  type EventPageQuery,
  positionOf,
  toStoredEvent,
  withoutRepeats,
  type EventResultRow,
} from './event-query.js';
import type { TimeRangeHints } from './time-range-hints.js';
import { namedStreams } from './connection/stream-scope.js';
import type { ParameterizedSql } from './connection/sql-params.js';

type ReadRows = (sql: ParameterizedSql) => Promise<EventResultRow[]>;

/**
 * Reads one page of events in the page order (timestamp, partition, offset, stream), each event once. A page with fewer
 * events than the limit is the last one.
 */
export async function readEventPage(
  query: EventQuery,
  timeRanges: TimeRangeHints,
  read: ReadRows,
): Promise<CursorPage<StoredEvent>> {
  const after = eventCursorPosition(query);
  // One extra row shows whether there is a next page.
  const rows = await readRows({ ...query, after, rows: query.limit + 1 }, query, { timeRanges, read });
  const items = rows.slice(0, query.limit);
  const last = items.at(-1);
  if (rows.length <= query.limit || !last) return { items: items.map(toStoredEvent) };
  return { items: items.map(toStoredEvent), nextCursor: eventCursor(query, positionOf(last)) };
}

async function readRows(
  page: EventPageQuery,
  query: EventQuery,
  { timeRanges, read }: { timeRanges: TimeRangeHints; read: ReadRows },
): Promise<EventResultRow[]> {
  // For a single stream, the table order is the page order; for named entities, the rows are few. No time
  // bound is needed.
  if (namedStreams(query)?.length === 1 || query.entityIds) return readFull(page, read);
  const bound = timeRanges.bound(query, page.after);
  let rows = bound === undefined ? [] : await readFull({ ...page, bound }, read);
  if (rows.length < page.rows) rows = await readFull(page, read);
  timeRanges.remember(query, page.after, rows.length < page.rows ? undefined : rows.at(-1)?.[7]);
  return rows;
}

/**
 * Reads until the page is full: repeated rows of an event make an answer shorter, so the query continues
 * after its last row.
 */
async function readFull(page: EventPageQuery, read: ReadRows): Promise<EventResultRow[]> {
  let found: EventResultRow[] = [];
  let after: EventPageSortKey | undefined = page.after;
  for (;;) {
    const asked = page.rows - found.length;
    const rows = await read(eventPageSql({ ...page, after, rows: asked }));
    found = withoutRepeats([...found, ...rows]);
    const last = found.at(-1);
    if (rows.length < asked || found.length >= page.rows || !last) return found;
    after = positionOf(last);
  }
}
