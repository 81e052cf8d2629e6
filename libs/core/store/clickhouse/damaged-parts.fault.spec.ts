import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { allStreams } from '#api';
import { PrivateKafkaAndClickHouse } from '#testkit';
import { rowsOf } from '../contract/rows.js';
import { StoreDamagedError, StoreUnavailableError } from '../errors.js';
import { rowBatchesOf } from '../row-batch/row-batches-of.fixture.js';
import type { EventRow } from '../store.js';
import type { ClickHouseStore } from './clickhouse-store.js';
import { openClickHouse } from './open.js';

const tables = ['events', 'events_by_entity', 'entities', 'positions'];
const noMerges = 'max_bytes_to_merge_at_max_space_in_pool = 1, max_bytes_to_merge_at_min_space_in_pool = 1';
const secret = 'iban';
const perPart = 50;

describe('given a store with parts of three inserts', () => {
  let engines: PrivateKafkaAndClickHouse;
  let database: string;
  let store: ClickHouseStore;
  let inserts: EventRow[][];

  beforeAll(async () => {
    engines = await PrivateKafkaAndClickHouse.prepare();
    await engines.startClickHouse();
  });
  afterAll(() => engines.stop());

  beforeEach(async () => {
    database = `damaged_${randomBytes(4).toString('hex')}`;
    const { clickhouseUrl: url, clickhousePassword: password } = engines;
    store = openClickHouse({ url, user: 'tributary', password, database });
    await store.migrate();
    for (const table of tables) await sql(`ALTER TABLE ${database}.${table} MODIFY SETTING ${noMerges}`);
    inserts = [0, 1, 2].map((n) =>
      rowsOf('orders', perPart, (i) => ({
        ...{ offset: n * perPart + i, entity_id: `e-${i}`, version: n + 1 },
        data: JSON.stringify({ [secret]: randomBytes(20).toString('hex') }),
      })),
    );
    for (const [n, rows] of inserts.entries())
      await store.writer.appendRowBatches(rowBatchesOf(rows), `insert ${n}`);
  });
  afterEach(async () => {
    await store.close();
    await sql(`DROP DATABASE ${database} SYNC`);
  });

  const sql = async (statement: string) => (await engines.sql(statement)).trim();
  const restart = async () => {
    await engines.killClickHouse();
    await engines.startClickHouse();
  };
  /** Returns name and folder of the part of the first insert. */
  const firstPart = async (table: string) => {
    const [part, folder] = (
      await sql(`SELECT name, path FROM system.parts
        WHERE active AND database = '${database}' AND table = '${table}' ORDER BY name LIMIT 1 FORMAT TSVRaw`)
    ).split('\t') as [string, string];
    return { part, folder };
  };
  const flipBit = async (file: string) => {
    const bytes = await readFile(file);
    const middle = bytes.length >> 1;
    bytes[middle] = bytes[middle]! ^ 1;
    await writeFile(file, bytes);
  };
  const readAll = async () => {
    const { items } = await store.reader.query({ access: allStreams, order: 'asc', limit: 1000 });
    return items.map(({ offset }) => offset);
  };
  const offsetsOf = (...these: number[]) => these.flatMap((n) => inserts[n]!.map(({ offset }) => offset));
  const detachedIn = async (table: string) =>
    (await store.usage()).tables.find((one) => one.table === table)?.detachedParts;
  /** Lets ClickHouse compare the files of all parts with their checksums, as docs/runbooks/TributaryStoreDamaged.md says. */
  const damagedParts = async () => {
    const found: { table: string; part: string; message: string }[] = [];
    for (const table of tables) {
      const query = `CHECK TABLE ${database}.${table} SETTINGS check_query_single_value_result = 0 FORMAT TSVRaw`;
      for (const line of (await sql(query)).split('\n')) {
        const [part, passes, message = ''] = line.split('\t') as [string, string, string?];
        if (passes === '0') found.push({ table, part, message });
      }
    }
    return found;
  };
  /** Expects that a request says which part is damaged, and nothing of what it contains. */
  const expectDamage = async (request: Promise<unknown>, part: string) => {
    const error = await request.then(
      () => undefined,
      (caught: unknown) => caught,
    );
    expect(error, String(error)).toBeInstanceOf(StoreDamagedError);
    const { message } = error as Error;
    expect(message).toContain(`The part ${part}`);
    expect(message).not.toContain(secret);
  };

  it('when nothing is damaged, every part passes', async () => {
    expect(await damagedParts()).toEqual([]);
    expect(await detachedIn('events')).toBe(0);
  });

  it('when a bit flips, requests that need the part fail with its name until it is detached and inserted again (fault 24)', async () => {
    const { part, folder } = await firstPart('events');
    await flipBit(join(folder, 'data.bin'));
    const before = (await store.usage()).damageErrors;
    for (const start of [async () => undefined, restart]) {
      await start();
      await expectDamage(readAll(), part);
    }
    const entityHash = createHash('sha256').update('orders\0e-7').digest('hex');
    const erasure = { stream: 'orders', entityHash, entityId: 'e-7', before: { 0: 1000 } };
    await expectDamage(store.eraser.eraseEntity(erasure), part);
    expect(await damagedParts()).toEqual([
      { table: 'events', part, message: expect.stringContaining('data.bin') as string },
    ]);
    expect((await store.usage()).damageErrors).not.toEqual(before);

    await sql(`ALTER TABLE ${database}.events DETACH PART '${part}'`);
    expect(await detachedIn('events')).toBe(1);
    await store.writer.appendRowBatches(rowBatchesOf(inserts[0]!), randomUUID());
    await store.eraser.eraseEntity(erasure);
    expect(await readAll()).toEqual(offsetsOf(0, 1, 2).filter((offset) => offset % perPart !== 7));
    await sql(`ALTER TABLE ${database}.events DROP DETACHED PART '${part}' SETTINGS allow_drop_detached = 1`);
    expect(await detachedIn('events')).toBe(0);
  });

  it('when an answer has begun before ClickHouse comes to the damage, the request fails', async () => {
    const data = () => JSON.stringify({ [secret]: randomBytes(200).toString('hex') });
    const rows = rowsOf('many', 20_000, () => ({ data: data() }));
    await store.writer.appendRowBatches(rowBatchesOf(rows), randomUUID());
    const [part, folder] = (
      await sql(`SELECT name, path FROM system.parts
        WHERE active AND database = '${database}' AND table = 'events' ORDER BY rows DESC LIMIT 1 FORMAT TSVRaw`)
    ).split('\t') as [string, string];
    const file = join(folder, 'data.bin');
    await truncate(file, (await stat(file)).size - 10);
    const all = 'SELECT offset, data FROM events ORDER BY stream, timestamp, partition, offset';
    const settings = { max_block_size: '1000' };
    const read = () => store.connection.select(all, { settings });
    // On a busy machine, the end of the connection can come before its last bytes are read, which say why.
    await expect(read()).rejects.toThrow(StoreUnavailableError);
    await vi.waitFor(() => expectDamage(read(), part), 60_000);
    await expectDamage(store.connection.select(all.replace(/ ORDER.*/, '')), part);
  });

  it.each(['events', 'events_by_entity', 'positions'])(
    'when a file of a part of %s is cut off, it is found, and a restart detaches the part, which the usage shows',
    async (table) => {
      const { part, folder } = await firstPart(table);
      const file = join(folder, 'data.bin');
      await truncate(file, (await stat(file)).size - 10);
      expect(await damagedParts()).toEqual([
        { table, part, message: expect.stringContaining('data.bin') as string },
      ]);
      await expectDamage(
        store.connection.select('SELECT * FROM {table:Identifier}', { params: { table } }),
        part,
      );
      await restart();
      expect(await detachedIn(table)).toBe(1);
      expect(await damagedParts()).toEqual([]);
    },
  );

  it('when the folder of a part is missing, requests that need it fail, until a restart forgets the part', async () => {
    const { part, folder } = await firstPart('events');
    await rm(folder, { recursive: true });
    await expectDamage(readAll(), part);
    expect(await damagedParts()).toMatchObject([{ table: 'events', part }]);
    await restart();
    // ClickHouse has no list of parts: only a comparison with other tables or with the log shows that one is missing.
    expect(await readAll()).toEqual(offsetsOf(1, 2));
    expect(await detachedIn('events')).toBe(0);
    const [orders] = await store.reader.streams({ access: allStreams });
    expect(orders?.events).toBe(3 * perPart);
    // ClickHouse still knows the token of the lost insert, and ignores a repetition of it: the materializer has other tokens.
    await store.writer.appendRowBatches(rowBatchesOf(inserts[0]!), 'insert 0');
    expect(await readAll()).toEqual(offsetsOf(1, 2));
    await store.writer.appendRowBatches(rowBatchesOf(inserts[0]!), randomUUID());
    expect(await readAll()).toEqual(offsetsOf(0, 1, 2));
  });

  it.each(['columns.txt', 'checksums.txt'])(
    'when a bit of %s flips, the part is found damaged, and a restart detaches it',
    async (file) => {
      const { part, folder } = await firstPart('events_by_entity');
      await flipBit(join(folder, file));
      expect(await damagedParts()).toMatchObject([{ table: 'events_by_entity', part }]);
      await restart();
      expect(await detachedIn('events_by_entity')).toBe(1);
    },
  );
});
