import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { check, expectClean, faultSeed, Ledger, LoadDriver, SeededRandom } from '#testkit';
import { freshStream, path } from './api.js';
import { useFaultySystem, type BreakableSystem } from './breakable-system.js';

const system = useFaultySystem({ materializers: 2, processors: 0 });

interface ScrubState {
  scrub_id: string;
  complete: boolean;
  streams: { stream: string; compared: number; repaired: number; unlogged: number; undecided: number }[];
}

/** Flips a bit of the largest part of the table, and returns the name of the part when ClickHouse finds it damaged. */
async function damagePart({ engines, stack }: BreakableSystem, table: string): Promise<string> {
  const name = `${stack.database}.${table}`;
  for (;;) {
    const folder = await engines.sql(
      `SELECT path FROM system.parts WHERE database = '${stack.database}' AND table = '${table}' AND active ORDER BY rows DESC LIMIT 1 FORMAT TSVRaw`,
    );
    const file = join(folder.trim(), 'data.bin');
    const bytes = await readFile(file);
    bytes[bytes.length >> 1]! ^= 1;
    await writeFile(file, bytes);
    // A merge can have replaced the part meanwhile.
    const checked = await engines.sql(
      `CHECK TABLE ${name} SETTINGS check_query_single_value_result = 0 FORMAT TSVRaw`,
    );
    const damaged = checked.split('\n').find((line) => line.split('\t')[1] === '0');
    if (damaged) return damaged.split('\t')[0]!;
  }
}

describe('given a store of which somebody damages and deletes parts and rows by hand', () => {
  it('when a scrub is requested under load, every acknowledged event is stored once again, with its version (fault 24)', async () => {
    const { engines, stack } = system();
    const seed = faultSeed();
    const random = new SeededRandom(seed);
    const ledger = Ledger.open();
    const streams = [freshStream('scrubbed'), freshStream('scrubbed')];
    const driver = new LoadDriver({ url: () => stack.urls.ingest, ledger, seed, streams }).start();
    try {
      await driver.untilAcknowledged(400);
      const damaged = await damagePart(system(), 'events');
      const answers = streams.map((stream) =>
        stack.core.get(path('/api/v1/events/query', { stream, limit: '1000' })),
      );
      const refused = (await Promise.all(answers)).find(({ status }) => status !== 200);
      expect(refused).toMatchObject({ status: 503, text: expect.stringMatching(/damaged/i) as string });
      await engines.sql(`ALTER TABLE ${stack.database}.events DETACH PART '${damaged}'`);
      await driver.untilAcknowledged(100);
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
