import type { Micros } from '#event';

/**
 * Where an event stands in the one order of all events, which is that of queries: by the event's own time, events of
 * the same instant in log order, and where offsets of several streams meet there, by stream.
 */
export type Position = readonly [timestamp: Micros, partition: number, offset: number, stream: string];

/** Negative, zero or positive. Names of streams are ASCII, so that their order is that of ClickHouse too. */
export function comparePositions(a: Position, b: Position): number {
  return a[0] - b[0] || a[1] - b[1] || a[2] - b[2] || (a[3] < b[3] ? -1 : a[3] > b[3] ? 1 : 0);
}
