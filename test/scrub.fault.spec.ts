import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { check, expectClean, faultSeed, Ledger, LoadDriver, SeededRandom } from '#testkit';
import { freshStream } from './api.js';
import { useFaultySystem } from './breakable-system.js';

const system = useFaultySystem({ materializers: 2, processors: 0 });

interface ScrubState {
  scrub_id: string;
  complete: boolean;
  streams: { stream: string; compared: number; repaired: number; unlogged: number; undecided: number }[];
}

describe('given a store of which somebody deletes parts and rows by hand', () => {
  it('when a scrub is requested under load, every acknowledged event is stored once again, with its version (fault 24)', async () => {
    const { engines, stack } = system();
    const seed = faultSeed();
    const random = new SeededRandom(seed);
    const ledger = Ledger.open();
    const streams = [freshStream('scrubbed'), freshStream('scrubbed')];
    const driver = new LoadDriver({ url: () => stack.urls.ingest, ledger, seed, streams }).start();
    try {
      await driver.untilAcknowledged(400);
      const parts = await engines.sql(
        `SELECT name FROM system.parts WHERE database = '${stack.database}' AND table = 'events' AND active ORDER BY rows DESC`,
      );
      const names = parts.trim().split('\n');
      // A merge can have replaced the part meanwhile.
      await vi.waitFor(
        () =>
          engines.sql(`ALTER TABLE ${stack.database}.events DROP PART '${random.pick(names.slice(0, 3))}'`),
        {
          timeout: 10_000,
        },
      );
      const third = `offset % 3 = ${random.int(3)}`;
      for (const table of ['events', 'events_by_entity', 'positions', 'entities']) {
        const rows = table === 'positions' ? '1' : table === 'entities' ? 'last_offset % 2 = 0' : third;
        await engines.sql(`DELETE FROM ${stack.database}.${table} WHERE ${rows}`);
      }
      // A requested pass compares records that are at least 10 s old.
      await sleep(11_000);
      const requested = await stack.core.post('/api/v1/scrubs', '');
      expect(requested.status, requested.text).toBe(202);
      const { scrub_id } = requested.json<ScrubState>();
      const state = async () => (await stack.core.get(`/api/v1/scrubs/${scrub_id}`)).json<ScrubState>();
      await vi.waitFor(async () => expect(await state()).toMatchObject({ complete: true }), {
        timeout: 120_000,
        interval: 500,
      });
      const found = (await state()).streams.filter(({ stream }) => streams.includes(stream));
      expect(found.map(({ repaired }) => repaired > 0)).toEqual([true, true]);
      expect(found.map(({ unlogged, undecided }) => unlogged + undecided)).toEqual([0, 0]);
      await driver.untilAcknowledged(200);
    } finally {
      await driver.stop();
    }
    expectClean(await check({ client: stack.core, ledger, patienceMs: 120_000 }));
    await ledger.discard();
  });
});
