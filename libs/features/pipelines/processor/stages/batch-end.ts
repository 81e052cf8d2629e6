import type { ConsumerRecord } from '#kafka';

/** Limits of a part of a batch whose outputs are written together, in records and bytes. */
const [mostRecords, mostBytes] = [1000, 1024 * 1024];

/**
 * Returns the end index (exclusive) and the bytes of the part of `records` that begins at index `from`. A part has at
 * least one record, even if that record alone exceeds the limit of bytes.
 */
export function batchEnd(records: readonly ConsumerRecord[], from: number): { end: number; bytes: number } {
  let end = from;
  let bytes = 0;
  for (; end < records.length && end - from < mostRecords; end++) {
    const size = records[end]!.value?.length ?? 0;
    if (end > from && bytes + size > mostBytes) break;
    bytes += size;
  }
  return { end, bytes };
}
