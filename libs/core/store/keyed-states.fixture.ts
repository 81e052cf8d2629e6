import type { PartitionCheckpoint, KeyedStateRow } from './keyed-state-store.js';

/** Returns a state row of a partition of the stream `orders`, with default values for all fields that are not given. */
export function stateRow(row: Partial<KeyedStateRow> & Pick<KeyedStateRow, 'owner' | 'key'>): KeyedStateRow {
  return {
    ...{ stage: '', stream: 'orders', partition: 0, state: '[1]', events: 1 },
    ...{ closes_at: 0, position: 0, updated_at: 0 },
    ...row,
  };
}

/**
 * Returns the checkpoint of a partition of the stream `orders`, with default values for all fields that are not given.
 */
export function partitionProgress(
  progress: Partial<PartitionCheckpoint> & Pick<PartitionCheckpoint, 'owner'>,
): PartitionCheckpoint {
  return {
    ...{ stage: '', stream: 'orders', partition: 0, next: 1, watermark: null, state: '' },
    ...{ processed: 0, emitted: 0, dropped: 0, late: 0, failed: 0, updated_at: 0 },
    ...progress,
  };
}
