import type { SampledRequest } from '#engine';
import type { RefusedRecord } from '#event';
import type { RecordBatch, UndecodableRange } from '#log';
import type { DeadLetter, EventBlock } from '#store';
import { isUtf8 } from 'node:buffer';
import type { Unreadable } from './partition-fold.js';
import type { PartitionState } from './partition-state.js';

/** What became of one batch of one partition, on its way to the store. */
export interface Chunk {
  readonly state: PartitionState;
  /** In offset order. What is erased before it is stored is taken out. */
  rows: EventBlock;
  /** The version of the erasures that the rows agree with. */
  asOf: number;
  readonly letters: readonly DeadLetter[];
  /** The offset to commit when all of it is stored. */
  readonly next: number;
  /** Timestamp of the last record, in milliseconds; undefined when there is none. */
  readonly timestamp: number | undefined;
  /** The log had more of the partition than this when it was read. */
  readonly behind: boolean;
  /** Requests that are traced; undefined while tracing is off. */
  readonly sampled?: readonly SampledRequest[] | undefined;
  /** About what it holds in memory. */
  readonly bytes: number;
}

/** What a chunk, and each dead letter, holds besides its bytes and texts, about. */
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

/** About what a batch will hold when it is a chunk. */
export function bytesOf({ bytes }: RecordBatch): number {
  return objectBytes + bytes;
}

/** What of a batch becomes dead letters: what is not an event, and what was not handed over. `createdAt` is in microseconds. */
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

/** The problem in one line, with the places that it names. */
function refusalText({ refused: { code, detail, errors } }: RefusedRecord): string {
  const places = errors.map(({ pointer, detail: what }) => `${pointer} ${what}`).join('; ');
  return `${code}: ${detail}${places && ` (${places})`}`;
}

function textOf(value: Buffer | null): string {
  if (value === null) return '';
  return isUtf8(value) ? value.toString() : `base64:${value.toString('base64')}`;
}
