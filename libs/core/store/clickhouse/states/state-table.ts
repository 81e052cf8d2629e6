import type { StatePartitionKey, PartitionCheckpoint, KeyedStateRow } from '../../keyed-state-store.js';
import { columnTypes, TableDefinition } from '../table.js';

const { text, uint16, int64, time } = columnTypes;

/**
 * A row of a state table. A progress row has no key, its `next` as position, and in `state` the values that
 * have no column of their own.
 */
export interface StateTableRow extends KeyedStateRow {
  /** Kind of the row: `row` for the state of a key or window, `progress` for the checkpoint of a partition. */
  kind: string;
}

/** Name of the ClickHouse table with the keyed states of projections or pipelines, or the results of projections. */
export type StateTableName = 'projection_states' | 'pipeline_states' | 'projection_results';

/** Returns the tables from which the rows of an owner are removed together: the table, and its results. */
export function tablesOfOwner(name: StateTableName): readonly StateTableName[] {
  return name === 'projection_states' ? [name, 'projection_results'] : [name];
}

export function stateTable(name: StateTableName): TableDefinition<StateTableRow> {
  return new TableDefinition(name, {
    ...{ owner: text, kind: text, stage: text, stream: text, partition: uint16 },
    ...{ key: text, state: text, events: int64, closes_at: int64, position: int64, updated_at: time },
  });
}

type ProgressState = Omit<PartitionCheckpoint, keyof StatePartitionKey | 'next' | 'updated_at'>;

export function recordOfProgress(progress: PartitionCheckpoint): StateTableRow {
  const { owner, stage, stream, partition, next, updated_at, ...state } = progress;
  return {
    ...{ owner, stage, stream, partition, kind: 'progress', key: '', events: 0, closes_at: 0 },
    ...{ position: next, state: JSON.stringify(state satisfies ProgressState), updated_at },
  };
}

export function progressOfRecord(
  record: Omit<StateTableRow, 'kind' | 'key' | 'events' | 'closes_at'>,
): PartitionCheckpoint {
  const { owner, stage, stream, partition, position: next, updated_at, state } = record;
  return { owner, stage, stream, partition, next, ...(JSON.parse(state) as ProgressState), updated_at };
}
