import { randomInt } from 'node:crypto';
import { askClickHouse } from './clickhouse-statement.js';
import { testEngines } from './engines.js';

/** More than a run starts systems and opens stores with SQL, so that it uses no name again. */
const names = Array.from({ length: 200 }, (_, n) => `analysts_${n}`);
/** A table whose rows are the names that were used. */
const used = 'test_analyst_names.used';

/** The database of the system that specs share. ClickHouse's user for analysts may read it. */
export const sharedAnalystDatabase = 'analysts_shared';

/** Returns all databases that ClickHouse's user for analysts may read. Its file of users names each of them. */
export function analystDatabases(): string[] {
  return [sharedAnalystDatabase, ...names];
}

/**
 * Creates an empty database that the user for analysts may read, and returns it and that user's password. The name is chosen at random:
 * a slow `DROP DATABASE` of a spec that ended must not remove the database of the next one.
 */
export async function freshAnalystDatabase(): Promise<{ database: string; password: string }> {
  for (let attempt = 0; attempt < 50; attempt++) {
    const database = names[randomInt(names.length)]!;
    const answer = await askClickHouse(testEngines(), `CREATE DATABASE ${database}`);
    const text = await answer.text();
    if (answer.ok) return { database, password: process.env.TEST_CLICKHOUSE_ANALYST_PASSWORD ?? '' };
    if (!text.includes('DATABASE_ALREADY_EXISTS')) throw new Error(text);
  }
  throw new Error(`Most of the ${names.length} databases for analysts exist: specs do not drop theirs`);
}
