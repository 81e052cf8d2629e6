import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  historyStage,
  maxStateKeys,
  type PartitionCheckpoint,
  type KeyedStateRow,
} from '../keyed-state-store.js';
import { partitionProgress, stateRow } from '../keyed-states.fixture.js';
import { t0 } from './rows.js';
import type { StoreContractFixture } from './store-contract.js';

const stage = 'ab'.repeat(8);

function newOwner(): string {
  return randomBytes(12).toString('hex');
}

const place = (owner: string, partition = 0) => ({ owner, stage: '', stream: 'orders', partition });
const placeOf = (owner: string, partition = 0) => ({ owner, stage, stream: '', partition });

function rowOf(row: Partial<KeyedStateRow> & { owner: string; key: string }): KeyedStateRow {
  return stateRow({ ...placeOf(row.owner), closes_at: t0, ...row });
}

function progressOf(row: Partial<PartitionCheckpoint> & { owner: string }): PartitionCheckpoint {
  return partitionProgress({
    ...placeOf(row.owner),
    ...{ processed: 5, emitted: 4, dropped: 3, late: 2, failed: 1 },
    ...{ watermark: t0, state: '{"feeders":[[1,2]]}', updated_at: t0 },
    ...row,
  });
}

const keysOf = (rows: readonly KeyedStateRow[]) => rows.map(({ key }) => key);

/**
 * Specs of the keyed states that processors save and the gateway reads; projections, their results and
 * pipelines promise the same.
 */
export function describeKeyedStates(contract: StoreContractFixture): void {
  for (const kind of ['projections', 'pipelines', 'projectionResults'] as const)
    describe(`states of ${kind}`, () => describeStatesOf(contract, kind));

  it('the results of a projection are removed with its states, and found when they were saved later', async () => {
    const { projections, projectionResults } = contract.store;
    const owner = newOwner();
    const saved = [[stateRow({ owner, key: 'EUR' })], [partitionProgress({ owner })]] as const;
    await projections.save(...saved);
    await projectionResults.save(...saved);
    await projections.remove(owner);
    expect(await projectionResults.keys({ owner, limit: 10 })).toEqual([]);
    expect(await projectionResults.progress([owner])).toEqual([]);
    expect(await projections.owners()).not.toContain(owner);
    await projectionResults.save(...saved);
    expect(await projections.owners()).toContain(owner);
    expect(await projections.keys({ owner, limit: 10 })).toEqual([]);
    await projections.remove(owner);
    expect(await projectionResults.owners()).not.toContain(owner);
  });

  it('the states of a projection are separate from the histories of its keys', async () => {
    const states = contract.store.projections;
    const owner = newOwner();
    const state = stateRow({ owner, key: 'EUR' });
    const history = { ...state, stage: historyStage, state: '[null,null,[]]' };
    const other = { ...history, key: 'SEK', position: 9 };
    const since = [{ ...place(owner), offset: 0 }];
    const progress = partitionProgress({ owner, watermark: 5 });
    await states.save([history, state, other], [progress]);
    expect(await states.savedProgress(owner)).toEqual([progress]);
    await states.save([], [{ ...progress, watermark: 6, updated_at: progress.updated_at + 1 }]);
    expect(await states.savedProgress(owner)).toMatchObject([{ watermark: 6 }]);
    expect(await states.progressOf(place(owner))).toMatchObject({ watermark: 6 });
    const found = [{ key: 'EUR', parts: [state] }];
    expect(await states.key(owner, 'EUR')).toEqual(found[0]);
    expect(await states.find(owner, ['EUR', 'SEK'])).toEqual(found);
    expect(await states.keys({ owner, limit: 9 })).toEqual(found);
    expect(await states.changedKeys({ owner, since, limit: 9 })).toEqual(found);
    expect(await states.countKeys({ owner })).toBe(1);
    expect(await states.load({ ...place(owner), stage: historyStage }, ['EUR', 'SEK'])).toHaveLength(2);
    const histories = await states.histories(owner, ['EUR', 'SEK']);
    expect(histories.toSorted((a, b) => (a.key < b.key ? -1 : 1))).toEqual([
      { key: 'EUR', parts: [history] },
      { key: 'SEK', parts: [other] },
    ]);
  });
}

