import { encodeRecord, EventRecordParser } from '#event';
import type { EventRow } from './event-row.js';
import { EventRowBatchBuilder } from './event-row-batch-builder.js';
import type { EventRowBatch } from './event-row-batch.js';

/**
 * Builds one row batch for each stream partition, as the materializer does from records that ingest wrote for
 * these rows.
 */
export function rowBatchesOf(rows: readonly EventRow[]): EventRowBatch[] {
  const ofPartitions = new Map<string, EventRow[]>();
  for (const row of rows) {
    const place = JSON.stringify([row.stream, row.partition]);
    const before = ofPartitions.get(place);
    if (before) before.push(row);
    else ofPartitions.set(place, [row]);
  }
  return [...ofPartitions.values()].map(rowBatchOf);
}

function rowBatchOf(rows: readonly EventRow[]): EventRowBatch {
  const { stream, partition } = rows[0]!;
  const builder = new EventRowBatchBuilder({ stream, partition });
  const reader = new EventRecordParser();
  builder.begin();
  for (const row of rows) {
    reader.read(Buffer.from(encodeRecord(row)));
    builder.add(reader, row.offset);
  }
  const block = builder.finish();
  for (const [i, { version }] of rows.entries()) if (version !== null) block.setVersion(i, version);
  return block;
}
