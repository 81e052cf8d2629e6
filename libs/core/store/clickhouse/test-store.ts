import { randomBytes } from 'node:crypto';
import { createClient, type ClickHouseClient } from '@clickhouse/client';
import { migrationFolders } from './migrations.js';
import type { ClickHouseStore } from './clickhouse-store.js';
import { openClickHouse, type ClickHouseStoreOptions } from './open.js';

/** A ClickHouse store for tests, in a database of its own on the tests' server. */
export interface TestStore {
  store: ClickHouseStore;
  /** A client for the server itself, for operations that the store does not offer. */
  engine: ClickHouseClient;
  options: ClickHouseStoreOptions;
  /** The user for statements of analysts. Only for a store that was opened with `analysts`. */
  analysts: { name: string; password: string };
  close(): Promise<void>;
}

const tables = (
  'events events_by_entity entities positions removed_positions dead_letters snapshots ' +
  'projection_states pipeline_states projection_results'
).split(' ');
/**
 * Limits the size of merges so that no part is small enough to be merged. (`SYSTEM STOP MERGES` would also
 * stop removals.)
 */
const noMerges = 'max_bytes_to_merge_at_max_space_in_pool = 1, max_bytes_to_merge_at_min_space_in_pool = 1';

/**
 * Opens a store in a database of its own on the tests' ClickHouse server, with the tables of further folders of `migrations`. Parts are merged
 * only on request. With
 * `analysts` the database is that one, which the user for analysts may read; it is on a cluster if the tests have one (`TEST_SHARDS`).
 */
export async function openTestStore({
  merges = false,
  analysts = undefined as { database: string; password: string } | undefined,
  migrations = [] as readonly string[],
  fsyncAfterInsert = false,
} = {}): Promise<TestStore> {
  const url = process.env.TEST_CLICKHOUSE_URL;
  if (!url) throw new Error('TEST_CLICKHOUSE_URL is not set: the global set-up of the tests sets it');
  const database = analysts?.database ?? `store_${randomBytes(6).toString('hex')}`;
  const password = process.env.TEST_CLICKHOUSE_PASSWORD ?? '';
  // Rows that a spec inserts with `engine` get to any of the shards.
  const cluster = analysts && process.env.TEST_CLICKHOUSE_CLUSTER;
  const sharding = { shardsOf: async (_: string, shards: number) => shards };
  const options = { url, user: 'tributary', password, database, cluster, sharding };
  const store = openClickHouse({
    ...options,
    fsyncAfterInsert,
    migrations: [...migrationFolders(), ...migrations],
  });
  await store.migrate();
  const engine = createClient({
    ...{ url, username: options.user, password, database },
    ...(cluster !== undefined && {
      clickhouse_settings: { insert_distributed_one_random_shard: 1, distributed_foreground_insert: 1 },
    }),
  });
  for (const table of merges || cluster !== undefined ? [] : tables) {
    await engine.command({ query: `ALTER TABLE ${table} MODIFY SETTING ${noMerges}` });
  }
  const close = async () => {
    await engine.command({ query: `DROP DATABASE ${database} SYNC` });
    await engine.close();
    await store.close();
  };
  return { store, engine, options, analysts: { name: 'sql', password: analysts?.password ?? '' }, close };
}
