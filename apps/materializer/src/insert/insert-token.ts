import { createHash } from 'node:crypto';
import type { EventRowBatch } from '#store';

/** Maximum number of characters of an insert's deduplication token. A longer token is replaced by its SHA-256. */
const longest = 500;

interface InsertedOffsetRange {
  first: { offset: number; id: string };
  last: { offset: number; id: string };
  rows: number;
}

/**
 * Returns the deduplication token of an insert: `stream:partition:first-last#rows@first id-last id` for each partition,
 * sorted. The same rows always have the same token; each process adds a suffix of its own. By the token, ClickHouse discards a repeated insert whose first
 * attempt succeeded but whose response was lost. The number of rows in the token tells apart inserts that differ only
 * between the first and the last row. The event ids in the token tell apart two topics of the same stream name, because
 * the offsets of a recreated topic start at 0 again.
 */
export function insertToken(batches: readonly EventRowBatch[]): string {
  const ranges = new Map<string, InsertedOffsetRange>();
  for (const batch of batches) {
    if (batch.count === 0) continue;
    const name = `${batch.place.stream}:${batch.place.partition}`;
    const range = ranges.get(name);
    const last = rowOf(batch, batch.count - 1);
    if (range) Object.assign(range, { last, rows: range.rows + batch.count });
    else ranges.set(name, { first: rowOf(batch, 0), last, rows: batch.count });
  }
  const token = [...ranges]
    .map(([name, { first, last, rows }]) => {
      return `${name}:${first.offset}-${last.offset}#${rows}@${first.id}-${last.id}`;
    })
    .sort()
    .join(',');
  return token.length <= longest ? token : createHash('sha256').update(token).digest('hex');
}

function rowOf(batch: EventRowBatch, row: number): InsertedOffsetRange['first'] {
  return { offset: batch.offsetOf(row), id: batch.eventIdOf(row) };
}
