import type { Store } from '../../store.js';
import type { StoreClickHouseClient } from '../connection/store-clickhouse-client.js';

/** What writes the tables of one server, and reads them to decide what to write. */
export interface ShardStore extends Omit<Store, 'reader' | 'migrate' | 'ping' | 'usage' | 'close'> {
  /** URL of the server. */
  url: string;
  connection: StoreClickHouseClient;
}
