import { compareUtf8, type EpochMicros } from '#json';

/** The key of a state row, and the watermark at which the row closes. */
export interface RowClosingTime {
  readonly closesAt: EpochMicros;
  readonly key: string;
}

/**
 * Compares two rows by closing time, and then bytewise by key. ClickHouse sorts in the same order, so cached and stored
 * rows close in one order.
 */
export function compareDue(a: RowClosingTime, b: RowClosingTime): number {
  if (a.closesAt !== b.closesAt) return a.closesAt - b.closesAt;
  return compareUtf8(a.key, b.key);
}
