import type { StateProgress, StateRow } from './keyed-state-store.js';

/** A state row of a partition of `orders`, as a processor saves it. */
export function stateRow(row: Partial<StateRow> & Pick<StateRow, 'owner' | 'key'>): StateRow {
  return {
    ...{ stage: '', stream: 'orders', partition: 0, state: '[1]', events: 1 },
    ...{ closes_at: 0, position: 0, updated_at: 0 },
    ...row,
  };
}

/** The progress of a partition of `orders`, as a processor saves it. */
export function stateProgress(
  progress: Partial<StateProgress> & Pick<StateProgress, 'owner'>,
): StateProgress {
  return {
    ...{ stage: '', stream: 'orders', partition: 0, next: 1, watermark: null, state: '' },
    ...{ processed: 0, emitted: 0, dropped: 0, late: 0, failed: 0, updated_at: 0 },
    ...progress,
  };
}
