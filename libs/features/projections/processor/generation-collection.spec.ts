import { StoreUnavailableError } from '#store';
import { MemoryStore } from '#store/memory';
import { createLogger } from '#telemetry';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { partitionProgress } from '../../../core/store/keyed-states.fixture.js';
import { revenue, ProcessorTestBed } from '../../../../apps/processor/src/processor.fixture.js';
import type { GarbageCollection } from '#engine';
import { collectGenerations } from './generation-collection.js';

const minute = 60_000;
let world: ProcessorTestBed;
let now: number;
let collection: GarbageCollection<string>;
let failures: unknown[];
let ageMs: number;
let storeIsAway: boolean;

beforeEach(async () => {
  world = await ProcessorTestBed.make();
  [now, ageMs, storeIsAway, failures] = [0, 0, false, []];
  collection = collectEvery(5);
});

function collectEvery(intervalMs: number): GarbageCollection<string> {
  return collectGenerations({
    definitions: {
      projections: world.definitions.projections,
      get ageMs() {
        return ageMs;
      },
    },
    writer: {
      owners: () => world.store.projections.owners(),
      remove: async (build) => {
        if (storeIsAway) throw new StoreUnavailableError('away');
        await world.store.projections.remove(build);
      },
    },
    logger: createLogger({ name: 'test', level: 'silent' }),
    onFailure: (error) => failures.push(error),
    now: () => now,
    ...{ soonMs: 5, intervalMs },
  });
}

afterEach(async () => {
  await collection.stop();
  await world.close();
});

const save = (store: MemoryStore, owner: string) =>
  store.projections.save([], [partitionProgress({ owner })]);
const left = () => world.store.projections.owners();

it('removes generations that no definition has referred to for ten minutes, and no others', async () => {
  const named = await world.define('revenue', world.build(revenue));
  await save(world.store, named.id);
  await save(world.store, 'forgotten');
  await collection.round();
  now = 9 * minute;
  await collection.round();
  expect(await left()).toHaveLength(2);
  now = 10 * minute;
  await collection.round();
  expect(await left()).toEqual([named.id]);
});

it('restarts the ten minutes when a definition refers to the generation or the definitions are outdated', async () => {
  await save(world.store, 'late');
  await collection.round();
  now = 9 * minute;
  ageMs = minute;
  await collection.round();
  ageMs = 0;
  now = 11 * minute;
  await collection.round();
  expect(await left()).toEqual(['late']);
  now = 21 * minute;
  await collection.round();
  expect(await left()).toEqual([]);
});

it('removes a replaced generation soon, unless a definition refers to it again', async () => {
  const named = await world.define('revenue', world.build(revenue));
  await save(world.store, named.id);
  await save(world.store, 'former');
  collection.soon('former');
  collection.soon(named.id);
  await vi.waitFor(async () => expect(await left()).toEqual([named.id]), { interval: 2 });
});

it('tries again soon if a replaced generation has to wait when it is due', async () => {
  await save(world.store, 'former');
  ageMs = minute;
  await collection.stop();
  collection = collectEvery(10 * minute);
  collection.soon('former');
  await new Promise((resolve) => setTimeout(resolve, 30));
  expect(await left()).toEqual(['former']);
  ageMs = 0;
  await vi.waitFor(async () => expect(await left()).toEqual([]), { interval: 2 });
});

it('retries when the store is unreachable', async () => {
  await save(world.store, 'forgotten');
  await collection.round();
  now = 10 * minute;
  storeIsAway = true;
  collection.start();
  await new Promise((resolve) => setTimeout(resolve, 20));
  storeIsAway = false;
  await vi.waitFor(async () => expect(await left()).toEqual([]), { interval: 2, timeout: 10_000 });
  expect(failures).toEqual([]);
});
