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

/** Encodes the position of a page's last event as the cursor of the next page. */
export function eventCursor(query: EventQuery, last: EventPageSortKey): string {
  return encodeCursor(binding(query), [last.timestamp, last.partition, last.offset, last.stream]);
}

/** Decodes the position of an event in a query's cursor, if it has one. @throws InvalidCursorError */
export function eventCursorPosition(query: EventQuery): EventPageSortKey | undefined {
  if (query.cursor === undefined) return undefined;
  const position = decodeCursor(binding(query), query.cursor, types);
  const [timestamp, partition, offset, stream] = position as [number, number, number, string];
  return { timestamp, partition, offset, stream };
}

/** Returns what determines which events a query returns, and their order. The limit may differ between pages. */
function binding(query: EventQuery): unknown {
  const sorted = (values?: readonly string[]) => (values ? [...values].sort() : null);
  const { eventTypePrefix = null, since = null, until = null, where = null, order } = query;
  const [streams, types, entityIds] = [query.streams, query.eventTypes, query.entityIds].map(sorted);
  return ['events', streams, types, eventTypePrefix, entityIds, since, until, where, order];
}
