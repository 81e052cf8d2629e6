import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allStreams } from '#api';
import { ClickHouseCluster } from '#testkit';
import { rowsOf } from '../../contract/rows.js';
import { rowBatchesOf } from '../../row-batch/row-batches-of.fixture.js';
import type { ClickHouseStore } from '../clickhouse-store.js';
import { applyMigrations, migrationFolders, readMigrations } from '../migrations.js';
import { openClickHouseCluster } from '../open-cluster.js';
import { clickHouseConnection, defaultQueryBounds, openClickHouse } from '../open.js';
import { NotReplicatedError } from './shards.js';

/** A server here cannot fetch parts from another one, so the spec writes the same rows to both, as replication does. */
describe('Two servers of a shard with the same rows', () => {
  let cluster: ClickHouseCluster;
  let store: ClickHouseStore;
  let others: ClickHouseStore[];
  let firstPrepared = false;
  const database = 'replicas';

  beforeAll(async () => {
    cluster = await ClickHouseCluster.start(1, { replicas: 2 });
    const { url, password, name } = cluster;
    const options = { url: cluster.servers[1]!.url, user: 'tributary', password, database };
    const sharding = { shardsOf: async (_: string, shards: number) => shards };
    store = openClickHouseCluster(
      { ...options, cluster: name, replicated: true, sharding },
      {
        bounds: defaultQueryBounds,
        connect: (server, of) => clickHouseConnection({ ...options, url: server, cluster: name }, of),
        createDatabase: async (server, of) => {
          const connection = clickHouseConnection({ ...options, url: server }, 'default');
          await connection.command('CREATE DATABASE IF NOT EXISTS {of:Identifier}', { of });
          await connection.close();
        },
        async prepare(connection) {
          const migrations = readMigrations(migrationFolders());
          await applyMigrations(connection, { migrations, replicated: false });
          if (firstPrepared) return;
          firstPrepared = true;
          await connection.command('CREATE TABLE of_the_first (a UInt8) ENGINE = MergeTree ORDER BY a');
        },
      },
    );
    await store.migrate();
    others = cluster.servers.map((server) =>
      openClickHouse({ ...options, url: server.url, database: `${database}_local` }),
    );
    expect(url).toBe(cluster.servers[0]!.url);
  });
  afterAll(async () => {
    await Promise.all([store, ...others].map((one) => one.close()));
    await cluster.stop();
  });

  const batchesFrom = (offset: number) =>
    rowBatchesOf(
      rowsOf('orders', 10, (n) => ({ offset: offset + n, entity_id: 'e', version: offset + n + 1 })),
    );
  const offsets = async () => {
    const { items } = await store.reader.query({ access: allStreams, order: 'asc', limit: 100 });
    return items.map(({ offset }) => offset);
  };
  const upTo = (end: number) => Array.from({ length: end }, (_, n) => n);

  it('have the same tables and recorded migrations, which the second one gets from the first', async () => {
    const columns = `SELECT groupBitXor(cityHash64(table, name, type, position)) FROM system.columns WHERE database = '${database}_local'`;
    const recorded = `SELECT count(), groupBitXor(cityHash64(id, checksum)) FROM ${database}_local.migrations FINAL`;
    for (const query of [columns, recorded]) {
      const [one, other] = await Promise.all(cluster.servers.map((server) => server.ask(query)));
      expect(one).toBe(other);
      expect(one).toMatch(/^\d*[1-9]/);
    }
    expect(await cluster.servers[1]!.ask(`EXISTS ${database}_local.of_the_first`)).toBe('1\n');
  });

  it('answer, decide and store through the other one when one is killed', async () => {
    for (const { writer } of others) await writer.appendRowBatches(batchesFrom(0), randomUUID());
    expect(await offsets()).toEqual(upTo(10));
    expect(await store.writer.lastStoredOffset('orders', 0)).toBe(9);
    await cluster.servers[0]!.kill();
    await expect.poll(() => offsets().catch(String), { timeout: 20_000 }).toEqual(upTo(10));
    const last = () => store.writer.lastStoredOffset('orders', 0).catch(() => undefined);
    await expect.poll(last, { timeout: 20_000 }).toBe(9);
    await store.writer.appendRowBatches(batchesFrom(10), randomUUID());
    expect(await offsets()).toEqual(upTo(20));
    expect(await store.writer.lastStoredOffset('orders', 0)).toBe(19);
    expect(await store.ping()).toEqual({ status: 'degraded', servers_missing: ['127.0.0.1'] });
  });

  it('are refused without replicated tables, which would have different rows', async () => {
    const { password, name } = cluster;
    const url = cluster.servers[1]!.url;
    const plain = openClickHouse({ url, user: 'tributary', password, database: 'plain', cluster: name });
    await expect(plain.migrate()).rejects.toThrow(NotReplicatedError);
    await plain.close();
  });
});
