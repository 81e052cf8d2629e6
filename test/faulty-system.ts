import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { check, Driver, expectClean, faultSeed, Ledger, PrivateEngines, Stack } from '#testkit';
import type { DriverOptions, Report, StackOptions } from '#testkit';
import { freshStream } from './api.js';
import { printLogsOfFailures } from './use-stack.js';

/** A running system on engines of its own, to be broken. */
export interface FaultySystem {
  engines: PrivateEngines;
  stack: Stack;
}

/** How long a materializer that was killed keeps its partitions; the least that its configuration allows. */
export const sessionMs = 6_000;

/** For one spec file. After each test everything that was stopped is started again, so that the next one can run. */
export function useFaultySystem(options: Partial<StackOptions> = {}): () => FaultySystem {
  let engines: PrivateEngines | undefined;
  let stack: Stack | undefined;
  beforeAll(async () => {
    engines = await PrivateEngines.start();
    stack = await Stack.start({
      brokers: engines.brokers,
      clickhouseUrl: engines.clickhouseUrl,
      clickhousePassword: engines.clickhousePassword,
      env: { KAFKA_SESSION_TIMEOUT_MS: String(sessionMs) },
      ...options,
    });
  });
  printLogsOfFailures(() => stack);
  afterEach(async () => {
    await engines?.heal();
    for (const app of stack?.apps ?? []) {
      app.resume();
      if (!app.running) app.launch();
    }
    await Promise.all((stack?.apps ?? []).map((app) => app.ready()));
  }, 240_000);
  afterAll(async () => {
    await stack?.stop();
    await engines?.stop();
  });
  return () => {
    if (!engines || !stack) throw new Error('The system has not been started');
    return { engines, stack };
  };
}

/** Lets clients write, breaks something meanwhile, lets them go on, and checks what is there against what they know. */
export async function underLoad(
  stack: Stack,
  fault: (driver: Driver, ledger: Ledger) => Promise<void>,
  options: Partial<DriverOptions> = {},
): Promise<Report> {
  const ledger = Ledger.open();
  const seed = faultSeed();
  const streams = [freshStream('load'), freshStream('load')];
  const driver = new Driver({ url: () => stack.urls.ingest, ledger, seed, streams, ...options }).start();
  try {
    await driver.untilAcknowledged(200);
    await fault(driver, ledger);
    await driver.untilAcknowledged(400);
  } finally {
    await driver.stop();
  }
  const report = await check({ client: stack.core, ledger });
  expectClean(report);
  // Every unknown answer was repeated until it was known: otherwise less was checked than was meant.
  expect(report.unknown).toBe(0);
  await ledger.discard();
  return report;
}
