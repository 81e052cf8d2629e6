import type { StoreUsage } from '../store.js';
import type { ClickHouseStore } from './clickhouse-store.js';
import type { QueryLimits } from './connection/settings.js';
import type { ClickHouseConnection } from './connection/store-clickhouse-client.js';
import { shardDatabase } from './access/users.js';
import { ClickHouseReader } from './reader.js';
import { ClickHouseKeyedStates } from './states/keyed-states.js';
import { ClickHouseScrubPasses } from './scrub-passes.js';
import { readStoreUsage } from './usage.js';
import { createDistributedTables } from './cluster/distributed-tables.js';
import { shardStore } from './shard-store.js';
import { ShardedEventRemover } from './cluster/sharded-remover.js';
import { ShardedEventWriter } from './cluster/sharded-writer.js';
import { ShardedKeyedStates } from './cluster/sharded-keyed-states.js';
import { ShardedScrubPasses, ShardedScrubReader } from './cluster/sharded-scrub.js';
import { ReplicatedConnection } from './cluster/replicated-connection.js';
import { copyTables } from './migrations.js';
import { Shards, urlAt, type StreamSharding } from './cluster/shards.js';

/** A cluster whose shards have the rows of a store. */
export interface ClusterOptions {
  /** Name of the cluster in the server's `remote_servers`. */
  cluster: string;
  /** Whether the tables are replicated among the servers of a shard. */
  replicated: boolean;
  sharding: StreamSharding;
}

/** What `openClickHouseCluster` needs of the store of one server. */
interface ClusterDependencies {
  bounds: QueryLimits;
  /** Creates a connection to a database of a server. */
  connect: (url: string, database: string) => ClickHouseConnection;
  /** Creates the database of a server if it is missing. */
  createDatabase: (url: string, database: string) => Promise<void>;
  /** Applies migrations and settings to the tables of a server. */
  prepare: (connection: ClickHouseConnection) => Promise<void>;
}

/**
 * Opens a store whose tables are in the shards of a cluster: in the database `<database>_local` of each server. The tables of `database`
 * read all of them. All servers have the protocol and the HTTP port of `url`, and the user of the apps.
 */
export function openClickHouseCluster(
  { url, database, cluster, replicated, sharding }: { url: string; database: string } & ClusterOptions,
  { bounds, connect, createDatabase, prepare }: ClusterDependencies,
): ClickHouseStore {
  const localDatabase = shardDatabase(database);
  // The database exists only after `migrate`.
  const entry = connect(url, 'default');
  const connection = connect(url, database);
  const shards = new Shards({
    ...{ cluster, replicated, sharding, connection: entry },
    open: (hosts) =>
      shardStore(
        new ReplicatedConnection(
          hosts.map((host) => ({
            url: urlAt(host, url),
            connection: connect(urlAt(host, url), localDatabase),
          })),
        ),
        bounds,
      ),
  });
  const states = (
    name: 'projections' | 'projectionResults' | 'pipelines',
    table: 'projection_states' | 'projection_results' | 'pipeline_states',
  ) => new ShardedKeyedStates(shards, name, new ClickHouseKeyedStates(connection, bounds, table));
  const reader = (skipsUnavailable: boolean) =>
    new ClickHouseReader(connection, bounds, {
      skipsUnavailable,
      unavailableShards: () => shards.unavailable(),
    });
  return {
    connection,
    connectionOf: async (key) => (await shards.of(key)).connection,
    bounds,
    writer: new ShardedEventWriter(shards),
    reader: reader(false),
    partialReader: reader(true),
    eraser: new ShardedEventRemover(shards),
    scrubPasses: new ShardedScrubPasses(shards, new ClickHouseScrubPasses(connection)),
    scrub: new ShardedScrubReader(shards),
    projections: states('projections', 'projection_states'),
    projectionResults: states('projectionResults', 'projection_results'),
    pipelines: states('pipelines', 'pipeline_states'),
    async migrate() {
      await shards.prepare(async (server, others) => {
        for (const name of [localDatabase, database]) await createDatabase(server.url, name);
        if (replicated) await copyTables(server.connection, others);
        await prepare(server.connection);
        await createDistributedTables(server.connection, { cluster, database, localDatabase });
      });
    },
    ping: () => shards.ping(),
    usage: async () => usageOf(await shards.mapPresent(({ connection: shard }) => readStoreUsage(shard))),
    async close() {
      await Promise.all([entry.close(), connection.close(), shards.close()]);
    },
  };
}

/** Returns the disks of the shards, named by the number of the shard, and the sums of their tables and errors. */
function usageOf(byNumber: ReadonlyMap<number, StoreUsage>): StoreUsage {
  const shards = [...byNumber.values()];
  const sizes = new Map<string, Omit<StoreUsage['tables'][number], 'table'>>();
  for (const { table, ...more } of shards.flatMap(({ tables }) => tables))
    sizes.set(table, sumOf(sizes.get(table), more));
  const errors = new Map<string, { count: number }>();
  for (const { error, ...more } of shards.flatMap(({ damageErrors }) => damageErrors))
    errors.set(error, sumOf(errors.get(error), more));
  return {
    disks: [...byNumber].flatMap(([number, { disks }]) =>
      disks.map(({ disk, ...size }) => ({ disk: `shard ${number}: ${disk}`, ...size })),
    ),
    tables: [...sizes].map(([table, size]) => ({ table, ...size })),
    damageErrors: [...errors].map(([error, { count }]) => ({ error, count })),
  };
}

/** Returns the sum of each member. */
function sumOf<T extends object>(one: T | undefined, other: T): T {
  if (!one) return other;
  const members = Object.keys(other) as (keyof T & string)[];
  return Object.fromEntries(members.map((name) => [name, Number(one[name]) + Number(other[name])])) as T;
}
