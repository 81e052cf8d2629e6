import type { AppConfig } from '#api';
import { SharedCall } from '#async';
import type { AnswerMemoryBudget } from '../answer-memory-budget.js';
import { openClickHouseCluster } from './open-cluster.js';
import type { ClickHouseStore } from './clickhouse-store.js';
import { hostsOf, urlAt, type StreamSharding } from './cluster/shards.js';
import { shardStore } from './shard-store.js';
import { StoreClickHouseClient, type ClickHouseConnection } from './connection/store-clickhouse-client.js';
import { applyFsync } from './fsync.js';
import { applyMigrations, migrationFolders, readMigrations } from './migrations.js';
import { distributedSettings, type QueryLimits } from './connection/settings.js';
import { ClickHouseReader } from './reader.js';
import { readStoreUsage } from './usage.js';

/** Address, credentials and limits of a ClickHouse store. */
export interface ClickHouseStoreOptions {
  url: string;
  user: string;
  password: string;
  database: string;
  /** Name of the cluster in the server's `remote_servers` whose shards have the rows; without it, the server has all of them. */
  cluster?: string | undefined;
  /** Whether the tables of a cluster are replicated among the servers of a shard. Default: false. */
  replicated?: boolean;
  /** Where the partitions of streams are in a cluster. Without it, a store of a cluster can only migrate and read. */
  sharding?: StreamSharding | undefined;
  /** Whether `migrate` makes ClickHouse sync each insert to the disk before it answers. Default: true. */
  fsyncAfterInsert?: boolean;
  /** Folders with the migrations that `migrate` applies. Default: every folder `migrations` below `libs`. */
  migrations?: readonly string[];
  /** Maximum number of open sockets to the server; further requests wait. */
  maxConnections?: number;
  /** Time limit in milliseconds for a write; after it, the write fails with StoreUnavailableError. */
  insertTimeoutMs?: number;
  /**
   * Time limit in milliseconds for a read; after it, the read is cancelled in ClickHouse. Default: five seconds more than
   * `bounds.seconds`.
   */
  readTimeoutMs?: number;
  /** Limits of one query; a query that exceeds one fails with QueryTooExpensiveError. */
  bounds?: Partial<QueryLimits>;
  /** Bounds the total bytes of answers that are being read; without it, there is no bound. */
  readBudget?: AnswerMemoryBudget;
}

/** Default limits of one query to ClickHouse, except SQL statements of analysts and exports of files. */
export const defaultQueryBounds: QueryLimits = {
  seconds: 20,
  rowsRead: 2_000_000_000,
  memoryBytes: 2 * 1024 * 1024 * 1024,
  resultBytes: 64 * 1024 * 1024,
};

const noSharding: StreamSharding = {
  shardsOf: () => Promise.reject(new Error('The store was opened without sharding of streams')),
};

/** Returns the ClickHouse options from an app's configuration. */
export function clickHouseOptions(config: AppConfig, sharding?: StreamSharding): ClickHouseStoreOptions {
  return {
    url: config.CLICKHOUSE_URL,
    user: config.CLICKHOUSE_USER,
    password: config.CLICKHOUSE_PASSWORD,
    database: config.CLICKHOUSE_DATABASE,
    fsyncAfterInsert: config.CLICKHOUSE_FSYNC_AFTER_INSERT,
    cluster: config.CLICKHOUSE_CLUSTER,
    replicated: config.CLICKHOUSE_REPLICATED,
    sharding,
  };
}

/**
 * Creates a store without connecting: the first request connects. `migrate` creates the database if it is missing.
 */
export function openClickHouse(options: ClickHouseStoreOptions): ClickHouseStore {
  const bounds = { ...defaultQueryBounds, ...options.bounds };
  const { url, database, cluster, replicated = false, sharding = noSharding } = options;
  const prepare = async (connection: ClickHouseConnection) => {
    const migrations = readMigrations(options.migrations ?? migrationFolders());
    await applyMigrations(connection, { migrations, replicated });
    await applyFsync(connection, options.fsyncAfterInsert ?? true);
  };
  const connect = (url: string, database: string) => clickHouseConnection({ ...options, url }, database);
  const create = (url: string, database: string) => createDatabase(connect(url, 'default'), database);
  if (cluster !== undefined)
    return openClickHouseCluster(
      { url, database, cluster, replicated, sharding },
      { bounds, connect, createDatabase: create, prepare },
    );
  const connection = connect(url, database);
  return {
    ...shardStore(connection, bounds),
    bounds,
    connectionOf: async () => connection,
    reader: new ClickHouseReader(connection, bounds),
    async migrate() {
      await create(url, database);
      await prepare(connection);
    },
    async ping() {
      await connection.select('SELECT 1');
      return undefined;
    },
    usage: () => readStoreUsage(connection),
    close: () => connection.close(),
  };
}

/** The servers of a store: one, or all of a cluster, which are asked for on the first use. */
export class ClickHouseServers {
  /** Connects to the server of `CLICKHOUSE_URL`, or to any of those behind this address. */
  readonly entry = clickHouseConnection(this.options, 'default');
  private readonly opened = new SharedCall(() => this.open());

  constructor(private readonly options: ClickHouseStoreOptions) {}

  /** Returns a connection to each server. @throws StoreUnavailableError @throws UnknownClusterError */
  all(): Promise<readonly ClickHouseConnection[]> {
    return this.opened.result();
  }

  private async open(): Promise<readonly ClickHouseConnection[]> {
    const { cluster, url } = this.options;
    if (cluster === undefined) return [this.entry];
    const hosts = (await hostsOf(cluster, this.entry)).flat();
    return hosts.map((host) => clickHouseConnection({ ...this.options, url: urlAt(host, url) }, 'default'));
  }

  async close(): Promise<void> {
    const opened = (await this.opened.started?.catch(() => [])) ?? [];
    await Promise.all([...new Set([this.entry, ...opened])].map((connection) => connection.close()));
  }
}

/** Creates a connection to a database of the server. The first request connects. */
export function clickHouseConnection(
  options: ClickHouseStoreOptions,
  database: string,
): ClickHouseConnection {
  const { url, user, password, readBudget } = options;
  const seconds = options.bounds?.seconds ?? defaultQueryBounds.seconds;
  return new StoreClickHouseClient({
    ...{ url, user, password, database, readBudget },
    maxConnections: options.maxConnections ?? 10,
    insertTimeoutMs: options.insertTimeoutMs ?? 60_000,
    queryTimeoutMs: options.readTimeoutMs ?? (seconds + 5) * 1000,
    ...(options.cluster !== undefined && { settings: distributedSettings }),
  });
}

async function createDatabase(connection: ClickHouseConnection, database: string): Promise<void> {
  try {
    await connection.command('CREATE DATABASE IF NOT EXISTS {database:Identifier}', { database });
  } finally {
    await connection.close();
  }
}
