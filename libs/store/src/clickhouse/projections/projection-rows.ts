import type { ProjectionProgress, ProjectionStateRow } from '../../projection-store.js';
import type { RowBinaryWriter } from '../row-binary.js';

/** The columns of `projection_states` in the order in which `writeState` writes them. */
export const stateColumns = [
  'build',
  'key',
  'stream',
  'partition',
  'state',
  'events',
  'last_offset',
  'updated_at',
] as const;

export function writeState(out: RowBinaryWriter, row: ProjectionStateRow): void {
  out.string(row.build);
  out.string(row.key);
  out.string(row.stream);
  out.uint16(row.partition);
  out.string(row.state);
  out.int64(row.events);
  out.int64(row.last_offset);
  out.int64(row.updated_at);
}

/** The columns of `projection_progress` in the order in which `writeProgress` writes them. */
export const progressColumns = [
  'build',
  'stream',
  'partition',
  'next',
  'processed',
  'failed',
  'updated_at',
] as const;

export function writeProgress(out: RowBinaryWriter, row: ProjectionProgress): void {
  out.string(row.build);
  out.string(row.stream);
  out.uint16(row.partition);
  out.int64(row.next);
  out.int64(row.processed);
  out.int64(row.failed);
  out.int64(row.updated_at);
}

/** The build is that of the question. */
export type SelectedState = [
  key: string,
  stream: string,
  partition: number,
  state: string,
  events: number,
  lastOffset: number,
  updatedAt: number,
];

export function readState(build: string, selected: SelectedState): ProjectionStateRow {
  const [key, stream, partition, state, events, last_offset, updated_at] = selected;
  return { build, key, stream, partition, state, events, last_offset, updated_at };
}

export type SelectedProgress = [
  build: string,
  stream: string,
  partition: number,
  next: number,
  processed: number,
  failed: number,
  updatedAt: number,
];

export function readProgress(selected: SelectedProgress): ProjectionProgress {
  const [build, stream, partition, next, processed, failed, updated_at] = selected;
  return { build, stream, partition, next, processed, failed, updated_at };
}
