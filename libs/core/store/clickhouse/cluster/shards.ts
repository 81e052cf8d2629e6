import type { StoreClickHouseClient } from '../connection/store-clickhouse-client.js';
import type { ShardStore } from './shard-store.js';

/** What decides in which shard a row is: its partition of a stream, or of the input of a projection or pipeline. */
export interface ShardingKey {
  stream: string;
  partition: number;
}

interface ShardsOptions {
  /** Name of the cluster in the servers' `remote_servers`. */
  cluster: string;
  /** A connection to any server of the cluster. */
  connection: Pick<StoreClickHouseClient, 'select'>;
  /** Opens the store of the shard of a server, given by its host name. Connects on its first request. */
  open: (host: string) => ShardStore;
}

/**
 * The shards of a ClickHouse cluster. All rows of a partition are in one shard, so what is decided about a partition needs that shard
 * only. Asks ClickHouse for its servers on the first use.
 */
export class Shards {
  private opened: Promise<readonly ShardStore[]> | undefined;

  constructor(private readonly options: ShardsOptions) {}

  /** Returns the stores of all shards, in the order of their numbers. @throws StoreUnavailableError */
  all(): Promise<readonly ShardStore[]> {
    this.opened ??= this.open().catch((error: unknown) => {
      this.opened = undefined;
      throw error;
    });
    return this.opened;
  }

  /** Returns the store of the shard that has the rows of a partition. */
  async of({ stream, partition }: ShardingKey): Promise<ShardStore> {
    const all = await this.all();
    return all[(hashOf(stream) + partition) % all.length]!;
  }

  /** Groups items by the shard of their partition. */
  async group<T>(
    items: readonly T[],
    shardingKeyOf: (item: T) => ShardingKey,
  ): Promise<Map<ShardStore, T[]>> {
    const groups = new Map<ShardStore, T[]>();
    for (const item of items) {
      const shard = await this.of(shardingKeyOf(item));
      const group = groups.get(shard);
      if (group) group.push(item);
      else groups.set(shard, [item]);
    }
    return groups;
  }

  /** Calls a function for each shard at once, and returns the results in the order of the shards. */
  async map<T>(call: (shard: ShardStore) => Promise<T>): Promise<T[]> {
    return Promise.all((await this.all()).map(call));
  }

  async close(): Promise<void> {
    const opened = await this.opened?.catch(() => []);
    await Promise.all((opened ?? []).map(({ connection }) => connection.close()));
  }

  private async open(): Promise<readonly ShardStore[]> {
    const { cluster, connection, open } = this.options;
    const query = `SELECT host_name FROM system.clusters WHERE cluster = {cluster:String} ORDER BY shard_num, replica_num LIMIT 1 BY shard_num`;
    const rows = await connection.select<[string]>(query, { params: { cluster }, purpose: 'lookup' });
    if (rows.length === 0) throw new UnknownClusterError(cluster);
    return rows.map(([host]) => open(host));
  }
}

/** Error: the ClickHouse server knows no cluster of this name. */
export class UnknownClusterError extends Error {
  override readonly name = 'UnknownClusterError';

  constructor(cluster: string) {
    super(
      `ClickHouse knows no cluster '${cluster}': name one of its remote_servers (SELECT DISTINCT cluster FROM system.clusters).`,
    );
  }
}

/** FNV-1a, 32 bits. Source: https://datatracker.ietf.org/doc/html/draft-eastlake-fnv */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return hash;
}
