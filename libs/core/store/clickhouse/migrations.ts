import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ClickHouseConnection } from './connection/store-clickhouse-client.js';

/**
 * Error: a migration that was applied to the database has been edited since, or is unknown to this version of the
 * software; or the folder of migrations is missing.
 */
export class MigrationMismatchError extends Error {
  override readonly name = 'MigrationMismatchError';
}

/** A numbered SQL file with statements that change the schema of the ClickHouse database. */
interface Migration {
  id: number;
  name: string;
  statements: string[];
  checksum: string;
}

const ownFolder = join('libs', 'core', 'store', 'migrations');

/**
 * Returns the folders of migrations: each folder `migrations` below `libs`, so a feature brings its tables in a folder of
 * its own. This file runs from `libs`, or from `dist` after a build; the `.sql` files are always in `libs`.
 */
export function migrationFolders(): string[] {
  for (let folder = dirname(fileURLToPath(import.meta.url)); ; folder = dirname(folder)) {
    if (existsSync(join(folder, ownFolder))) return foldersNamedMigrations(join(folder, 'libs'));
    if (folder === dirname(folder)) throw new MigrationMismatchError(`${ownFolder} is missing`);
  }
}

function foldersNamedMigrations(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    if (name === 'node_modules' || !statSync(path).isDirectory()) return [];
    return name === 'migrations' ? [path] : foldersNamedMigrations(path);
  });
}

/**
 * Reads the migrations in these folders, in the order of their numbers: whatever the folder, the numbers are one
 * sequence. In a file, a `;` at the end of a line ends a statement.
 * @throws MigrationMismatchError when two files have the same number
 */
export function readMigrations(folders: readonly string[]): Migration[] {
  const migrations = folders.flatMap(readFolder).sort((a, b) => a.id - b.id);
  for (const [i, { id, name }] of migrations.entries()) {
    const next = migrations[i + 1];
    if (next?.id !== id) continue;
    const free = String((migrations.at(-1)?.id ?? 0) + 1).padStart(4, '0');
    throw new MigrationMismatchError(
      `The migrations ${name} and ${next.name} have the same number: give the newer one the number ${free}.`,
    );
  }
  return migrations;
}

function readFolder(folder: string): Migration[] {
  const names = readdirSync(folder).filter((name) => /^\d{4}_[a-z0-9_]+\.sql$/.test(name));
  return names.map((name) => {
    const text = readFileSync(join(folder, name), 'utf8').replaceAll('\r\n', '\n');
    return {
      id: Number(name.slice(0, 4)),
      name,
      statements: splitStatements(text),
      checksum: createHash('sha256').update(text).digest('hex'),
    };
  });
}

function splitStatements(text: string): string[] {
  return text
    .replace(/^\s*--.*$/gm, '')
    .split(/;\s*$/m)
    .map((statement) => statement.trim())
    .filter(Boolean);
}

const createTable = `
CREATE TABLE IF NOT EXISTS migrations
(
    id UInt32,
    name String,
    checksum String,
    applied_at DateTime DEFAULT now()
)
ENGINE = ReplacingMergeTree
ORDER BY id`;

/**
 * Applies, in order, the migrations that are not recorded, and records each file after its statements. Two
 * processes may do this concurrently: every statement is idempotent (`IF NOT EXISTS`), and so is the record.
 * @throws MigrationMismatchError when a recorded file has changed since, or is unknown to this version.
 */
export async function applyMigrations(
  connection: ClickHouseConnection,
  { migrations, replicated }: { migrations: Migration[]; replicated: boolean },
): Promise<void> {
  await requireEngines(connection, replicated);
  await connection.command(createTable);
  const recorded = await migrationsOf(connection);
  const unknown = recorded.find(([id]) => !migrations.some((migration) => migration.id === id));
  if (unknown) throw newer(unknown[1]);
  const applied = migrations.filter(({ id }) => recorded.some(([known]) => known === id));
  await requireTables(connection, applied);
  const checksums = new Map(recorded.map(([id, , checksum]) => [id, checksum]));
  for (const migration of migrations) {
    const checksum = checksums.get(migration.id);
    if (checksum === undefined) await apply(connection, migration, replicated);
    else if (checksum !== migration.checksum) throw changed(migration);
  }
}

/**
 * Requires that the tables of the database are replicated, or that none is. @throws MigrationMismatchError: rows of a table that is not
 * replicated would be on one replica only
 */
async function requireEngines(connection: ClickHouseConnection, replicated: boolean): Promise<void> {
  const others = await connection.select<[string]>(
    `SELECT name FROM system.tables
    WHERE database = currentDatabase() AND endsWith(engine, 'MergeTree') AND name != 'migrations'
      AND startsWith(engine, 'Replicated') != {replicated:Bool}
    ORDER BY name LIMIT 1`,
    { params: { replicated }, purpose: 'lookup' },
  );
  if (!others[0]) return;
  throw new MigrationMismatchError(
    `The table ${others[0][0]} is ${replicated ? 'not ' : ''}replicated, and CLICKHOUSE_REPLICATED is ${String(replicated)}: ` +
      'use the former value, or an empty database.',
  );
}

