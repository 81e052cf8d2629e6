import { afterAll, afterEach, beforeAll } from 'vitest';
import { freshAnalystDatabase, TestSystem, testEngines, type TestSystemOptions } from '#testkit';

/** An insert syncs some thirty files, for which all specs would wait. Specs with engines of their own sync as users do. */
const onSharedEngines = { CLICKHOUSE_FSYNC_AFTER_INSERT: 'false' };

/**
 * Runs one system for a spec file on the shared engines, with names of its own. Prints the ends of its logs after a
 * failed test, and stops all processes at the end. `sql` switches SQL on.
 */
export function useStack({
  sql = false,
  ...options
}: Partial<TestSystemOptions> & { sql?: boolean } = {}): () => TestSystem {
  let stack: TestSystem | undefined;
  beforeAll(async () => {
    const { kafkaBrokers: brokers, ...store } = testEngines();
    stack = await TestSystem.start({
      ...{ brokers, ...store },
      ...(sql && { analysts: await freshAnalystDatabase() }),
      ...options,
      env: { ...onSharedEngines, ...options.env },
    });
  });
  printLogsOfFailures(() => stack);
  afterAll(() => stack?.stop());
  return () => {
    if (!stack) throw new Error('The system has not been started');
    return stack;
  };
}

/**
 * Returns the running system, with one processor, that many specs share. The specs use their own streams, read nothing
 * else, and do not stop processes. Starting a system for each spec file would take longer than its specs.
 */
export function useSharedStack(): () => TestSystem {
  let stack: TestSystem | undefined;
  beforeAll(() => {
    const { kafkaBrokers: brokers, ...store } = testEngines();
    const shared = process.env.TEST_STACK;
    if (!shared) throw new Error('TEST_STACK is not set: only .e2e. specs get a system from the set-up');
    stack = TestSystem.attach(shared, { brokers, ...store, materializers: 0 });
  });
  afterAll(() => stack?.stop());
  return () => {
    if (!stack) throw new Error('There is no system yet');
    return stack;
  };
}

export function printLogsOfFailures(stack: () => TestSystem | undefined): void {
  afterEach(({ task }) => {
    if (task.result?.state === 'fail') process.stderr.write(`${stack()?.logTails() ?? ''}\n`);
  });
}
