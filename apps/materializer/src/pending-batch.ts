import type { SampledWriteRequest } from '#engine';
import type { RejectedEventRecord } from '#event';
import type { RecordBatch, UndecodableRange } from '#kafka';
import type { DeadLetter, EventRowBatch } from '#store';
import { isUtf8 } from 'node:buffer';
import type { UnreadableRecord } from './partition-row-builder.js';
import type { MaterializedPartition } from './materialized-partition.js';

/** The rows and dead letters of one record batch of one partition, until they are stored. */
export interface PendingBatch {
  readonly state: MaterializedPartition;
  /** The rows of the batch in offset order. Rows of entities that are erased before the insert are removed. */
  rows: EventRowBatch;
  /** The version of the set of erasures that was applied to the rows of the batch. */
  asOf: number;
  readonly letters: readonly DeadLetter[];
  /** The offset to commit when all rows and dead letters of the batch are stored. */
  readonly next: number;
  /** Timestamp of the last record of the batch, in milliseconds; undefined if the batch has no records. */
  readonly timestamp: number | undefined;
  /** Whether the partition had further records after this batch when the batch was fetched. */
  readonly behind: boolean;
  /** The traced requests that wrote records of the batch; undefined while tracing is off. */
  readonly sampled?: readonly SampledWriteRequest[] | undefined;
  /**
   * Resolves when the log has the decisions on the batch, or the partition is no longer assigned; undefined if nobody
   * waits for them. The batch is stored after that.
   */
  readonly decided?: Promise<void> | undefined;
  /** Estimated memory of the batch, in bytes. */
  readonly bytes: number;
}

/** Estimated bytes of a `PendingBatch` or a dead letter in memory, without its payload. */
const objectBytes = 700;

export function pendingBatchOf(
  state: MaterializedPartition,
  made: Pick<PendingBatch, 'asOf' | 'rows' | 'letters' | 'sampled' | 'decided'> & { batch: RecordBatch },
): PendingBatch {
  let bytes = objectBytes + made.rows.memory;
  for (const { event } of made.letters) bytes += objectBytes + event.length;
  return {
    state,
    asOf: made.asOf,
    rows: made.rows,
    letters: made.letters,
    next: made.batch.next,
    timestamp: made.batch.records.at(-1)?.timestamp,
    behind: made.batch.next < made.batch.highWatermark,
    sampled: made.sampled,
    decided: made.decided,
    bytes,
  };
}

/** Estimates the memory, in bytes, of the `PendingBatch` that is built from a record batch. */
export function estimatedBytesOf({ bytes }: RecordBatch): number {
  return objectBytes + bytes;
}

/**
 * Returns the dead letters of a batch: one dead letter for each record that is not an event, and one for each offset
 * range that the Kafka client cannot decode. `createdAt` is in microseconds since 1970.
 */
export function deadLettersOf(
  state: MaterializedPartition,
  { unreadable, batch }: { unreadable: readonly UnreadableRecord[]; batch: RecordBatch },
  createdAt: number,
): DeadLetter[] {
  const ranges = (batch.undecodable ?? []).filter(
    ({ lastOffset }) => lastOffset >= state.assignment.position,
  );
  return [
    ...unreadable.map((found) => unreadableDeadLetter(state.stream, found, createdAt)),
    ...ranges.map((range) => undecodableDeadLetter(state, range, createdAt)),
  ];
}

function undecodableDeadLetter(
  { stream, partition }: MaterializedPartition,
  { offset, lastOffset, reason }: UndecodableRange,
  createdAt: number,
): DeadLetter {
  return {
    ...{ source: 'materializer', stream, partition, offset },
    reason: 'unreadable',
    error: `offsets ${offset} to ${lastOffset}: ${reason}`,
    event: '',
    created_at: createdAt,
  };
}

function unreadableDeadLetter(
  stream: string,
  { record, error, refused }: UnreadableRecord,
  createdAt: number,
): DeadLetter {
  return {
    source: 'materializer',
    stream,
    partition: record.partition,
    offset: record.offset,
    reason: refused ? 'refused_at_intake' : 'unreadable',
    error: refused ? rejectionText(refused) : error,
    event: textOf(record.value),
    created_at: createdAt,
  };
}

/** Formats the rejection of an event as one line, with the JSON pointer and the detail of each error. */
function rejectionText({ refused: { code, detail, errors } }: RejectedEventRecord): string {
  const places = errors.map(({ pointer, detail: what }) => `${pointer} ${what}`).join('; ');
  return `${code}: ${detail}${places && ` (${places})`}`;
}

function textOf(value: Buffer | null): string {
  if (value === null) return '';
  return isUtf8(value) ? value.toString() : `base64:${value.toString('base64')}`;
}
