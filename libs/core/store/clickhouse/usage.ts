import type { StoreUsage } from '../store.js';
import type { StoreClickHouseClient } from './connection/store-clickhouse-client.js';

/** Excludes object storage: ClickHouse reports the greatest possible number as its size. */
const disks = `
SELECT name, free_space, total_space
FROM system.disks
WHERE total_space BETWEEN 1 AND 9007199254740991
ORDER BY name`;

const tables = `
SELECT table, sum(rows), sum(bytes_on_disk), count()
FROM system.parts
WHERE active AND database = currentDatabase()
GROUP BY table
ORDER BY table`;

/** Returns the free space of ClickHouse's disks and the size of the store's tables. @throws StoreUnavailableError */
export async function readStoreUsage(connection: Pick<StoreClickHouseClient, 'select'>): Promise<StoreUsage> {
  const foundDisks = await connection.select<[string, number, number]>(disks);
  const foundTables = await connection.select<[string, number, number, number]>(tables);
  return {
    disks: foundDisks.map(([disk, freeBytes, sizeBytes]) => ({ disk, freeBytes, sizeBytes })),
    tables: foundTables.map(([table, rows, bytes, parts]) => ({ table, rows, bytes, parts })),
  };
}
