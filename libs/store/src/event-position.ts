import { decodeCursor, encodeCursor } from './cursor.js';
import type { EventQuery } from './store.js';

/**
 * A place in the one total order of events: by time, events of the same instant in log order, and where offsets of
 * several streams meet there, by stream.
 */
export interface EventPosition {
  timestamp: number;
  partition: number;
  offset: number;
  stream: string;
}

const types = ['number', 'number', 'number', 'string'] as const;

export function eventCursor(query: EventQuery, last: EventPosition): string {
  return encodeCursor(binding(query), [last.timestamp, last.partition, last.offset, last.stream]);
}

/** @throws InvalidCursorError */
export function eventCursorPosition(query: EventQuery): EventPosition | undefined {
  if (query.cursor === undefined) return undefined;
  const [timestamp, partition, offset, stream] = decodeCursor(binding(query), query.cursor, types);
  return {
    timestamp: timestamp as number,
    partition: partition as number,
    offset: offset as number,
    stream: stream as string,
  };
}

/** Everything that decides which events come in which order; the limit may change from page to page. */
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
