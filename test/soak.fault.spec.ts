import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { check, LoadDriver, expectClean, faultSeed, Ledger, SeededRandom, testsAll, until } from '#testkit';
import { freshStream } from './api.js';
import { useFaultySystem } from './breakable-system.js';
import { appFaults, engineFaults, uses, type SoakAction } from './soak/actions.js';
import { derive, expectDerived } from './soak/derived.js';
import { ResourceLeakDetector } from './soak/resource-leak-detector.js';
import { ask, type SoakContext } from './soak/soak-context.js';
import { sql } from './sql.js';

/** The duration in seconds; `npm run soak -- 30m` sets it. */
const seconds = Number(process.env.SOAK_SECONDS ?? (testsAll ? 60 : 40));
/** CI makes the same choices each time; `npm run soak` makes others. */
const usualSeed = '20261122';
const eventsPerSecond = 120;
const sampleEveryMs = 5_000;
// Compressed, because events go through every consumer and processor here.
const system = useFaultySystem({
  ...{ materializers: 2, processors: 2, env: { KAFKA_COMPRESSION: 'gzip' } },
  canLosePower: true,
  // A broker that is alone loses acknowledged records with its power, unless it syncs each append.
  kafkaProperties: { 'log.flush.interval.messages': 1 },
});

/** Runs actions one after the other until the time is over; returns how often each was run. */
async function actUntil(
  end: number,
  soaked: SoakContext,
  { actions, pauseMs }: { actions: readonly SoakAction[]; pauseMs: number },
) {
  const done = new Map<string, number>();
  const wheel = actions.flatMap((action) => Array.from({ length: action.weight }, () => action));
  while (Date.now() < end) {
    const action = soaked.random.pick(wheel);
    await action.run(soaked);
    done.set(action.name, (done.get(action.name) ?? 0) + 1);
    await sleep(soaked.random.int(pauseMs));
  }
  return done;
}

function shown(done: readonly Map<string, number>[]): string {
  const total = new Map<string, number>();
  for (const [name, count] of done.flatMap((counts) => [...counts]))
    total.set(name, (total.get(name) ?? 0) + count);
  return [...total].map(([name, count]) => `  ${count} × ${name}`).join('\n');
}

/** Ends all faults of engines, network and apps. */
async function heal(): Promise<void> {
  const { engines, stack } = system();
  await engines.heal();
  for (const app of stack.apps) {
    app.resume();
    if (!app.running) app.launch();
  }
  await Promise.all(stack.apps.map((app) => app.ready()));
}

/** Resolves when no consumer group has lag. */
async function untilIdle(soaked: SoakContext): Promise<void> {
  let said = '';
  const idle = async (): Promise<boolean> => {
    const health = await ask(soaked, 'GET', '/health', undefined, [200, 503]);
    const checks = health?.json<{ checks: Record<string, { lag_events?: number }> }>().checks;
    said = `${checks?.materializer?.lag_events} ${checks?.processor?.lag_events}`;
    return said === '0 0';
  };
  await until(idle, { what: 'no lag is left', progress: () => said, patienceMs: 120_000, intervalMs: 1_000 });
}

it(
  `given all features at once for ${seconds} s, when processes and engines die at random, no event is lost or duplicated, and no result is wrong (fault 19)`,
  async () => {
    process.env.FAULT_SEED ??= usualSeed;
    const seed = faultSeed();
    const { engines, stack } = system();
    const random = new SeededRandom(seed);
    const streams = [freshStream('soak'), freshStream('soak')];
    const soaked = (worker: number): SoakContext => ({
      stack,
      streams,
      findings,
      random: random.fork(worker),
    });
    const findings: string[] = [];
    const derived = await derive(soaked(0));
    expect(findings).toEqual([]);
    const ledger = Ledger.open();
    const driver = new LoadDriver({
      url: () => stack.urls.ingest,
      ledger,
      seed,
      streams,
      eventsPerSecond,
    }).start();
    const flatness = new ResourceLeakDetector(stack);
    const sampling = setInterval(() => flatness.sample(), sampleEveryMs);
    const end = Date.now() + seconds * 1000;
    try {
      const done = await Promise.all([
        actUntil(end, soaked(1), { actions: uses, pauseMs: 1_000 }),
        actUntil(end, soaked(2), { actions: uses, pauseMs: 1_000 }),
        actUntil(end, soaked(3), { actions: appFaults, pauseMs: 8_000 }),
        actUntil(end, soaked(4), { actions: engineFaults(engines), pauseMs: 20_000 }),
      ]);
      console.log(shown(done));
      await heal();
      await driver.untilAcknowledged(100);
    } finally {
      clearInterval(sampling);
      await driver.stop();
    }
    const report = await check({ client: stack.core, ledger, patienceMs: 180_000 });
    const parts = await sql(
      stack,
      `SELECT count() FROM system.parts WHERE active AND database = '${stack.database}'`,
    );
    console.log(
      `  ${report.acknowledged} acknowledged, ${report.unknown} unknown, ${report.read} read, ${parts.trim()} parts`,
    );
    console.log(
      flatness
        .lines()
        .map((line) => `  ${line}`)
        .join('\n'),
    );
    expectClean(report);
    await expectDerived(soaked(0), derived);
    await untilIdle(soaked(0));
    expect([...findings, ...flatness.growth()]).toEqual([]);
    await ledger.discard();
  },
  (seconds + 900) * 1000,
);
