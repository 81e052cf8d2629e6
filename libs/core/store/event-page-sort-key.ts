import { decodeCursor, encodeCursor } from './cursor.js';
import type { EventQuery } from './store.js';

/**
 * A position in the order of pages of events: by timestamp, then partition, then offset, then stream id. The stream
 * decides only between events with the same timestamp, partition and offset.
 */
export interface EventPageSortKey {
  timestamp: number;
  partition: number;
  offset: number;
  stream: string;
}

const types = ['number', 'number', 'number', 'string'] as const;

export function eventCursor(query: EventQuery, last: EventPageSortKey): string {
  return encodeCursor(binding(query), [last.timestamp, last.partition, last.offset, last.stream]);
}

/**
 * Decodes the position of an event in a query's cursor; undefined if the query has no cursor. @throws
 * InvalidCursorError
 */
export function eventCursorPosition(query: EventQuery): EventPageSortKey | undefined {
  if (query.cursor === undefined) return undefined;
  const [timestamp, partition, offset, stream] = decodeCursor(binding(query), query.cursor, types);
  return {
    timestamp: timestamp as number,
    partition: partition as number,
    offset: offset as number,
    stream: stream as string,
  };
}

/**
 * Returns everything that determines which events a query returns, and in which order. The limit is not part
 * of it: it may differ from page to page.
 */
function binding(query: EventQuery): unknown {
  const sorted = (values?: readonly string[]) => (values ? [...values].sort() : null);
  return [
    'events',
    sorted(query.streams),
    sorted(query.eventTypes),
    query.eventTypePrefix ?? null,
    sorted(query.entityIds),
    query.since ?? null,
    query.until ?? null,
    query.where ?? null,
    query.order,
  ];
}
