import type { KeyedStateRow, PartitionCheckpoint, StatePartitionKey } from '../../keyed-state-store.js';
import { RowTable } from '../connection/row-table.js';

/** Name of the ClickHouse table with the keyed states of projections or pipelines, or the results of projections. */
export type StateTableName = 'projection_states' | 'pipeline_states' | 'projection_results';

/**
 * A row of a state table. The row of a checkpoint has the kind `progress`, no key, its `next` as position, and in `state`
 * the values that have no column of their own.
 */
export interface StateTableRow extends KeyedStateRow {
  kind?: 'progress';
}

/** Returns the table of this name, for inserts. */
export function stateTable(name: StateTableName): RowTable<StateTableRow> {
  return new RowTable<StateTableRow>(name, {
    owner: (out, { owner }) => out.string(owner),
    kind: (out, { kind }) => out.string(kind ?? 'row'),
    stage: (out, { stage }) => out.string(stage),
    stream: (out, { stream }) => out.string(stream),
    partition: (out, { partition }) => out.uint16(partition),
    key: (out, { key }) => out.string(key),
    state: (out, { state }) => out.string(state),
    events: (out, { events }) => out.int64(events),
    closes_at: (out, { closes_at }) => out.int64(closes_at),
    position: (out, { position }) => out.int64(position),
    updated_at: (out, { updated_at }) => out.int64(updated_at),
  });
}

/** The columns of a state row. The rows are many, so columns with the same value in all rows are not selected. */
export const rowColumns =
  'stage, stream, partition, key, state, events, closes_at, position, toUnixTimestamp64Micro(updated_at)';

/** The values of `rowColumns`. */
export type StateRowValues = [
  ...[stage: string, stream: string, partition: number, key: string, state: string, events: number],
  ...[closesAt: number, position: number, updatedAt: number],
];

/** Reads a state row. */
export function readStateRow(owner: string, values: StateRowValues): KeyedStateRow {
  const [stage, stream, partition, key, state, events, closes_at, position, updated_at] = values;
  return { owner, stage, stream, partition, key, state, events, closes_at, position, updated_at };
}

/** The columns of the row of a checkpoint. */
export const checkpointColumns =
  'owner, stage, stream, partition, state, position, toUnixTimestamp64Micro(updated_at)';

/** The values of `checkpointColumns`. */
export type CheckpointValues = [
  ...[owner: string, stage: string, stream: string, partition: number],
  ...[state: string, position: number, updatedAt: number],
];

type CheckpointState = Omit<PartitionCheckpoint, keyof StatePartitionKey | 'next' | 'updated_at'>;

/** Returns a checkpoint as a row. */
export function rowOfCheckpoint(checkpoint: PartitionCheckpoint): StateTableRow {
  const { owner, stage, stream, partition, next, updated_at, ...rest } = checkpoint;
  const state = JSON.stringify(rest satisfies CheckpointState);
  const key = { owner, stage, stream, partition, kind: 'progress', key: '' } as const;
  return { ...key, state, events: 0, closes_at: 0, position: next, updated_at };
}

/** Reads the row of a checkpoint. */
export function readCheckpoint(values: CheckpointValues): PartitionCheckpoint {
  const [owner, stage, stream, partition, state, next, updated_at] = values;
  return { owner, stage, stream, partition, next, ...(JSON.parse(state) as CheckpointState), updated_at };
}
