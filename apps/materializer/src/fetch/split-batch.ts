import type { ConsumerRecord, RecordBatch } from '#kafka';
import { atomicGroupMemberOf } from '../rows/atomic-groups.js';

/**
 * Splits a batch into parts whose first and last records are less than `most` offsets apart, unless an atomic group is
 * longer: the records of a group stay in one part. The offsets of the parts are those of the batch, without a gap.
 */
export function splitBatch(batch: RecordBatch, most: number): RecordBatch[] {
  const starts: number[] = [];
  let first = -Infinity;
  batch.records.forEach((record, at) => {
    const { offset } = record;
    if (offset - first < most || (atomicGroupMemberOf(record)?.index ?? 0) > 0) return;
    starts.push(at);
    first = offset;
  });
  if (starts.length <= 1) return [batch];
  let from = -Infinity;
  return starts.map((start, i) => {
    const end = starts[i + 1];
    const records = batch.records.slice(start, end);
    const next = end === undefined ? batch.next : batch.records[end]!.offset;
    const part = partOf(batch, { records, from, next });
    from = next;
    return part;
  });
}

function partOf(
  batch: RecordBatch,
  { records, from, next }: { records: ConsumerRecord[]; from: number; next: number },
): RecordBatch {
  const { undecodable, ...whole } = batch;
  const ranges = undecodable?.filter(({ offset }) => from <= offset && offset < next);
  return {
    ...{ ...whole, records, next },
    bytes: Math.ceil((batch.bytes * records.length) / batch.records.length),
    ...(ranges && { undecodable: ranges }),
  };
}
