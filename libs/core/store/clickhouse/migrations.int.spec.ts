import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allStreams } from '#api';
import { StoreClickHouseClient } from './connection/store-clickhouse-client.js';
import {
  applyMigrations,
  replicatedStatement,
  MigrationMismatchError,
  migrationFolders,
  readMigrations,
} from './migrations.js';
import { openTestStore, type TestStore } from './test-store.js';

const folders: string[] = [];
afterAll(() => folders.forEach((folder) => rmSync(folder, { recursive: true })));

/** Returns a new folder with these migrations, which do nothing. */
function folderWith(...names: string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'migrations-'));
  folders.push(folder);
  for (const name of names) writeFileSync(join(folder, name), 'DROP TABLE IF EXISTS nothing;\n');
  return folder;
}

describe('migrations', () => {
  let test: TestStore;
  let connection: StoreClickHouseClient;

  beforeAll(async () => {
    test = await openTestStore();
    connection = new StoreClickHouseClient({
      ...test.options,
      maxConnections: 2,
      insertTimeoutMs: 10_000,
      queryTimeoutMs: 10_000,
    });
  });
  afterAll(async () => {
    await connection.close();
    await test.close();
  });

  it('are numbered without gaps, and contain only idempotent statements', () => {
    const migrations = readMigrations(migrationFolders());
    expect(migrations.map((migration) => migration.id)).toEqual(migrations.map((_, i) => i + 1));
    for (const statement of migrations.flatMap((migration) => migration.statements)) {
      expect(statement).toMatch(/IF (NOT )?EXISTS|MODIFY SETTING/);
    }
  });

  it('are one sequence over all folders, whatever folder a feature has its tables in', () => {
    const folder = folderWith('9002_b.sql', '9001_a.sql');
    expect(readMigrations([folder, ...migrationFolders()]).map(({ name }) => name)).toEqual([
      ...readMigrations(migrationFolders()).map(({ name }) => name),
      '9001_a.sql',
      '9002_b.sql',
    ]);
  });

  it('are rejected if two folders use the same number', () => {
    expect(() => readMigrations([folderWith('9001_a.sql'), folderWith('9001_b.sql', '9004_c.sql')])).toThrow(
      'The migrations 9001_a.sql and 9001_b.sql have the same number: give the newer one the number 9005.',
    );
  });

  it('are each recorded once', async () => {
    await test.store.migrate();
    const rows = await connection.select<[number]>('SELECT id FROM migrations ORDER BY id');
    expect(rows.flat()).toEqual(readMigrations(migrationFolders()).map((migration) => migration.id));
  });

  it('can be repeated statement by statement', async () => {
    for (const { statements } of readMigrations(migrationFolders()))
      for (const statement of statements) await connection.command(statement);
  });

  it('keep dead letters and their replay marks when the step column is added', async () => {
    const own = await openTestStore();
    const of = new StoreClickHouseClient({
      ...own.options,
      ...{ maxConnections: 2, insertTimeoutMs: 10_000, queryTimeoutMs: 10_000 },
    });
    const [earlier, later] = [(id: number) => [4, 6].includes(id), (id: number) => [10, 11].includes(id)].map(
      (is) =>
        readMigrations(migrationFolders())
          .filter(({ id }) => is(id))
          .flatMap(({ statements }) => statements),
    ) as [string[], string[]];
    for (const table of ['dead_letters', 'dead_letter_replays']) await of.command(`DROP TABLE ${table} SYNC`);
    for (const statement of earlier) await of.command(statement);
    await of.command(
      "INSERT INTO dead_letters SELECT 'materializer', 's', 0, number, 'r', 'e', 'v', 0 FROM numbers(2)",
    );
    await of.command("INSERT INTO dead_letter_replays SELECT 'materializer', 's', 0, 1, sipHash64('v'), 7");
    await Promise.all(
      [later, later].map(async (all) => {
        for (const statement of all) await of.command(statement);
      }),
    );
    const step = { run: 'a'.repeat(24), operator: '/operators/0/map', stream: 's', path: '', replay: 0 };
    const letter = { source: 'materializer', stream: 's', partition: 0, offset: 1 };
    const [again, other] = [letter, { ...letter, step }].map((one) => ({
      ...one,
      ...{ reason: 'r', error: 'e', event: 'v', created_at: 1 },
    }));
    await own.store.writer.appendDeadLetters([again!, other!]);
    const { items } = await own.store.reader.deadLetters({ access: allStreams, limit: 10 });
    expect(items.map(({ offset, step: at, replayed_at }) => [offset, at?.operator, replayed_at])).toEqual([
      [1, '/operators/0/map', null],
      [1, undefined, 7],
      [0, undefined, null],
    ]);
    await of.close();
    await own.close();
  });

  it('fail when an applied migration was edited', async () => {
    const [first, ...rest] = readMigrations(migrationFolders());
    const edited = { ...(first as NonNullable<typeof first>), checksum: 'other' };
    const error = await applyMigrations(connection, {
      migrations: [edited, ...rest],
      replicated: false,
    }).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(MigrationMismatchError);
    expect((error as Error).message).toContain('0001_events.sql');
  });

  it('fail when the database has a migration that this version does not know', async () => {
    const own = await openTestStore();
    const insert = "INSERT INTO migrations (id, name, checksum) VALUES (9001, '9001_later.sql', 'x')";
    await own.engine.command({ query: insert });
    const error = await own.store.migrate().catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(MigrationMismatchError);
    expect((error as Error).message).toContain('9001_later.sql');
    await own.close();
  });

  it('fail when a table is missing that the database has had, and name it', async () => {
    const own = await openTestStore();
    await own.engine.command({ query: 'DROP TABLE dead_letters SYNC' });
    await expect(own.store.migrate()).rejects.toThrow(
      /^The table dead_letters is missing, .*: rebuild or restore/,
    );
    await own.close();
  });

  it('fail when the tables of the database are not replicated, and others were asked for', async () => {
    const own = await openTestStore();
    const options = { migrations: readMigrations(migrationFolders()), replicated: true };
    await expect(applyMigrations(own.store.connection, options)).rejects.toThrow(
      /^The table \w+ is not replicated, and CLICKHOUSE_REPLICATED is true: use the former value, or an empty database/,
    );
    await own.close();
  });

  it('create replicated tables with statements that ClickHouse understands, each with its own path on each shard', async () => {
    const statements = readMigrations(migrationFolders()).flatMap((one) => one.statements);
    const tables = statements.filter((statement) => /^ENGINE = /m.test(statement));
    expect(tables.length).toBeGreaterThan(10);
    for (const statement of tables.map(replicatedStatement)) {
      expect(statement).toMatch(
        /^ENGINE = Replicated\w+MergeTree\('\/clickhouse\/tables\/\{shard\}\/\{database\}\/\{table\}', '\{replica\}'/m,
      );
      await connection.command(`EXPLAIN AST ${statement}`);
    }
    const others = statements.filter((statement) => !tables.includes(statement));
    expect(others.map(replicatedStatement)).toEqual(others);
  });

  it('apply a new migration', async () => {
    const table = `extra_${randomBytes(3).toString('hex')}`;
    const extra = {
      id: 9000,
      name: '9000_extra.sql',
      checksum: 'x',
      statements: [`CREATE TABLE IF NOT EXISTS ${table} (a UInt8) ENGINE = MergeTree ORDER BY a`],
    };
    const migrations = [...readMigrations(migrationFolders()), extra];
    const options = { migrations, replicated: false };
    await Promise.all([applyMigrations(connection, options), applyMigrations(connection, options)]);
    expect(await connection.select(`SELECT count() FROM ${table}`)).toEqual([[0]]);
  });
});
