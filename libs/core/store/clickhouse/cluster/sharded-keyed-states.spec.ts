import { expect, it } from 'vitest';
import type { KeyedStateReader } from '../../keyed-state-store.js';
import { historyStage } from '../../keyed-state-store.js';
import { partitionProgress, stateRow } from '../../keyed-states.fixture.js';
import { MemoryStore } from '../../memory/memory-store.js';
import type { ShardStore } from './shard-store.js';
import { ShardedKeyedStates } from './sharded-keyed-states.js';
import type { Shards } from './shards.js';

it('the history of a key is in the shard of its state and its checkpoint, also in the first save', async () => {
  const stores = Array.from({ length: 3 }, () => new MemoryStore() as unknown as ShardStore);
  const hashed: string[] = [];
  const shards = {
    all: () => Promise.resolve(stores),
    map: <T>(call: (shard: ShardStore) => Promise<T>) => Promise.all(stores.map(call)),
    // Each name that has not been hashed before has another shard.
    hashed: (name: string) => {
      if (!hashed.includes(name)) hashed.push(name);
      return stores[hashed.indexOf(name)];
    },
  } as unknown as Shards;
  const states = () => new ShardedKeyedStates(shards, 'projections', {} as KeyedStateReader);
  const state = stateRow({ owner: 'a'.repeat(24), key: 'EUR' });
  const history = { ...state, stage: historyStage, state: '[null,null,[]]' };
  await states().save([history, state], [partitionProgress({ owner: state.owner })]);
  expect(hashed).toHaveLength(1);
  const { owner, stream, partition } = state;
  const restarted = states();
  expect(await restarted.load({ owner, stage: historyStage, stream, partition }, ['EUR'])).toEqual([history]);
  expect(await restarted.histories(owner, ['EUR'])).toEqual([{ key: 'EUR', parts: [history] }]);
  expect(await restarted.savedProgress(owner)).toHaveLength(1);
});
