import type { SampledRequest } from '#engine';
import type { RefusedRecord } from '#event';
import type { RecordBatch, UndecodableRange } from '#log';
import type { DeadLetter, EventBlock } from '#store';
import { isUtf8 } from 'node:buffer';
import type { Unreadable } from './partition-fold.js';
import type { PartitionState } from './partition-state.js';

/** The rows and dead letters of one record batch of one partition that are not stored yet. */
export interface Chunk {
  readonly state: PartitionState;
  /** In offset order. Rows that are erased before their insert are removed. */
  rows: EventBlock;
  /** The version of the set of erasures that was applied to the rows. */
  asOf: number;
  readonly letters: readonly DeadLetter[];
  /** The offset to commit when all rows and dead letters are stored. */
  readonly next: number;
  /** Timestamp of the last record, in milliseconds; undefined if the batch has no records. */
  readonly timestamp: number | undefined;
  /** Whether the partition had records after this batch when the batch was fetched. */
  readonly behind: boolean;
  /** The traced requests among the records; undefined while tracing is off. */
  readonly sampled?: readonly SampledRequest[] | undefined;
  /** Estimated memory, in bytes. */
  readonly bytes: number;
}

/** Estimated bytes of a `Chunk` or a dead letter, without its payload. */
const objectBytes = 700;

export function chunkOf(
  state: PartitionState,
  made: Pick<Chunk, 'asOf' | 'rows' | 'letters' | 'sampled'> & { batch: RecordBatch },
): Chunk {
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
    bytes,
  };
}

/** Estimates the memory, in bytes, of the `Chunk` that a record batch becomes. */
export function bytesOf({ bytes }: RecordBatch): number {
  return objectBytes + bytes;
}

/**
 * Returns the dead letters of a batch: one for each record that is not an event, and one for each offset range that the
 * Kafka client cannot decode. `createdAt` is in microseconds.
 */
export function lettersOf(
  state: PartitionState,
  { unreadable, batch }: { unreadable: readonly Unreadable[]; batch: RecordBatch },
  createdAt: number,
): DeadLetter[] {
  const ranges = (batch.undecodable ?? []).filter(
    ({ lastOffset }) => lastOffset >= state.assignment.position,
  );
  return [
    ...unreadable.map((found) => unreadableLetter(state.stream, found, createdAt)),
    ...ranges.map((range) => undecodableLetter(state, range, createdAt)),
  ];
}

function undecodableLetter(
  { stream, partition }: PartitionState,
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

function unreadableLetter(
  stream: string,
  { record, error, refused }: Unreadable,
  createdAt: number,
): DeadLetter {
  return {
    source: 'materializer',
    stream,
    partition: record.partition,
    offset: record.offset,
    reason: refused ? 'refused_at_intake' : 'unreadable',
    error: refused ? refusalText(refused) : error,
    event: textOf(record.value),
    created_at: createdAt,
  };
}

/** Formats a rejection as one line, with the JSON pointer and the detail of each error. */
function refusalText({ refused: { code, detail, errors } }: RefusedRecord): string {
  const places = errors.map(({ pointer, detail: what }) => `${pointer} ${what}`).join('; ');
  return `${code}: ${detail}${places && ` (${places})`}`;
}

function textOf(value: Buffer | null): string {
  if (value === null) return '';
  return isUtf8(value) ? value.toString() : `base64:${value.toString('base64')}`;
}
