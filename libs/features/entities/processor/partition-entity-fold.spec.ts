import { expect, it } from 'vitest';
import { EntityStateAccumulator } from '#features/entities/state';
import { MemoryErasures } from '#engine/memory';
import type { ConsumerRecord } from '#kafka';
import { valueOf } from '../../../../apps/processor/src/processor.fixture.js';
import { EntityCache } from './entity-cache.js';
import { PartitionEntityFold } from './partition-entity-fold.js';
import { EntitySnapshotCountdowns, WaitingStatesBudget } from './entity-snapshot-countdowns.js';
import type { DueSnapshotsOutcome } from './entity-snapshot-round.js';

const every = 4;

function given({ isComplete = true } = {}) {
  const erasures = new MemoryErasures();
  const waiting = new WaitingStatesBudget(1_000_000);
  const folder = new PartitionEntityFold({
    ...{ stream: 'orders#1', partition: 0, isComplete, erasures, waiting },
    ...{
      cache: new EntityCache({ entities: 100, characters: 1e6 }),
      countdowns: new EntitySnapshotCountdowns(100),
    },
  });
  let offset = 0;
  const fold = (count: number, entity = 'e') => {
    for (let i = 0; i < count; i++) folder.fold(recordAt(offset++, entity), every);
  };
  return { folder, fold, erasures, waiting };
}

function recordAt(offset: number, entity: string): ConsumerRecord {
  const value = Buffer.from(valueOf({ id: offset, entity, data: { n: offset } }));
  return { topic: 't', partition: 0, offset, timestamp: 0, key: Buffer.from(entity), value, headers: {} };
}

/** Returns a state with this version, whose last event has this offset. */
function stateAt(version: number, offset: number): EntityStateAccumulator {
  const state = new EntityStateAccumulator();
  state.add('{"stored":true}', version, { partition: 0, offset, timestamp: 1, ingested_at: 1 });
  return state;
}

const outcome = (given: Partial<DueSnapshotsOutcome>): DueSnapshotsOutcome => ({
  ...{ removed: 0, isStale: false, confirmed: new Set(), loaded: new Map(), ...given },
});
const taken = (folder: PartitionEntityFold) => {
  const { due = [], lookups = [] } = folder.take() ?? {};
  return { due: due.map(({ snapshot }) => `${snapshot.entity_id} ${snapshot.version}`), lookups };
};

it('keeps only the last due snapshot of an entity, and counts the characters that wait', () => {
  const { folder, fold, waiting } = given();
  fold(9);
  const work = folder.take()!;
  expect(work.due.map(({ snapshot }) => snapshot)).toMatchObject([{ version: 8, state: '{"n":7}' }]);
  expect(waiting).toEqual({ ...waiting, characters: '{"n":7}'.length });
  folder.apply(work, outcome({ confirmed: new Set(work.due.map(({ entry }) => entry)) }));
  expect(waiting).toEqual({ ...waiting, characters: 0 });
  expect(folder.isDue).toBe(false);
});

it('continues from a state of the store, without the records that the state includes', () => {
  const { folder, fold } = given({ isComplete: false });
  fold(1);
  const work = folder.take()!;
  expect(work.lookups).toEqual(['e']);
  expect(folder.needsStates).toBe(true);
  folder.apply(work, outcome({ loaded: new Map([['e', stateAt(6, 3)]]) }));
  expect(folder.needsStates).toBe(false);
  fold(3);
  expect(folder.isDue).toBe(false);
  fold(2);
  expect(taken(folder)).toEqual({ due: ['e 8'], lookups: [] });
});

it('reads a refused state again if records were folded since', () => {
  const { folder, fold } = given();
  fold(4);
  const work = folder.take()!;
  fold(1);
  folder.apply(work, outcome({ loaded: new Map([['e', stateAt(3, 3)]]) }));
  const again = folder.take()!;
  expect(again.lookups).toEqual(['e']);
  folder.apply(again, outcome({ loaded: new Map([['e', stateAt(7, 4)]]) }));
  fold(1);
  expect(taken(folder)).toEqual({ due: ['e 8'], lookups: [] });
});

it('reads the state of an entity again after an erasure of its first events', () => {
  const { folder, fold, erasures } = given();
  fold(3);
  fold(3, 'other');
  erasures.erase('orders', 'e', 2);
  fold(1);
  fold(1, 'other');
  expect(taken(folder)).toEqual({ due: ['other 4'], lookups: ['e'] });
});

it('forgets all states after a removal, and reads those again whose snapshot is due', () => {
  const { folder, fold } = given();
  fold(4);
  const work = folder.take()!;
  fold(4);
  fold(2, 'other');
  folder.apply(work, outcome({ removed: 5, isStale: true }));
  expect(folder.take()).toMatchObject({ due: [], lookups: ['e'], removed: 5 });
  fold(2, 'other');
  expect(folder.take()?.due).toEqual([]);
});
