import type { StoreUsage } from '../store.js';
import { damageCodes } from './connection/error-codes.js';
import type { ClickHouseConnection } from './connection/store-clickhouse-client.js';

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

/** Excludes detached parts whose rows are also in active parts, and copies that ClickHouse is making or removing. */
const detachedParts = `
SELECT table, count()
FROM system.detached_parts
WHERE database = currentDatabase() AND reason NOT IN ('ignored', 'clone', 'attaching', 'deleting', 'tmp-fetch')
GROUP BY table
ORDER BY table`;

const damageErrors = `
SELECT toInt32(code), sum(value) FROM system.errors WHERE code IN {codes:Array(Int32)} GROUP BY code`;

/** Returns the free space of ClickHouse's disks, the size of the store's tables, and signs of damage. @throws StoreUnavailableError */
export async function readStoreUsage(connection: Pick<ClickHouseConnection, 'select'>): Promise<StoreUsage> {
  const foundDisks = await connection.select<[string, number, number]>(disks);
  const foundTables = await connection.select<[string, number, number, number]>(tables);
  const detached = new Map(await connection.select<[string, number]>(detachedParts));
  const params = { codes: [...damageCodes.keys()] };
  const errors = new Map(await connection.select<[number, number]>(damageErrors, { params }));
  const ofTables = new Map(foundTables.map(([table, ...sizes]) => [table, sizes]));
  return {
    disks: foundDisks.map(([disk, freeBytes, sizeBytes]) => ({ disk, freeBytes, sizeBytes })),
    // All parts of a table may be detached.
    tables: [...new Set([...ofTables.keys(), ...detached.keys()])].map((table) => {
      const [rows, bytes, parts] = ofTables.get(table) ?? [0, 0, 0];
      return { table, rows, bytes, parts, detachedParts: detached.get(table) ?? 0 };
    }),
    damageErrors: [...damageCodes].map(([code, error]) => ({ error, count: errors.get(code) ?? 0 })),
  };
}
