import type { Store } from '../../store.js';
import type { ReplicatedConnection } from './replicated-connection.js';

/** What writes the tables of one shard, and reads them to decide what to write. */
export interface ShardStore extends Omit<Store, 'reader' | 'migrate' | 'ping' | 'usage' | 'close'> {
  connection: ReplicatedConnection;
}
