import type { AppConfig } from '#api';
import type { AnswerMemoryBudget } from '../answer-memory-budget.js';
import type { Store } from '../store.js';
import { openClickHouseCluster } from './open-cluster.js';
import { shardStore } from './shard-store.js';
import { StoreClickHouseClient } from './connection/store-clickhouse-client.js';
import { applyFsync } from './fsync.js';
import { applyMigrations, migrationFolders, readMigrations } from './migrations.js';
import type { QueryLimits } from './connection/settings.js';
import { ClickHouseReader } from './reader.js';
import { readStoreUsage } from './usage.js';

/** Address, credentials and limits of a ClickHouse store. */
export interface ClickHouseStoreOptions {
  url: string;
  user: string;
  password: string;
  database: string;
  /**
   * Name of the cluster in the server's `remote_servers` whose shards have the rows; without it, the server has all of them.
   */
  cluster?: string;
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

/** The store in ClickHouse, with what a feature needs for tables of its own. */
export interface ClickHouseStore extends Store {
  readonly connection: StoreClickHouseClient;
  /** Limits of one query. */
  readonly bounds: QueryLimits;
}

/** Default limits of one query to ClickHouse, except SQL statements of analysts and exports of files. */
export const defaultQueryBounds: QueryLimits = {
  seconds: 20,
  rowsRead: 2_000_000_000,
  memoryBytes: 2 * 1024 * 1024 * 1024,
  resultBytes: 64 * 1024 * 1024,
};

/** Returns the ClickHouse options from an app's configuration. */
export function clickHouseOptions(config: AppConfig): ClickHouseStoreOptions {
  return {
    url: config.CLICKHOUSE_URL,
    user: config.CLICKHOUSE_USER,
    password: config.CLICKHOUSE_PASSWORD,
    database: config.CLICKHOUSE_DATABASE,
    fsyncAfterInsert: config.CLICKHOUSE_FSYNC_AFTER_INSERT,
  };
}

/**
 * Creates a store without connecting: the first request connects. `migrate` creates the database if it is missing.
 */
export function openClickHouse(options: ClickHouseStoreOptions): ClickHouseStore {
  const bounds = { ...defaultQueryBounds, ...options.bounds };
  const { url, database, cluster } = options;
  const prepare = async (connection: StoreClickHouseClient) => {
    await applyMigrations(connection, readMigrations(options.migrations ?? migrationFolders()));
    await applyFsync(connection, options.fsyncAfterInsert ?? true);
  };
  const connect = (url: string, database: string) => clickHouseConnection({ ...options, url }, database);
  const create = (url: string, database: string) => createDatabase(connect(url, 'default'), database);
  if (cluster !== undefined)
    return openClickHouseCluster(
      { url, database, cluster },
      { bounds, connect, createDatabase: create, prepare },
    );
  const connection = connect(url, database);
  return {
    ...shardStore(connection, bounds, url),
    bounds,
    reader: new ClickHouseReader(connection, bounds),
    async migrate() {
      await create(url, database);
      await prepare(connection);
    },
    async ping() {
      await connection.select('SELECT 1');
    },
    usage: () => readStoreUsage(connection),
    close: () => connection.close(),
  };
}

/** Creates a connection to a database of the server. The first request connects. */
export function clickHouseConnection(
  options: ClickHouseStoreOptions,
  database: string,
): StoreClickHouseClient {
  const { url, user, password, readBudget } = options;
  const seconds = options.bounds?.seconds ?? defaultQueryBounds.seconds;
  return new StoreClickHouseClient({
    ...{ url, user, password, database, readBudget },
    maxConnections: options.maxConnections ?? 10,
    insertTimeoutMs: options.insertTimeoutMs ?? 60_000,
    queryTimeoutMs: options.readTimeoutMs ?? (seconds + 5) * 1000,
    // A subquery of a query over all shards finds the rows of all of them.
    settings: options.cluster === undefined ? {} : { distributed_product_mode: 'global' },
  });
}

async function createDatabase(connection: StoreClickHouseClient, database: string): Promise<void> {
  try {
    await connection.command('CREATE DATABASE IF NOT EXISTS {database:Identifier}', { database });
  } finally {
    await connection.close();
  }
}
