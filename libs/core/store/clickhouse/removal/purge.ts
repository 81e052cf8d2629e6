import type { StoreClickHouseClient } from '../store-clickhouse-client.js';

const tablesWithRemoved = `
SELECT DISTINCT table
FROM system.parts
WHERE database = currentDatabase() AND active AND has_lightweight_delete
  AND table NOT IN (
    SELECT table FROM system.mutations
    WHERE database = currentDatabase() AND NOT is_done AND command LIKE '%APPLY DELETED MASK%')`;

/** Implements EventRemover.purge: starts a rewrite of the data parts with deleted rows, in every table that has them. */
export async function purge(connection: StoreClickHouseClient): Promise<void> {
  const tables = await connection.select<[string]>(tablesWithRemoved, { purpose: 'lookup' });
  for (const [table] of tables) {
    await connection.command(
      'ALTER TABLE {table:Identifier} APPLY DELETED MASK',
      { table },
      { mutations_sync: '0' },
    );
  }
}
