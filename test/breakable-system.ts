import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import {
  check,
  LoadDriver,
  expectClean,
  faultSeed,
  Ledger,
  PrivateKafkaAndClickHouse,
  TestSystem,
  testsAll,
} from '#testkit';
import type { LoadDriverOptions, PrivateEngineOptions, ReadBackReport, TestSystemOptions } from '#testkit';
import { freshStream } from './api.js';
import { printLogsOfFailures } from './use-stack.js';

/** A running Tributary system with a Kafka and a ClickHouse of its own, so that a spec may break any part. */
export interface BreakableSystem {
  engines: PrivateKafkaAndClickHouse;
  stack: TestSystem;
}

/**
 * The session time-out in milliseconds, after which the partitions of a killed materializer are reassigned: the
 * minimum of its configuration.
 */
export const sessionMs = 6_000;

/**
 * Settings of every breakable system. An insert costs ClickHouse 30 ms of processor time or more, and a load causes one in each
 * interval: these intervals are three times as long as usual.
 */
export const faultySettings = {
  KAFKA_SESSION_TIMEOUT_MS: String(sessionMs),
  INSERT_INTERVAL_MS: '300',
  STATE_SAVE_INTERVAL_MS: '1500',
};

/** Provides the system of one spec file. After each test all stopped processes are started again for the next test. */
export function useFaultySystem(
  options: Partial<TestSystemOptions> & PrivateEngineOptions = {},
): () => BreakableSystem {
  let engines: PrivateKafkaAndClickHouse | undefined;
  let stack: TestSystem | undefined;
  beforeAll(async () => {
    engines = await PrivateKafkaAndClickHouse.start(options);
    stack = await TestSystem.start({
      brokers: engines.brokers,
      clickhouseUrl: engines.clickhouseUrl,
      clickhousePassword: engines.clickhousePassword,
      ...options,
      env: { ...faultySettings, ...options.env },
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

/** Numbers of events that are acknowledged before a fault begins, and after it has ended. */
const [eventsBefore, eventsAfter] = testsAll ? [100, 200] : [50, 100];

/** Runs clients while `fault` breaks something, lets them continue, and compares the stored events with the ledger. */
export async function underLoad(
  stack: TestSystem,
  fault: (driver: LoadDriver, ledger: Ledger) => Promise<void>,
  options: Partial<LoadDriverOptions> = {},
): Promise<ReadBackReport> {
  const ledger = Ledger.open();
  const seed = faultSeed();
  const streams = [freshStream('load'), freshStream('load')];
  const driver = new LoadDriver({ url: () => stack.urls.ingest, ledger, seed, streams, ...options }).start();
  try {
    await driver.untilAcknowledged(eventsBefore);
    await fault(driver, ledger);
    await driver.untilAcknowledged(eventsAfter);
  } finally {
    await driver.stop();
  }
  const report = await check({ client: stack.core, ledger });
  expectClean(report);
  // Every event with an unknown outcome was repeated until the outcome was known; otherwise less was checked than
  // intended.
  expect(report.unknown).toBe(0);
  expectNothingLost(stack);
  await ledger.discard();
  return report;
}

/** Asserts that no app has reported records that Kafka has lost. */
export function expectNothingLost({ apps }: TestSystem): void {
  const reports = apps
    .flatMap((app) => app.log().split('\n'))
    .filter((line) => line.includes('has lost records'));
  expect(reports).toEqual([]);
}
