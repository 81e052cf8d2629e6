import { askClickHouse } from './clickhouse-statement.js';
import { testEngines } from './engines.js';

/** More than a run starts systems and opens stores with SQL. */
const names = Array.from({ length: 200 }, (_, n) => `analysts_${n}`);

/** The database of the system that specs share. ClickHouse's user for analysts may read it. */
export const sharedAnalystDatabase = 'analysts_shared';

/** Returns all databases that ClickHouse's user for analysts may read. Its file of users names each of them. */
export function analystDatabases(): string[] {
  return [sharedAnalystDatabase, ...names];
}

/**
 * Creates an empty database that the user for analysts may read, and returns it and that user's password. No name is used twice in a
 * run: a slow `DROP DATABASE` of a spec that ended must not remove the database of a later one.
 */
export async function freshAnalystDatabase(): Promise<{ database: string; password: string }> {
  for (const database of names) {
    // A second database, which stays, says that the name is used.
    if (!(await isCreated(`test_${database}_is_used`))) continue;
    await isCreated(database);
    return { database, password: process.env.TEST_CLICKHOUSE_ANALYST_PASSWORD ?? '' };
  }
  throw new Error(`This run has used all ${names.length} databases for analysts`);
}

/** Creates a database. Returns false if it exists already. */
async function isCreated(database: string): Promise<boolean> {
  const answer = await askClickHouse(testEngines(), `CREATE DATABASE ${database}`);
  const text = await answer.text();
  if (answer.ok || text.includes('DATABASE_ALREADY_EXISTS')) return answer.ok;
  throw new Error(text);
}
