import { describeEntitySnapshots } from './entity-snapshots.contract.js';
import { MemoryStoreWithSnapshots } from './memory-entity-snapshots.fixture.js';

describeEntitySnapshots('MemoryStore', async () => {
  const store = new MemoryStoreWithSnapshots();
  return { store, snapshots: store.snapshots, close: () => store.close() };
});
