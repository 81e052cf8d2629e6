import type { ClickHouseSettings } from '@clickhouse/client';
import type { Sql } from '../event-query.js';

const tables = ['projection_states', 'projection_progress'];

/** A server refuses to drop what is large unless the statement says that it is meant. */
const settings: ClickHouseSettings = { max_partition_size_to_drop: '0' };

/** A build is a partition of each table. The progress goes last: what has any is named by `builds` until all is gone. */
export function removeBuildSql(build: string): (Sql & { settings: ClickHouseSettings })[] {
  return tables.map((table) => ({
    query: `ALTER TABLE ${table} DROP PARTITION {build:String}`,
    params: { build },
    settings,
  }));
}

/** What is dropped leaves parts without rows for a while. */
export function buildsSql(): Sql {
  return {
    query: `SELECT DISTINCT partition
FROM system.parts
WHERE database = currentDatabase() AND table IN {tables:Array(String)} AND active AND rows > 0
ORDER BY partition`,
    params: { tables },
  };
}
