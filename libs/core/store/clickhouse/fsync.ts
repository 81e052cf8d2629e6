import type { ClickHouseConnection } from './connection/store-clickhouse-client.js';

/**
 * The settings with which ClickHouse syncs a new part of a table, its directory, and a part that a merge or a removal wrote
 * (with at least this number of rows), before it uses the part.
 */
const fsyncSettings = ['fsync_after_insert', 'fsync_part_directory', 'min_rows_to_fsync_after_merge'];

/**
 * Makes ClickHouse sync each insert to the disk before it answers, and each merge and removal, or not, whatever the server's
 * default is. This alters the tables of the database that differ. Tables filled by views are synced by the same insert.
 * Without it, a machine that loses power loses inserts whose offsets are committed, and undoes removals.
 * Source: https://clickhouse.com/docs/operations/settings/merge-tree-settings#fsync_after_insert
 */
export async function applyFsync(connection: ClickHouseConnection, synced: boolean): Promise<void> {
  const setting = `\\b(${fsyncSettings.join('|')}) = (${synced ? '1|true' : '0|false'})\\b`;
  const differing = await connection.select<[string]>(
    `SELECT name FROM system.tables
    WHERE database = currentDatabase() AND endsWith(engine, 'MergeTree')
      AND countMatches(create_table_query, {setting:String}) != {count:UInt8}
    ORDER BY name`,
    { params: { setting, count: fsyncSettings.length }, purpose: 'lookup' },
  );
  const values = fsyncSettings.map((name) => `${name} = ${synced ? 1 : 0}`).join(', ');
  for (const [table] of differing)
    await connection.command(`ALTER TABLE {table:Identifier} MODIFY SETTING ${values}`, { table });
}
