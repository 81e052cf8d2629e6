import { describeStore } from '../store.contract.js';
import { MemoryStore } from './memory-store.js';

describeStore('MemoryStore', async () => {
  const store = new MemoryStore();
  return { store, close: () => store.close() };
});
