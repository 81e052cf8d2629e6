import type { LogRecord } from '#log';

/** Records whose outcomes are written at once, and their bytes: what is computed of them stops the event loop. */
const [mostRecords, mostBytes] = [1000, 1024 * 1024];

/** Where the batch of records that begins at `from` ends (exclusive). One record may be larger than a batch. */
export function batchEnd(records: readonly LogRecord[], from: number): { end: number; bytes: number } {
  let end = from;
  let bytes = 0;
  for (; end < records.length && end - from < mostRecords; end++) {
    const size = records[end]!.value?.length ?? 0;
    if (end > from && bytes + size > mostBytes) break;
    bytes += size;
  }
  return { end, bytes };
}
