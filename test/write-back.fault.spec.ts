import { describe, expect, it, vi } from 'vitest';
import { check, faultSeed, Ledger, LoadDriver, SeededRandom, testsAll, type Finding } from '#testkit';
import { freshStream } from './api.js';
import { useFaultySystem } from './breakable-system.js';

const system = useFaultySystem({ materializers: 2, processors: 0, canLosePower: true });

/** In CI, all materializers die with the broker: then nobody remembers what was read. */
const deaths = testsAll ? [true, false] : [true];

describe.each(deaths)('given a broker that does not sync, and materializers that die with it: %s', (die) => {
  it('when it loses acknowledged events that are stored, they are in the log and in the store once (fault 23)', async () => {
    const { engines, stack } = system();
    const seed = faultSeed();
    const random = new SeededRandom(seed);
    const ledger = Ledger.open();
    const streams = [freshStream('lost'), freshStream('lost')];
    const options = { url: () => stack.urls.ingest, ledger, streams };
    const { materializers } = stack;

    const before = new LoadDriver({ ...options, seed }).start();
    await before.untilAcknowledged(300);
    await engines.powerOf('kafka').writeBack();
    await before.untilAcknowledged(300 + random.int(1_000));
    await before.stop();
    // What is not stored when the broker loses power would be lost for good.
    expect((await check({ client: stack.core, ledger })).findings).toEqual([]);

    if (die) await Promise.all(materializers.map((app) => app.kill('SIGKILL')));
    await engines.losePower(['kafka'], { random, writtenBackMs: Infinity });
    await engines.heal();
    for (const app of materializers) if (!app.running) app.launch();
    // These events get offsets that others had.
    const after = new LoadDriver({ ...options, seed: seed + 1 }).start();
    await after.untilAcknowledged(200 + random.int(1_000));
    await after.stop();

    // A lost event that is written to the log again has another offset, after what was written meanwhile.
    const moved = ({ kind, detail }: Finding) =>
      kind === 'reordered' || detail.includes('was acknowledged at');
    const found = async () => {
      const { findings } = await check({ client: stack.core, ledger, patienceMs: 120_000 });
      return findings.filter((finding) => !moved(finding)).slice(0, 10);
    };
    await vi.waitFor(async () => expect(await found()).toEqual([]), { timeout: 120_000, interval: 1_000 });
    let writtenBack = 0;
    for (const { probeUrl } of materializers) {
      const metrics = await (await fetch(new URL('/metrics', probeUrl))).text();
      writtenBack += Number(/^tributary_events_written_back_total (\d+)/m.exec(metrics)?.[1]);
    }
    expect(writtenBack).toBeGreaterThan(0);
    await ledger.discard();
  });
});
