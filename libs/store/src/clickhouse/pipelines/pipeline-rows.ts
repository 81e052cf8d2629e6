import type { PipelineProgress, PipelineRow, StagePartition } from '../../pipeline-store.js';
import type { RowBinaryWriter } from '../row-binary.js';

/** The columns of `pipeline_states` in the order in which rows and progress are written. */
export const columns = [
  'run',
  'kind',
  'stage',
  'stream',
  'partition',
  'name',
  'state',
  'closes_at',
  'position',
  'updated_at',
] as const;

/** The `state` of a progress: what is no column of its own. */
type ProgressState = Pick<
  PipelineProgress,
  'processed' | 'emitted' | 'dropped' | 'late' | 'failed' | 'watermark' | 'state'
>;

export function writeRow(out: RowBinaryWriter, row: PipelineRow): void {
  writePlace(out, 'row', row);
  out.string(row.name);
  out.string(row.state);
  out.int64(row.closes_at);
  out.int64(row.position);
  out.int64(row.updated_at);
}

export function writeProgress(out: RowBinaryWriter, row: PipelineProgress): void {
  const { processed, emitted, dropped, late, failed, watermark, state } = row;
  const all: ProgressState = { processed, emitted, dropped, late, failed, watermark, state };
  writePlace(out, 'progress', row);
  out.string('');
  out.string(JSON.stringify(all));
  out.int64(0);
  out.int64(row.next);
  out.int64(row.updated_at);
}

function writePlace(out: RowBinaryWriter, kind: 'progress' | 'row', place: StagePartition): void {
  out.string(place.run);
  out.string(kind);
  out.string(place.stage);
  out.string(place.stream);
  out.uint16(place.partition);
}

/** The place is that of the question. */
export type SelectedRow = [
  name: string,
  state: string,
  closesAt: number,
  position: number,
  updatedAt: number,
];

export function readRow(place: StagePartition, selected: SelectedRow): PipelineRow {
  const [name, state, closes_at, position, updated_at] = selected;
  return { ...place, name, state, closes_at, position, updated_at };
}

export type SelectedProgress = [
  run: string,
  stage: string,
  stream: string,
  partition: number,
  state: string,
  next: number,
  updatedAt: number,
];

export function readProgress(selected: SelectedProgress): PipelineProgress {
  const [run, stage, stream, partition, state, next, updated_at] = selected;
  return { run, stage, stream, partition, next, ...(JSON.parse(state) as ProgressState), updated_at };
}
