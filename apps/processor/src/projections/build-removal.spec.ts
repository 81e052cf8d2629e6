import { StoreUnavailableError } from '#store';
import { MemoryStore } from '#store/memory';
import { createLogger } from '#telemetry';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { revenue, World } from '../processor.fixture.js';
import { BuildRemoval } from './build-removal.js';

const minute = 60_000;
let world: World;
let now: number;
let removal: BuildRemoval;
let failures: unknown[];
let ageMs: number;
let storeIsAway: boolean;

beforeEach(async () => {
  world = await World.make();
  [now, ageMs, storeIsAway, failures] = [0, 0, false, []];
  removal = new BuildRemoval({
    definitions: {
      projections: world.definitions.projections,
      get ageMs() {
        return ageMs;
      },
    },
    writer: {
      builds: () => world.store.projections.builds(),
      removeBuild: async (build) => {
        if (storeIsAway) throw new StoreUnavailableError('away');
        await world.store.projections.removeBuild(build);
      },
    },
    logger: createLogger({ name: 'test', level: 'silent' }),
    onFailure: (error) => failures.push(error),
    now: () => now,
    soonMs: 5,
    intervalMs: 5,
  });
});

afterEach(async () => {
  await removal.stop();
  await world.close();
});

const save = (store: MemoryStore, build: string) =>
  store.projections.save(
    [],
    [{ build, stream: 'orders', partition: 0, next: 1, processed: 0, failed: 0, updated_at: 0 }],
  );
const left = () => world.store.projections.builds();

it('removes what nobody has named for ten minutes, and nothing that is named', async () => {
  const named = await world.define('revenue', world.build(revenue));
  await save(world.store, named.id);
  await save(world.store, 'forgotten');
  await removal.round();
  now = 9 * minute;
  await removal.round();
  expect(await left()).toHaveLength(2);
  now = 10 * minute;
  await removal.round();
  expect(await left()).toEqual([named.id]);
});

it('counts the ten minutes anew when it was named meanwhile, or could not be known', async () => {
  await save(world.store, 'late');
  await removal.round();
  now = 9 * minute;
  ageMs = minute;
  await removal.round();
  ageMs = 0;
  now = 11 * minute;
  await removal.round();
  expect(await left()).toEqual(['late']);
  now = 21 * minute;
  await removal.round();
  expect(await left()).toEqual([]);
});

it('removes soon what another build took the place of, unless it is named again', async () => {
  const named = await world.define('revenue', world.build(revenue));
  await save(world.store, named.id);
  await save(world.store, 'former');
  removal.soon('former');
  removal.soon(named.id);
  await vi.waitFor(async () => expect(await left()).toEqual([named.id]), { interval: 2 });
});

it('tries again when the store is away', async () => {
  await save(world.store, 'forgotten');
  await removal.round();
  now = 10 * minute;
  storeIsAway = true;
  removal.start();
  await new Promise((resolve) => setTimeout(resolve, 20));
  storeIsAway = false;
  await vi.waitFor(async () => expect(await left()).toEqual([]), { interval: 2, timeout: 10_000 });
  expect(failures).toEqual([]);
});
