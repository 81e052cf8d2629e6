import { afterAll, afterEach, beforeAll } from 'vitest';
import { Stack, testEngines, type StackOptions } from '#testkit';

/**
 * One running system for a spec file, on the shared engines, with names of its own. The ends of its logs are printed
 * after a test that failed; everything is stopped at the end.
 */
export function useStack(options: Partial<StackOptions> = {}): () => Stack {
  let stack: Stack | undefined;
  beforeAll(async () => {
    const { kafkaBrokers: brokers, clickhouseUrl, clickhousePassword } = testEngines();
    stack = await Stack.start({ brokers, clickhouseUrl, clickhousePassword, ...options });
  });
  printLogsOfFailures(() => stack);
  afterAll(() => stack?.stop());
  return () => {
    if (!stack) throw new Error('The system has not been started');
    return stack;
  };
}

/**
 * The running system, with one processor, that all specs share which use streams of their own, look at nothing else,
 * and leave the processes alone: starting one for each takes longer than they do.
 */
export function useSharedStack(): () => Stack {
  let stack: Stack | undefined;
  beforeAll(() => {
    const { kafkaBrokers: brokers, clickhouseUrl, clickhousePassword } = testEngines();
    const shared = process.env.TEST_STACK;
    if (!shared) throw new Error('TEST_STACK is not set: only .e2e. specs get a system from the set-up');
    stack = Stack.attach(shared, { brokers, clickhouseUrl, clickhousePassword, materializers: 0 });
  });
  afterAll(() => stack?.stop());
  return () => {
    if (!stack) throw new Error('There is no system yet');
    return stack;
  };
}

export function printLogsOfFailures(stack: () => Stack | undefined): void {
  afterEach(({ task }) => {
    if (task.result?.state === 'fail') process.stderr.write(`${stack()?.logTails() ?? ''}\n`);
  });
}