function describeStatesOf(
  contract: StoreContractFixture,
  kind: 'projections' | 'pipelines' | 'projectionResults',
): void {
  describe('rows', () => {
    it('are loaded as they were saved, by key and partition', async () => {
      const states = contract.store[kind];
      const owner = newOwner();
      const rows = [
        stateRow({ owner, key: 'EUR', state: '[{"é":"\\u0000\'🎉"},12345678901234567890.5]' }),
        stateRow({ owner, key: 'USD', position: 2 ** 50, updated_at: -1 }),
      ];
      const elsewhere = [
        stateRow({ owner, key: 'EUR', partition: 65_535 }),
        stateRow({ owner, key: 'EUR', stream: 'refunds' }),
        stateRow({ owner: newOwner(), key: 'EUR' }),
      ];
      await states.save([...rows, ...elsewhere], []);
      const loaded = await states.load(place(owner), ['USD', 'none', 'EUR', 'EUR']);
      expect(loaded.toSorted((a, b) => (a.key < b.key ? -1 : 1))).toEqual(rows);
      expect(await states.load(place(owner, 65_535), ['EUR'])).toEqual([elsewhere[0]]);
      expect(await states.load(place(owner), [])).toEqual([]);
      expect(await states.load(place(newOwner()), ['EUR'])).toEqual([]);
    });

    it('are found by any text as key', async () => {
      const states = contract.store[kind];
      const owner = newOwner();
      const keys = [
        ' ',
        "it's",
        '\\',
        '\\n',
        'a\tb',
        '"',
        '日本',
        '🎉',
        'null',
        '{x:String}',
        '%',
        '',
        'é'.repeat(256),
      ];
      await states.save(
        keys.map((key) => stateRow({ owner, key })),
        [],
      );
      expect(await states.load(place(owner), keys)).toHaveLength(keys.length);
      for (const key of keys) {
        expect((await states.key(owner, key))?.key).toBe(key);
        expect((await states.keys({ owner, prefix: key, limit: 100 })).map((found) => found.key)).toEqual(
          expect.arrayContaining([key]),
        );
      }
    });

    it('with an older offset never win, in whatever order they are saved', async () => {
      const states = contract.store[kind];
      const owner = newOwner();
      const [first, second, third] = [3, 5, 9].map((position) => stateRow({ owner, key: 'EUR', position }));
      for (const row of [second, third, first, second]) await states.save([row!], []);
      expect(await states.load(place(owner), ['EUR'])).toEqual([third]);
      expect(await states.key(owner, 'EUR')).toEqual({ key: 'EUR', parts: [third] });
      expect(await states.keys({ owner, limit: 10 })).toEqual([{ key: 'EUR', parts: [third] }]);
      expect(await states.countKeys({ owner })).toBe(1);
    });

    it('with an older offset do not win within one save either', async () => {
      const states = contract.store[kind];
      const owner = newOwner();
      const row = stateRow({ owner, key: 'EUR', position: 9 });
      await states.save([row, stateRow({ owner, key: 'EUR', position: 3 })], []);
      expect(await states.load(place(owner), ['EUR'])).toEqual([row]);
    });

    it('are loaded for a bounded number of keys', async () => {
      const states = contract.store[kind];
      const owner = newOwner();
      const keys = Array.from({ length: maxStateKeys + 1 }, (_, i) => `${'k'.repeat(240)}-${i}`);
      await states.save([stateRow({ owner, key: keys[1]! })], []);
      await expect(states.load(place(owner), keys)).rejects.toBeInstanceOf(RangeError);
      expect(await states.load(place(owner), keys.slice(1))).toHaveLength(1);
    });

    it('of a key are read from every partition, ordered by stream and partition', async () => {
      const states = contract.store[kind];
      const owner = newOwner();
      const parts = [
        stateRow({ owner, key: 'EUR', partition: 2 }),
        stateRow({ owner, key: 'EUR', partition: 10 }),
        stateRow({ owner, key: 'EUR', stream: 'refunds', partition: 0 }),
      ];
      await states.save([...parts].reverse(), []);
      expect(await states.key(owner, 'EUR')).toEqual({ key: 'EUR', parts });
      expect(await states.key(owner, 'EU')).toBeUndefined();
      expect(await states.key(newOwner(), 'EUR')).toBeUndefined();
    });

    it('of many keys are found at once, from every partition', async () => {
      const states = contract.store[kind];
      const owner = newOwner();
      const parts = [stateRow({ owner, key: 'EUR' }), stateRow({ owner, key: 'EUR', partition: 1 })];
      const other = stateRow({ owner, key: "it's", position: 4 });
      await states.save([...parts, stateRow({ owner, key: "it's" }), other], []);
      const found = await states.find(owner, ["it's", 'none', 'EUR', 'EUR']);
      expect(found.toSorted((a, b) => (a.key < b.key ? -1 : 1))).toEqual([
        { key: 'EUR', parts },
        { key: "it's", parts: [other] },
      ]);
      expect(await states.find(owner, [])).toEqual([]);
      const many = Array.from({ length: maxStateKeys + 1 }, (_, i) => `${i}`);
      await expect(states.find(owner, many)).rejects.toBeInstanceOf(RangeError);
    });

    it('are read in pages ordered by key bytewise, with and without a prefix', async () => {
      const states = contract.store[kind];
      const owner = newOwner();
      const keys = ['B', 'a', 'a1', 'a2', 'ab', 'b', 'é', '\uffee', '🎉'];
      const rows = keys.flatMap((key) => [stateRow({ owner, key }), stateRow({ owner, key, partition: 1 })]);
      await states.save([...rows].reverse(), []);
      const namesOf = async (query: { limit: number; after?: string; prefix?: string }) =>
        (await states.keys({ owner, ...query })).map(({ key }) => key);
      expect(await namesOf({ limit: 100 })).toEqual(keys);
      expect(await namesOf({ limit: 4 })).toEqual(keys.slice(0, 4));
      expect(await namesOf({ limit: 4, after: 'a2' })).toEqual(keys.slice(4, 8));
      expect(await namesOf({ limit: 4, after: 'a2x' })).toEqual(keys.slice(4, 8));
      expect(await namesOf({ limit: 4, after: '🎉' })).toEqual([]);
      expect(await namesOf({ limit: 2, prefix: 'a' })).toEqual(['a', 'a1']);
      expect(await namesOf({ limit: 9, prefix: 'a', after: 'a1' })).toEqual(['a2', 'ab']);
      expect(await states.keys({ owner, limit: 1, after: 'a' })).toEqual([
        { key: 'a1', parts: rows.filter(({ key }) => key === 'a1') },
      ]);
      expect(await states.countKeys({ owner })).toBe(9);
      expect(await states.countKeys({ owner, prefix: 'a' })).toBe(4);
      expect(await states.countKeys({ owner: newOwner() })).toBe(0);
    });
  });

  describe('changed keys', () => {
    it('are keys with an event at or after the offsets; they are returned in pages, with the rows of all partitions', async () => {
      const states = contract.store[kind];
      const owner = newOwner();
      const rows = ['a', 'b', 'c', 'd'].flatMap((key, i) => [
        stateRow({ owner, key, position: 10 * i }),
        stateRow({ owner, key, partition: 1, position: 100 - i }),
        stateRow({ owner, key, stream: 'refunds', position: i }),
      ]);
      await states.save([...rows, stateRow({ owner: newOwner(), key: 'b', position: 500 })], []);
      const changed = async (
        since: [stream: string, partition: number, offset: number][],
        { limit = 100, after }: { limit?: number; after?: string } = {},
      ) => {
        const places = since.map(([stream, partition, offset]) => ({ stream, partition, offset }));
        const page = { owner, since: places, limit, ...(after !== undefined && { after }) };
        return (await states.changedKeys(page)).map(({ key }) => key);
      };
      expect(await changed([['orders', 0, 0]])).toEqual(['a', 'b', 'c', 'd']);
      expect(await changed([['orders', 0, 20]])).toEqual(['c', 'd']);
      expect(await changed([['orders', 0, 20]], { limit: 1 })).toEqual(['c']);
      expect(await changed([['orders', 0, 20]], { limit: 1, after: 'c' })).toEqual(['d']);
      expect(await changed([['orders', 0, 20]], { after: 'd' })).toEqual([]);
      expect(await changed([['orders', 1, 99], ['orders', 0, 30]])).toEqual(['a', 'b', 'd']); // prettier-ignore
      expect(await changed([['refunds', 0, 3], ['orders', 0, 1000]])).toEqual(['d']); // prettier-ignore
      expect(await changed([['orders', 2, 0]])).toEqual([]);
      expect(await changed([])).toEqual([]);
      const since = [{ stream: 'refunds', partition: 0, offset: 3 }];
      const parts = rows.filter(({ key }) => key === 'd');
      expect(await states.changedKeys({ owner, since, limit: 9 })).toEqual([{ key: 'd', parts }]);
    });

    it('are returned with their current rows, however often they were saved since', async () => {
      const states = contract.store[kind];
      const owner = newOwner();
      const saved = [3, 5, 9].map((position) => stateRow({ owner, key: 'a', position }));
      for (const row of saved) await states.save([row], []);
      for (const offset of [0, 4, 9]) {
        const since = [{ stream: 'orders', partition: 0, offset }];
        expect(await states.changedKeys({ owner, since, limit: 9 })).toEqual([
          { key: 'a', parts: [saved[2]] },
        ]);
      }
    });
  });

  describe('progress', () => {
    it('of a partition is the one with the greatest offset', async () => {
      const states = contract.store[kind];
      const [owner, other] = [newOwner(), newOwner()].sort() as [string, string];
      const ends = [
        partitionProgress({ owner, next: 7, processed: 5, failed: 1 }),
        partitionProgress({ owner, partition: 3, next: 2 }),
        partitionProgress({ owner: other, next: 4 }),
      ];
      await states.save([], [ends[0]!, ends[1]!]);
      await states.save([], [partitionProgress({ owner, next: 6 }), ends[2]!]);
      expect(await states.progressOf(place(owner))).toEqual(ends[0]);
      expect(await states.progressOf(place(owner, 1))).toBeUndefined();
      expect(await states.progress([owner])).toEqual(ends.slice(0, 2));
      expect(await states.progress([other, owner])).toEqual(ends);
      expect(await states.progress([])).toEqual([]);
    });
  });

  describe('an owner', () => {
    it('has no rows after its removal, which can be repeated', async () => {
      const states = contract.store[kind];
      const [owner, kept] = [newOwner(), newOwner()];
      for (const each of [owner, kept]) {
        await states.save([stateRow({ owner: each, key: 'EUR' })], [partitionProgress({ owner: each })]);
      }
      expect(await states.owners()).toEqual(expect.arrayContaining([owner, kept]));
      await states.remove(owner);
      await states.remove(owner);
      expect(await states.owners()).not.toContain(owner);
      expect(await states.key(owner, 'EUR')).toBeUndefined();
      expect(await states.load(place(owner), ['EUR'])).toEqual([]);
      expect(await states.progressOf(place(owner))).toBeUndefined();
      expect(await states.owners()).toContain(kept);
      expect(await states.key(kept, 'EUR')).toBeDefined();
      expect(await states.progress([owner, kept])).toEqual([partitionProgress({ owner: kept })]);
    });

    it('is listed while it has rows or progress, even if they were saved after its removal', async () => {
      const states = contract.store[kind];
      const [ofRows, ofProgress] = [newOwner(), newOwner()];
      await states.remove(ofRows);
      await states.save([stateRow({ owner: ofRows, key: 'EUR' })], []);
      await states.save([], [partitionProgress({ owner: ofProgress })]);
      expect(await states.owners()).toEqual(expect.arrayContaining([ofRows, ofProgress]));
    });
  });

  describe('a stage', () => {
    it('loads rows as they were saved, by stage, stream, partition and key', async () => {
      const states = contract.store[kind];
      const owner = newOwner();
      const rows = [
        rowOf({ owner, key: 'a', state: '{"é":"\\u0000\'🎉","n":12345678901234567890.5}' }),
        rowOf({ owner, key: 'b', position: 2 ** 50, closes_at: -1, updated_at: -1 }),
      ];
      const elsewhere = [
        rowOf({ owner, key: 'a', partition: 65_535 }),
        rowOf({ owner, key: 'a', stage: 'cd'.repeat(8) }),
        rowOf({ owner, key: 'a', stream: 'orders' }),
        rowOf({ owner: newOwner(), key: 'a' }),
      ];
      await states.save([...rows, ...elsewhere], []);
      const loaded = await states.load(placeOf(owner), ['b', 'none', 'a', 'a']);
      expect(loaded.toSorted((x, y) => (x.key < y.key ? -1 : 1))).toEqual(rows);
      expect(await states.load(placeOf(owner, 65_535), ['a'])).toEqual([elsewhere[0]]);
      expect(await states.load(placeOf(owner), [])).toEqual([]);
      expect(await states.load(placeOf(newOwner()), ['a'])).toEqual([]);
    });
    it('returns due rows in pages, ordered by closing time, then by key bytewise', async () => {
      const states = contract.store[kind];
      const owner = newOwner();
      const closing: [string, number][] = [
        ['z', -5],
        ['B', 10],
        ['a', 10],
        ['\uffee', 10],
        ['🎉', 10],
        ['c', 11],
        ['d', 12],
      ];
      const rows = closing.map(([key, at]) => rowOf({ owner, key, closes_at: at }));
      await states.save([...rows].reverse(), [progressOf({ owner })]);
      await states.save([rowOf({ owner, key: 'elsewhere', partition: 1, closes_at: 0 })], []);
      const due = async (query: { until: number; limit: number; after?: KeyedStateRow }) =>
        states.due(placeOf(owner), query);
      expect(keysOf(await due({ until: 11, limit: 100 }))).toEqual(['z', 'B', 'a', '\uffee', '🎉', 'c']);
      expect(keysOf(await due({ until: 10, limit: 3 }))).toEqual(['z', 'B', 'a']);
      expect(keysOf(await due({ until: 10, limit: 3, after: rows[2]! }))).toEqual(['\uffee', '🎉']);
      expect(await due({ until: 10, limit: 3, after: rows[4]! })).toEqual([]);
      expect(await due({ until: -6, limit: 3 })).toEqual([]);
    });
    it('returns a row as due at its most recently saved closing time', async () => {
      const states = contract.store[kind];
      const owner = newOwner();
      await states.save([rowOf({ owner, key: 'a', position: 1, closes_at: 5 })], []);
      await states.save([rowOf({ owner, key: 'a', position: 2, closes_at: 9 })], []);
      expect(await states.due(placeOf(owner), { until: 8, limit: 9 })).toEqual([]);
      expect(keysOf(await states.due(placeOf(owner), { until: 9, limit: 9 }))).toEqual(['a']);
    });
    it('loses closed rows some time after removeClosed, and keeps all other rows', async () => {
      const states = contract.store[kind];
      const owner = newOwner();
      const kept = [
        rowOf({ owner, key: 'open', closes_at: 11 }),
        rowOf({ owner, key: 'closed', closes_at: 1, partition: 1 }),
        rowOf({ owner, key: 'closed', closes_at: 1, stage: 'cd'.repeat(8) }),
      ];
      await states.save(
        [...kept, rowOf({ owner, key: 'closed', closes_at: 10 })],
        [progressOf({ owner, watermark: 10 })],
      );
      const closed = [
        { stage, partition: 0, until: 10 },
        { stage, partition: 2, until: 10 },
      ];
      await states.removeClosed(owner, closed);
      await states.removeClosed(owner, closed);
      await states.removeClosed(owner, []);
      await expect
        .poll(async () => keysOf(await states.load(placeOf(owner), ['open', 'closed'])))
        .toEqual(['open']);
      expect(await states.load(placeOf(owner, 1), ['closed'])).toEqual([kept[1]]);
      expect(await states.progressOf(placeOf(owner))).toBeDefined();
    });
    it('has the progress with the greatest offset, by stage, stream and partition', async () => {
      const states = contract.store[kind];
      const [owner, other] = [newOwner(), newOwner()].sort() as [string, string];
      const ends = [
        progressOf({ owner, stage: '', stream: 'orders', partition: 3, next: 2 }),
        progressOf({ owner, stage: '', stream: 'refunds', watermark: null, next: 0 }),
        progressOf({ owner, next: 7, processed: 2 ** 50 }),
        progressOf({ owner: other, next: 4 }),
      ];
      await states.save([rowOf({ owner, key: 'a', position: 900 })], ends.slice(0, 3));
      await states.save([], [progressOf({ owner, next: 6 }), ends[3]!]);
      expect(await states.progressOf(placeOf(owner))).toEqual(ends[2]);
      expect(await states.progressOf({ owner, stage: '', stream: 'orders', partition: 3 })).toEqual(ends[0]);
      expect(await states.progressOf(placeOf(owner, 1))).toBeUndefined();
      expect(await states.progress([owner])).toEqual(ends.slice(0, 3));
      expect(await states.progress([other, owner])).toEqual(ends);
      expect(await states.progress([])).toEqual([]);
    });
    it('loses its rows and progress when it is removed, and other stages keep theirs', async () => {
      const states = contract.store[kind];
      const owner = newOwner();
      const gone = { owner, stage: 'cd'.repeat(8) };
      const rows = [rowOf({ owner, key: 'a' }), rowOf({ ...gone, key: 'a' })];
      await states.save(rows, [progressOf({ owner }), progressOf(gone)]);
      await states.removeStages(owner, [gone.stage, 'ef'.repeat(8)]);
      await states.removeStages(owner, []);
      expect(await states.progress([owner])).toEqual([progressOf({ owner })]);
      expect(await states.load({ ...placeOf(owner), ...gone }, ['a'])).toEqual([]);
      expect(await states.load(placeOf(owner), ['a'])).toEqual([rows[0]]);
    });
  });
}
