import { openTestStore } from '../../../core/store/clickhouse/test-store.js';
import { ClickHouseEntitySnapshotStore } from './clickhouse-entity-snapshot-store.js';
import { describeEntitySnapshots } from './entity-snapshots.contract.js';

describeEntitySnapshots('ClickHouse', async () => {
  const opened = await openTestStore();
  const snapshots = new ClickHouseEntitySnapshotStore(opened.store);
  return { store: opened.store, snapshots, close: () => opened.close() };
});