/** Requires the tables and views of applied migrations. @throws MigrationMismatchError: a new table would be without its rows */
async function requireTables(connection: ClickHouseConnection, applied: readonly Migration[]): Promise<void> {
  const created = applied.flatMap(({ statements }) =>
    statements.flatMap((one) => /^CREATE .*?IF NOT EXISTS (\w+)/.exec(one)?.[1] ?? []),
  );
  const missing = await connection.select<[string]>(
    `SELECT arrayJoin({created:Array(String)}) AS table
    WHERE table NOT IN (SELECT name FROM system.tables WHERE database = currentDatabase()) LIMIT 1`,
    { params: { created }, purpose: 'lookup' },
  );
  if (!missing[0]) return;
  throw new MigrationMismatchError(
    `The table ${missing[0][0]} is missing, which this database has had: rebuild or restore the store (docs/operations.md, "After data loss").`,
  );
}

/**
 * Returns the statement that creates a replicated table. All replicas of a shard have the same path, and all shards their own.
 * Source: https://clickhouse.com/docs/engines/table-engines/mergetree-family/replication
 */
export function replicatedStatement(statement: string): string {
  if (!/^ENGINE = /m.test(statement)) return statement;
  const engine = statement.replace(
    /^ENGINE = (\w*MergeTree)(?:\((.*)\))?$/m,
    (_all, engine: string, parameters?: string) =>
      `ENGINE = Replicated${engine}(${[replicaPath, parameters].filter(Boolean).join(', ')})`,
  );
  // Each table forgets tokens as it does on one server: by default, replicated tables remember the blocks of all inserts.
  const named = engine.replace('non_replicated_deduplication_window', 'replicated_deduplication_window');
  if (named !== engine) return named;
  const window = 'replicated_deduplication_window = 0';
  return /^SETTINGS /m.test(engine)
    ? engine.replace(/^SETTINGS /m, `SETTINGS ${window}, `)
    : `${engine}\nSETTINGS ${window}`;
}

/**
 * Creates the tables of a replica that has none as another one of its shard has them now, and records the same migrations:
 * a table can only be created as its other replicas are, which later migrations have altered. Does nothing if none of the others that
 * answer has tables.
 */
export async function copyTables(
  replica: ClickHouseConnection,
  others: readonly { connection: ClickHouseConnection }[],
): Promise<void> {
  await replica.command(createTable);
  if ((await migrationsOf(replica)).length > 0) return;
  for (const { connection: other } of others) {
    // One that has no database yet, or is down, has nothing to copy: Keeper refuses tables that differ from those that it has.
    const recorded = await migrationsOf(other).catch(() => []);
    if (recorded.length === 0) continue;
    // Read after them: another process may apply migrations meanwhile.
    const tables = await other.select<[string]>(tablesToCopy, { purpose: 'lookup' });
    for (const [statement] of tables)
      await replica.command(
        statement.replace(/^CREATE (TABLE|MATERIALIZED VIEW) /, 'CREATE $1 IF NOT EXISTS '),
      );
    for (const [id, name, checksum] of recorded) await record(replica, { id, name, checksum });
    return;
  }
}

/** Tables before the views that fill them. */
const tablesToCopy = `SELECT create_table_query FROM system.tables
WHERE database = currentDatabase() AND name != 'migrations' AND (endsWith(engine, 'MergeTree') OR engine = 'MaterializedView')
ORDER BY engine = 'MaterializedView', name`;

const replicaPath = `'/clickhouse/tables/{shard}/{database}/{table}', '{replica}'`;

async function apply(
  connection: ClickHouseConnection,
  migration: Migration,
  replicated: boolean,
): Promise<void> {
  for (const statement of migration.statements)
    await connection.command(replicated ? replicatedStatement(statement) : statement);
  await record(connection, migration);
}

/** Returns the recorded migrations, in their order. */
function migrationsOf(
  connection: ClickHouseConnection,
): Promise<[id: number, name: string, checksum: string][]> {
  return connection.select('SELECT id, name, checksum FROM migrations FINAL ORDER BY id', {
    purpose: 'lookup',
  });
}

function record(
  connection: ClickHouseConnection,
  { id, name, checksum }: Pick<Migration, 'id' | 'name' | 'checksum'>,
): Promise<void> {
  const statement =
    'INSERT INTO migrations (id, name, checksum) SELECT {id:UInt32}, {name:String}, {checksum:String}';
  return connection.command(statement, { id, name, checksum });
}

function newer(name: string): MigrationMismatchError {
  return new MigrationMismatchError(
    `${name} was applied to this database by another version of this software, and this version does not have it. ` +
      'Run that version or a later one, or use another database.',
  );
}

function changed(migration: Migration): MigrationMismatchError {
  return new MigrationMismatchError(
    `${migration.name} was applied to this database with other contents. Applied migrations are never edited: ` +
      'restore the old text and add a new file, or use another database.',
  );
}
