import type { EpochMicros } from '#json';

/** An event's position in the order of folds and queries: by event time, then partition, offset and stream. */
export type FoldEventSortKey = readonly [
  timestamp: EpochMicros,
  partition: number,
  offset: number,
  stream: string,
];

/** Compares two positions. Stream names are ASCII, so this order equals that of ClickHouse. */
export function comparePositions(a: FoldEventSortKey, b: FoldEventSortKey): number {
  return a[0] - b[0] || a[1] - b[1] || a[2] - b[2] || (a[3] < b[3] ? -1 : a[3] > b[3] ? 1 : 0);
}
