import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { LivePosition, streamKey } from '#features/events';
import { GenerationChanges } from './generation-changes.js';
import { ChangesFixture } from './changes.fixture.js';

it('lets other work of the process run between the large states of a page of changes', async () => {
  const world = new ChangesFixture();
  const [binding, large] = ['b', `[1]${' '.repeat(300_000)}`];
  const keys = Array.from({ length: 20 }, (_, i) => `key ${i}`).map((key) => ({
    ...{ key, parts: [world.row(key, { position: 0, state: large })] },
  }));
  const feed = new GenerationChanges(world.serving, binding, {
    projections: { changedKeys: async () => keys },
    bulkhead: { run: (signal, read) => read(signal) },
    closed: new AbortController().signal,
  });
  const to = new LivePosition(binding);
  to.set(streamKey('orders#1'), 0, 1);
  let isThere = false;
  const page = feed
    .changed({ from: new LivePosition(binding), to, after: undefined })
    .finally(() => (isThere = true));
  let turns = 0;
  for (; !isThere; turns++) await setImmediate();
  expect((await page).changes).toBe(20);
  expect(turns).toBeGreaterThanOrEqual(20);
});
