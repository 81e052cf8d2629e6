import { sharedAnalystDatabase } from './analyst-databases.js';
import { testEngines } from './engines.js';
import { TestSystem } from './stack.js';

/**
 * Vitest's global set-up of the specs that share one running system, on the engines of `global-engines`. Specs find
 * the system by TEST_STACK.
 */
export default async function startStack(): Promise<() => Promise<void>> {
  const { kafkaBrokers: brokers, ...store } = testEngines();
  const analysts = {
    database: sharedAnalystDatabase,
    password: process.env.TEST_CLICKHOUSE_ANALYST_PASSWORD ?? '',
  };
  const stack = await TestSystem.start({
    ...{ brokers, ...store, analysts },
    processors: 1,
    env: { CLICKHOUSE_FSYNC_AFTER_INSERT: 'false' },
  });
  process.env.TEST_STACK = stack.share();
  return async () => {
    if (process.exitCode) process.stderr.write(`${stack.logTails()}\n`);
    await stack.stop();
  };
}
