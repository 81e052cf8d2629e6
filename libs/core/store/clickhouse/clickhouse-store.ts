import type { Store } from '../store.js';
import type { ShardingKey } from './cluster/shards.js';
import type { QueryLimits } from './connection/settings.js';
import type { ClickHouseConnection } from './connection/store-clickhouse-client.js';

/** The store in ClickHouse, with what a feature needs for tables of its own. */
export interface ClickHouseStore extends Store {
  readonly connection: ClickHouseConnection;
  /** Returns the connection through which the rows of a partition are written, removed and read alone. @throws StoreUnavailableError */
  connectionOf(key: ShardingKey): Promise<ClickHouseConnection>;
  /** Limits of one query. */
  readonly bounds: QueryLimits;
}
