import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient, type ClickHouseClient } from '@clickhouse/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allStreams } from '#api';
import { ClickHouseCluster, faultSeed, SeededRandom, testsAll } from '#testkit';
import { rowsOf } from '../../contract/rows.js';
import { StoreUnavailableError } from '../../errors.js';
import { rowBatchesOf } from '../../row-batch/row-batches-of.fixture.js';
import { describeStore } from '../../store.contract.js';
import { migrationFolders } from '../migrations.js';
import { openClickHouse, type ClickHouseStoreOptions } from '../open.js';
import { UnknownClusterError } from './shards.js';

const noMerges = 'max_bytes_to_merge_at_max_space_in_pool = 1, max_bytes_to_merge_at_min_space_in_pool = 1';

let cluster: ClickHouseCluster;
beforeAll(async () => {
  cluster = await ClickHouseCluster.start(3);
});
afterAll(() => cluster.stop());

function optionsOf(database: string, spread?: number): ClickHouseStoreOptions {
  const { url, password, name } = cluster;
  const sharding = { shardsOf: async (_: string, shards: number) => spread ?? shards };
  return { url, user: 'tributary', password, database, cluster: name, sharding };
}

/** Returns the result of a statement on each server, as text. */
function onEach(query: string): Promise<string[]> {
  return Promise.all(cluster.servers.map((server) => server.ask(query)));
}

function clientOf(url: string, database: string): ClickHouseClient {
  return createClient({ url, username: 'tributary', password: cluster.password, database });
}

/** @param spread Over how many of the shards the partitions of all streams are spread. */
async function openClusterStore(spread?: number) {
  const database = `store_${randomBytes(6).toString('hex')}`;
  const store = openClickHouse(optionsOf(database, spread));
  await store.migrate();
  const clients = cluster.servers.map(({ url }) => clientOf(url, `${database}_local`));
  const query = `SELECT name FROM system.tables WHERE database = currentDatabase() AND endsWith(engine, 'MergeTree')`;
  const tables = await (await clients[0]!.query({ query, format: 'JSONEachRow' })).json<{ name: string }>();
  for (const client of clients)
    for (const { name } of tables)
      await client.command({ query: `ALTER TABLE ${name} MODIFY SETTING ${noMerges}` });
  const close = async () => {
    await store.close();
    for (const client of clients) {
      for (const name of [database, `${database}_local`])
        await client.command({ query: `DROP DATABASE IF EXISTS ${name} SYNC` });
      await client.close();
    }
  };
  return { store, database, close };
}

// All of them take two minutes.
const random = new SeededRandom(faultSeed());
describeStore(
  'A cluster of three ClickHouse servers',
  () => openClusterStore(),
  () => testsAll || random.chance(0.2),
);

describe('The shards of a cluster', () => {
  it('have the rows of each partition in one of them, and the partitions of a stream in all of them', async () => {
    const { store, database, close } = await openClusterStore();
    for (let partition = 0; partition < 6; partition++)
      await store.writer.appendRowBatches(
        rowBatchesOf(rowsOf('orders', 10, () => ({ partition, entity_id: 'e' }))),
        randomUUID(),
      );
    for (const table of ['events', 'events_by_entity', 'positions']) {
      const query = `SELECT arraySort(groupUniqArray(partition)) FROM ${database}_local.${table}`;
      const found = (await onEach(query)).map((text) => JSON.parse(text) as number[]);
      expect(found.flat().sort()).toEqual([0, 1, 2, 3, 4, 5]);
      expect(found.map((partitions) => partitions.length)).toEqual([2, 2, 2]);
    }
    const counts = await onEach(`SELECT count() FROM ${database}.events FINAL`);
    expect(counts).toEqual(['60\n', '60\n', '60\n']);
    await close();
  });

  it('that are added later get no partition of a stream that was there before, which is read as before', async () => {
    const { store, database, close } = await openClusterStore(2);
    for (let partition = 0; partition < 6; partition++)
      await store.writer.appendRowBatches(
        rowBatchesOf(rowsOf('orders', 10, () => ({ partition, entity_id: 'e' }))),
        randomUUID(),
      );
    const counts = await onEach(`SELECT count() FROM ${database}_local.events`);
    expect(counts).toEqual(['30\n', '30\n', '0\n']);
    const { items } = await store.reader.query({ access: allStreams, order: 'asc', limit: 100 });
    expect(items).toHaveLength(60);
    expect(await store.writer.lastStoredOffset('orders', 5)).toBe(9);
    await close();
  });

  it('get new columns of a later migration, and can be read through every server', async () => {
    const { store, database, close } = await openClusterStore();
    await store.migrate();
    const folder = await mkdtemp(join(tmpdir(), 'tributary-migrations-'));
    await writeFile(
      join(folder, '9001_more.sql'),
      'ALTER TABLE entities ADD COLUMN IF NOT EXISTS more UInt8;',
    );
    const later = openClickHouse({ ...optionsOf(database), migrations: [...migrationFolders(), folder] });
    await later.migrate();
    await later.migrate();
    expect(await onEach(`SELECT sum(more) FROM ${database}.entities`)).toEqual(['0\n', '0\n', '0\n']);
    await later.close();
    await rm(folder, { recursive: true });
    await close();
  });

  it('must be those of a cluster that the server knows', async () => {
    const store = openClickHouse({ ...optionsOf('store_none'), cluster: 'another' });
    await expect(store.migrate()).rejects.toThrow(UnknownClusterError);
    await store.close();
  });

  it('accept writes when another one is down; what needs that one fails as unavailable', async () => {
    const { store } = await openClusterStore();
    const write = (partition: number) =>
      store.writer.appendRowBatches(rowBatchesOf(rowsOf('orders', 10, () => ({ partition }))), randomUUID());
    const all = () => store.reader.query({ access: allStreams, order: 'asc', limit: 100 });
    await write(0);
    await cluster.servers.at(-1)!.kill();
    const written = await Promise.allSettled([0, 1, 2].map(write));
    const failed = written.flatMap((one) => (one.status === 'rejected' ? [one.reason as Error] : []));
    expect(failed).toEqual([expect.any(StoreUnavailableError)]);
    await expect(all()).rejects.toThrow(StoreUnavailableError);
    await expect(store.ping()).rejects.toThrow(StoreUnavailableError);
    await store.close();
  });
});
