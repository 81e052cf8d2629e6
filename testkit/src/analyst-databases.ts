import { askClickHouse } from './clickhouse-statement.js';
import { testEngines } from './engines.js';

/** Limits of the workers of a run, and of the systems with SQL that one worker starts. */
const [mostWorkers, mostSystems] = [16, 12];

/** The database of the system that specs share. ClickHouse's user for analysts may read it. */
export const sharedAnalystDatabase = 'analysts_shared';

/** Returns a database for the system with this number, or for the store (`store`), of the worker. */
function analystDatabase(worker: number | string, which: number | 'store'): string {
  return `analysts_${worker}_${which}`;
}

/** Returns all databases that ClickHouse's user for analysts may read. Its file of users names each of them. */
export function analystDatabases(): string[] {
  const ofWorker = (worker: number) => [
    analystDatabase(worker, 'store'),
    ...Array.from({ length: mostSystems }, (_, system) => analystDatabase(worker, system)),
  ];
  return [
    sharedAnalystDatabase,
    ...Array.from({ length: mostWorkers }, (_, worker) => ofWorker(worker + 1)).flat(),
  ];
}

/** Returns a database that does not exist yet and that the user for analysts may read, and that user's password. */
export async function freshAnalystDatabase(): Promise<{ database: string; password: string }> {
  const answer = await askClickHouse(testEngines(), 'SELECT name FROM system.databases');
  const present = new Set((await answer.text()).split('\n'));
  const worker = process.env.VITEST_POOL_ID ?? '1';
  const own = Array.from({ length: mostSystems }, (_, system) => analystDatabase(worker, system));
  const database = own.find((name) => !present.has(name));
  if (database === undefined)
    throw new Error(`This worker has started ${mostSystems} systems with SQL already`);
  return { database, password: process.env.TEST_CLICKHOUSE_ANALYST_PASSWORD ?? '' };
}
