import { createHash } from 'node:crypto';
import type { EventRow } from '#store';

/** Longer tokens are replaced by their SHA-256. */
const longest = 500;

interface Range {
  first: EventRow;
  last: EventRow;
  rows: number;
}

/**
 * Names a batch of rows by what is in it: `stream:partition:first-last#rows@first id-last id` for each partition, in
 * order of their names. The same rows always have the same token, so an insert that was made but not answered vanishes
 * when it is made again; the number of rows keeps apart batches that end alike and differ in between, and the event ids
 * those of a topic that was made anew, whose offsets start again.
 */
export function insertToken(rows: readonly EventRow[]): string {
  const ranges = new Map<string, Range>();
  let current: { stream: string; partition: number; range: Range } | undefined;
  for (const row of rows) {
    const { stream, partition } = row;
    if (stream !== current?.stream || partition !== current.partition) {
      const name = `${stream}:${partition}`;
      const range = ranges.get(name) ?? { first: row, last: row, rows: 0 };
      ranges.set(name, range);
      current = { stream, partition, range };
    }
    current.range.last = row;
    current.range.rows++;
  }
  const token = [...ranges]
    .map(([name, { first, last, rows }]) => {
      return `${name}:${first.offset}-${last.offset}#${rows}@${first.event_id}-${last.event_id}`;
    })
    .sort()
    .join(',');
  return token.length <= longest ? token : createHash('sha256').update(token).digest('hex');
}
