import { formatTime } from '#json';
import { streamNameOf, type StoredEvent } from '#event';
import type { EventPageSortKey } from '../event-page-sort-key.js';

/**
 * A row of the result of a query for events, with the columns of `eventSelection`. Times are in microseconds since
 * 1970.
 */
export type EventResultRow = [
  stream: string,
  partition: number,
  offset: number,
  eventId: string,
  eventType: string,
  entityId: string,
  version: number,
  timestamp: number,
  ingestedAt: number,
  schemaVersion: number,
  metadata: string,
  data: string,
];

export function toStoredEvent(row: EventResultRow): StoredEvent {
  return {
    event_id: row[3],
    stream: streamNameOf(row[0]),
    event_type: row[4],
    entity_id: row[5] === '' ? null : row[5],
    version: row[6] === 0 ? null : row[6],
    timestamp: formatTime(row[7]),
    ingested_at: formatTime(row[8]),
    data: row[11],
    metadata: row[10],
    schema_version: row[9] === 0 ? null : row[9],
    partition: row[1],
    offset: row[2],
  };
}

export function positionOf(row: EventResultRow): EventPageSortKey {
  return { timestamp: row[7], partition: row[1], offset: row[2], stream: row[0] };
}

/** Returns the first row of each event; the rows of one event must be adjacent. */
export function withoutRepeats(rows: readonly EventResultRow[]): EventResultRow[] {
  return rows.filter((row, i) => i === 0 || !sameEvent(row, rows[i - 1] as EventResultRow));
}

/**
 * Whether two rows are of the same event: whether they agree in the sorting key of the table `events`, of which a merge
 * keeps one row.
 */
function sameEvent(a: EventResultRow, b: EventResultRow): boolean {
  return a[2] === b[2] && a[1] === b[1] && a[7] === b[7] && a[0] === b[0];
}
