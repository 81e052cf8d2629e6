import { expect, it } from 'vitest';
import { systemActor } from '#registry';
import { check, expectClean, faultSeed, Ledger, LoadDriver, testsAll, topicOf } from '#testkit';
import { freshStream } from './api.js';
import { useFaultySystem } from './breakable-system.js';
import { readRefusals } from './conditional/refusals.js';
import { useDirectAccess } from './processing/direct-system-access.js';
import { expectPiped, pipeBoth } from './processing/piped.js';
import { expectStates, project } from './processing/projection-under-test.js';
import { closeWindows, eventsIn, rowsOf, sourcesIn } from './processing/stored.js';

/**
 * The id window's limit of records. Each stream has one partition. The load writes more than twenty times as many events: twice
 * the window before each repetition.
 */
const records = testsAll ? 1_000 : 400;
/** Number of events that are repeated, and how often. */
const repeated = testsAll ? 300 : 150;
const times = 3;
const system = useFaultySystem({
  processors: 2,
  env: {
    STREAM_PARTITIONS: '1',
    DEDUPE_WINDOW_RECORDS: String(records),
  },
});
const behind = useDirectAccess(system);

/** Resolves with the number of records that consumers leave out, as other Kafka readers find them. */
async function refusedIn(streams: readonly string[]): Promise<number> {
  const { stack, log } = behind();
  let count = 0;
  for (const stream of streams) {
    const topic = await topicOf(stack, stream);
    const isRefused = await readRefusals(stack.brokers, { verdicts: stack.topics.verdicts, topic });
    for (const { partition, end } of await log.admin.offsets(topic))
      for (let offset = 0; offset < end; offset++) if (isRefused(partition, offset)) count++;
  }
  return count;
}

it(
  `given a load under which an event id leaves the id window soon, when clients repeat events and the materializer and ` +
    `the processors are killed, each event is stored, projected and copied once (fault 21)`,
  async () => {
    const { stack, definitions } = behind();
    const streams = [freshStream('load'), freshStream('load')];
    const piped = { streams, copies: freshStream('copies'), windows: freshStream('windows') };
    for (const stream of [...streams, piped.copies, piped.windows])
      await definitions.createStream({ stream, partitions: 1 }, systemActor);
    const projected = await project(behind(), { name: freshStream('by'), by: 'event_type', streams });
    await pipeBoth(behind(), piped);

    const seed = faultSeed();
    const [ledger, repeats] = [Ledger.open(), Ledger.open()];
    const common = { url: () => stack.urls.ingest, seed, streams };
    const driver = new LoadDriver({ ...common, ledger, eventsPerSecond: 600 }).start();
    try {
      await driver.untilAcknowledged(repeated + 2 * streams.length * records);
      for (let time = 0; time < times; time++) {
        // A driver with the same seed sends the same events as the other one at its beginning.
        const again = new LoadDriver({ ...common, ledger: repeats, eventsPerSecond: 300 }).start(repeated);
        if (time === 1) await stack.materializer.restart('SIGKILL');
        if (time > 0) await Promise.all(stack.processors.map((processor) => processor.restart('SIGKILL')));
        await again.finished();
        if (time === 2) await stack.materializer.restart('SIGKILL');
        // Twice the window, because the streams do not get exactly the same number of events.
        await driver.untilAcknowledged(2 * streams.length * records);
      }
    } finally {
      await driver.stop();
    }
    expect([repeats.count('ok') >= repeated, repeats.count('unknown')]).toEqual([true, 0]);
    expect(await refusedIn(streams)).toBeGreaterThanOrEqual(times * repeated);
    const report = await check({ client: stack.core, ledger });
    expectClean(report);
    const [[rows, ids]] = (await rowsOf(
      stack,
      `SELECT count(), uniqExact(event_id) FROM ${eventsIn(stack)} WHERE ${sourcesIn(streams)}`,
    )) as [[string, string]];
    expect([rows, ids]).toEqual([`${report.read}`, `${report.read}`]);
    await closeWindows(stack, streams);
    await expectStates(behind(), projected);
    await expectPiped(behind(), piped);
    await ledger.discard();
    await repeats.discard();
  },
  400_000,
);
