import { quoteIdentifier } from '../connection/sql-params.js';
import type { ClickHouseConnection } from '../connection/store-clickhouse-client.js';

interface DistributedTables {
  /** Name of the cluster in the servers' `remote_servers`. */
  cluster: string;
  /** The database that gets the `Distributed` tables, and that of the tables of each shard. */
  database: string;
  localDatabase: string;
}

/** Tables of a shard whose columns differ from those of their `Distributed` table, or that have none. */
const missingTables = `
SELECT table
FROM (
  SELECT database, table, groupArray((name, type)) AS columns
  FROM (SELECT * FROM system.columns WHERE database IN ({database:String}, {localDatabase:String}) ORDER BY position)
  WHERE (database, table) IN (SELECT database, name FROM system.tables WHERE endsWith(engine, 'MergeTree') OR engine = 'Distributed')
  GROUP BY database, table)
GROUP BY table
HAVING uniqExact(columns) > 1 OR count() = 1
ORDER BY table`;

/**
 * Creates on one server, for each table of its shard, the `Distributed` table of the same name that reads the tables of all shards. Such a table
 * has no rows of its own, so one with other columns is replaced.
 * Source: https://clickhouse.com/docs/engines/table-engines/special/distributed
 */
export async function createDistributedTables(
  connection: ClickHouseConnection,
  { cluster, database, localDatabase }: DistributedTables,
): Promise<void> {
  const params = { database, localDatabase };
  const [distributed, local] = [quoteIdentifier(database), quoteIdentifier(localDatabase)];
  const found = await connection.select<[string]>(missingTables, { params, purpose: 'lookup' });
  for (const [table] of found) {
    const name = quoteIdentifier(table);
    const engine = `Distributed({cluster:String}, {localDatabase:String}, {table:String})`;
    await connection.command(
      `CREATE OR REPLACE TABLE ${distributed}.${name} AS ${local}.${name} ENGINE = ${engine}`,
      { cluster, localDatabase, table },
    );
  }
}
