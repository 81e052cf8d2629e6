import { reservedStreamPrefix } from '#api';
import { readableEventColumns, quoteText, quoteIdentifier, selectClause } from '#store';
import type { AnalystViews, EventTypeView } from './analyst-sql.js';
import { projectionSelect } from './projection-view.js';

/** Name of the SQL view with the events of all streams, except Tributary's own. */
export const eventsView = 'events';

/**
 * Returns the SELECT of each SQL view by the name of the view. FINAL: each event or key appears once. Rows that were
 * deleted are hidden by ClickHouse itself.
 */
export function viewSelects(views: AnalystViews, tables: string): Map<string, string> {
  return new Map([
    [
      eventsView,
      `${readableEventColumns} ${selectClause([], readable)} ${eventsOf(tables)} AND ${notReserved}`,
    ],
    ...views.eventTypes.map((view) => [view.view, eventTypeSelect(view, tables)] as const),
    ...views.projections.map((view) => [view.view, projectionSelect(view, tables)] as const),
  ]);
}

const notReserved = `NOT startsWith(events.stream, ${quoteText(reservedStreamPrefix)})`;

/**
 * Returns the FROM clause for events. The clause excludes rows of dropped streams, which may have been written after
 * the drop.
 */
function eventsOf(tables: string): string {
  const database = quoteIdentifier(tables);
  return `FROM ${database}.events FINAL WHERE events.stream NOT IN (SELECT stream FROM ${database}.dropped_streams)`;
}

function eventTypeSelect({ stream, eventType, columns }: EventTypeView, tables: string): string {
  const ofType = `events.stream = ${quoteText(stream)} AND events.event_type = ${quoteText(eventType)}`;
  return `${readableEventColumns} ${selectClause(columns, readable)} ${eventsOf(tables)} AND ${ofType}`;
}

/** The columns of views that ClickHouse's JSON functions can read: `data` and `metadata` are the exact text. */
const readable = { readable_data: 'readable_data', readable_metadata: 'readable_metadata' };
