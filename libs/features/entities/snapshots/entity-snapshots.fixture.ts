import type { EventRow } from '#store';
import { rowsOf, second, t0 } from '../../../core/store/contract/rows.js';
import { StoreContractFixture, type StoreUnderTest } from '../../../core/store/contract/store-contract.js';
import type { EntitySnapshotBatchStore } from './clickhouse-entity-snapshot-store.js';
import type { EntitySnapshot, EventOffsetAndTimestamps } from './entity-snapshot.js';

/** Opens an empty store, and snapshots of entities in it. */
export type OpenSnapshots = () => Promise<StoreUnderTest & { snapshots: EntitySnapshotBatchStore }>;

/** Wraps the store under test, with its snapshots, for the specs of the contract. */
export class SnapshotsContractFixture extends StoreContractFixture {
  snapshots: EntitySnapshotBatchStore;

  constructor(open: OpenSnapshots) {
    super(async () => {
      const opened = await open();
      this.snapshots = opened.snapshots;
      return opened;
    });
  }
}

/** Returns consecutive events of the entity `e`, with the versions 1, 2, 3 … */
export const entityRows = (
  stream: string,
  count: number,
  each: (i: number) => Partial<EventRow> = () => ({}),
) => rowsOf(stream, count, (i) => ({ entity_id: 'e', version: i + 1, data: `{"n":${i + 1}}`, ...each(i) }));

export const eventKeyOf = ({
  partition,
  offset,
  timestamp,
  ingested_at,
}: EventRow): EventOffsetAndTimestamps => ({
  ...{ partition, offset, timestamp, ingested_at },
});

/** Returns a snapshot whose first and last event are those of these rows. */
export const snapshotOf = (rows: readonly EventRow[], more: Partial<EntitySnapshot> = {}): EntitySnapshot => {
  const [first, last] = [rows[0]!, rows.at(-1)!];
  return {
    stream: last.stream,
    entity_id: last.entity_id!,
    version: last.version!,
    first: eventKeyOf(first),
    last: eventKeyOf(last),
    latest_timestamp: Math.max(...rows.map(({ timestamp }) => timestamp)),
    created_at: t0 + last.version! * second,
    reason: 'automatic',
    state: `{"v":${last.version}}`,
    ...more,
  };
};
