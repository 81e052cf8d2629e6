import { expect, it } from 'vitest';
import {
  AttemptHistory,
  checkVersions,
  ConditionalWriteDriver,
  expectClean,
  faultSeed,
  SeededRandom,
  testsAll,
  readHistory,
  until,
} from '#testkit';
import { freshStream } from './api.js';
import { derive, expectDerived } from './conditional/derived.js';
import { faultsOfDecisions, faultsOfService, type Fault } from './conditional/faults.js';
import { readAll } from './conditional/read-all.js';
import { useFaultySystem } from './breakable-system.js';

/** The minimum number of attempts. A run lasts until its faults have happened, so it can have more. */
const attempts = Number(process.env.CONDITIONAL_ATTEMPTS ?? (testsAll ? 1_500 : 700));
/** The usual run is slow enough that faults and writes end at about the same time; a long one is as fast as it can be. */
const writesPerSecond = attempts > 10_000 ? Infinity : 50;
/** A long run has time to write between its faults. */
const decidedBetweenFaults = attempts > 10_000 ? 1_500 : 20;
/** A file for the history, which is then kept: `npm run check:porcupine` checks it once more. */
const keptHistory = process.env.CONDITIONAL_HISTORY;
const system = useFaultySystem({ materializers: 2, processors: 2 });

/**
 * Lets faults happen one after the other in any order, until each has happened and there are enough attempts. A short run
 * has half of the faults, which its seed draws.
 */
async function breakThings(faults: readonly Fault[], driver: ConditionalWriteDriver, random: SeededRandom) {
  const isLong = testsAll || attempts > 10_000;
  const drawn = shuffled(faults, random).slice(0, isLong ? faults.length : Math.ceil(faults.length / 2));
  let order: Fault[] = [];
  for (let done = 0; done < drawn.length || driver.attempts < attempts; done++) {
    if (order.length === 0) order = shuffled(drawn, random);
    const fault = order.pop()!;
    await driver.untilDecided(decidedBetweenFaults);
    process.stderr.write(`${driver.attempts} attempts, then ${fault.name}\n`);
    await fault.happen(system(), driver);
  }
}

function shuffled<T>(list: readonly T[], random: SeededRandom): T[] {
  const keyed = list.map((value) => ({ value, key: random.next() }));
  return keyed.sort((a, b) => a.key - b.key).map(({ value }) => value);
}

/** Resolves when the materializers have decided every record of the log. */
async function untilAllDecided(): Promise<void> {
  let said = '';
  const idle = async (): Promise<boolean> => {
    const answer = await system()
      .stack.core.get('/health')
      .catch(() => undefined);
    const checks = answer?.json<{ checks: Record<string, { lag_events?: number }> }>().checks;
    said = `${checks?.materializer?.lag_events} ${checks?.processor?.lag_events}`;
    return said === '0 0';
  };
  await until(idle, { what: 'no lag', progress: () => said, patienceMs: 120_000, intervalMs: 500 });
}

it(
  `given 50 writers that expect versions of 20 entities, when processes are killed, frozen and replaced, each answer is ` +
    `the one that a single register would give, and derived results leave refused events out`,
  async () => {
    const { stack } = system();
    const seed = faultSeed();
    const random = new SeededRandom(seed);
    const history = await AttemptHistory.open(seed, keptHistory);
    process.stderr.write(`The history is written to ${history.path}\n`);
    const streams = [freshStream('accounts'), freshStream('accounts')];
    const derived = await derive(stack, streams);
    const driver = new ConditionalWriteDriver({
      ...{ history, seed, streams, writesPerSecond },
      urls: () => [stack.urls.ingest, stack.urls.core],
    }).start();
    try {
      await Promise.all([
        breakThings(faultsOfDecisions, driver, random.fork(1)),
        breakThings(faultsOfService, driver, random.fork(2)),
      ]);
      await driver.untilDecided(100);
    } finally {
      await driver.stop();
    }
    await untilAllDecided();

    const { stored, decisions, findings, wrongVerdicts } = await readAll(stack, streams);
    await history.keepStored(stored);
    const recorded = await readHistory(history.path);
    const { accepted, refused } = driver.decided;
    const unknown = history.attempts.filter(({ outcome }) => outcome === 'unknown').length;
    process.stderr.write(
      `${driver.attempts} attempts: ${accepted} accepted, ${refused} refused, ${unknown} unknown; ` +
        `${decisions.length} records, ${stored.length} stored\n`,
    );
    expectClean({
      ...{ acknowledged: accepted, unknown, read: stored.length },
      findings: [...checkVersions(recorded.attempts, recorded.stored), ...findings],
    });
    expect(wrongVerdicts.slice(0, 20)).toEqual([]);
    expect(driver.attempts).toBeGreaterThanOrEqual(attempts);
    const share = decisions.filter(({ outcome }) => outcome === 'refused').length / decisions.length;
    expect(share).toBeGreaterThan(0.15);
    expect(share).toBeLessThan(0.5);
    await expectDerived(stack, derived, { stored, amounts: driver.amounts });
    await (keptHistory ? history.close() : history.discard());
  },
  600_000 + attempts * 30,
);
