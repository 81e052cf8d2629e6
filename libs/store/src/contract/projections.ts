import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { maxProjectionKeys, type ProjectionProgress, type ProjectionStateRow } from '../projection-store.js';
import { second, t0 } from './rows.js';
import type { StoreContract } from './store-contract.js';

function newBuild(): string {
  return randomBytes(12).toString('hex');
}

function stateRow(row: Partial<ProjectionStateRow> & { build: string; key: string }): ProjectionStateRow {
  const last_offset = row.last_offset ?? 0;
  return {
    stream: 'orders',
    partition: 0,
    state: `[${last_offset}]`,
    events: last_offset + 1,
    last_offset,
    updated_at: t0 + last_offset * second,
    ...row,
  };
}

function progressRow(row: Partial<ProjectionProgress> & { build: string }): ProjectionProgress {
  const next = row.next ?? 1;
  return { stream: 'orders', partition: 0, next, processed: next, failed: 0, updated_at: t0, ...row };
}

/** What processors keep of projections, and what is read of it. */
export function describeProjections(contract: StoreContract): void {
  const place = (build: string, partition = 0) => ({ build, stream: 'orders', partition });

  describe('states of projections', () => {
    it('come back as they were saved, by key and partition', async () => {
      const { projections } = contract.store;
      const build = newBuild();
      const rows = [
        stateRow({ build, key: 'EUR', state: '[{"é":"\\u0000\'🎉"},12345678901234567890.5]' }),
        stateRow({ build, key: 'USD', last_offset: 2 ** 50, updated_at: -1 }),
      ];
      const elsewhere = [
        stateRow({ build, key: 'EUR', partition: 65_535 }),
        stateRow({ build, key: 'EUR', stream: 'refunds' }),
        stateRow({ build: newBuild(), key: 'EUR' }),
      ];
      await projections.save([...rows, ...elsewhere], []);
      const loaded = await projections.load(place(build), ['USD', 'none', 'EUR', 'EUR']);
      expect(loaded.toSorted((a, b) => (a.key < b.key ? -1 : 1))).toEqual(rows);
      expect(await projections.load(place(build, 65_535), ['EUR'])).toEqual([elsewhere[0]]);
      expect(await projections.load(place(build), [])).toEqual([]);
      expect(await projections.load(place(newBuild()), ['EUR'])).toEqual([]);
    });

    it('are found by any text that is a key', async () => {
      const { projections } = contract.store;
      const build = newBuild();
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
      await projections.save(
        keys.map((key) => stateRow({ build, key })),
        [],
      );
      expect(await projections.load(place(build), keys)).toHaveLength(keys.length);
      for (const key of keys) {
        expect((await projections.key(build, key))?.key).toBe(key);
        expect(
          (await projections.keys({ build, prefix: key, limit: 100 })).map((found) => found.key),
        ).toEqual(expect.arrayContaining([key]));
      }
    });

    it('of an older offset never win, in whatever order they are saved', async () => {
      const { projections } = contract.store;
      const build = newBuild();
      const [first, second, third] = [3, 5, 9].map((last_offset) =>
        stateRow({ build, key: 'EUR', last_offset }),
      );
      for (const row of [second, third, first, second]) await projections.save([row!], []);
      expect(await projections.load(place(build), ['EUR'])).toEqual([third]);
      expect(await projections.key(build, 'EUR')).toEqual({ key: 'EUR', parts: [third] });
      expect(await projections.keys({ build, limit: 10 })).toEqual([{ key: 'EUR', parts: [third] }]);
      expect(await projections.countKeys({ build })).toBe(1);
    });

    it('of an older offset do not win within one batch either', async () => {
      const { projections } = contract.store;
      const build = newBuild();
      const row = stateRow({ build, key: 'EUR', last_offset: 9 });
      await projections.save([row, stateRow({ build, key: 'EUR', last_offset: 3 })], []);
      expect(await projections.load(place(build), ['EUR'])).toEqual([row]);
    });

    it('are asked for with a bound', async () => {
      const { projections } = contract.store;
      const build = newBuild();
      const keys = Array.from({ length: maxProjectionKeys + 1 }, (_, i) => `${'k'.repeat(240)}-${i}`);
      await projections.save([stateRow({ build, key: keys[1]! })], []);
      await expect(projections.load(place(build), keys)).rejects.toBeInstanceOf(RangeError);
      expect(await projections.load(place(build), keys.slice(1))).toHaveLength(1);
    });

    it('are read with the parts of every partition, by stream and partition', async () => {
      const { projections } = contract.store;
      const build = newBuild();
      const parts = [
        stateRow({ build, key: 'EUR', partition: 2 }),
        stateRow({ build, key: 'EUR', partition: 10 }),
        stateRow({ build, key: 'EUR', stream: 'refunds', partition: 0 }),
      ];
      await projections.save([...parts].reverse(), []);
      expect(await projections.key(build, 'EUR')).toEqual({ key: 'EUR', parts });
      expect(await projections.key(build, 'EU')).toBeUndefined();
      expect(await projections.key(newBuild(), 'EUR')).toBeUndefined();
    });

    it('are found for many keys at once, with the parts of every partition', async () => {
      const { projections } = contract.store;
      const build = newBuild();
      const parts = [stateRow({ build, key: 'EUR' }), stateRow({ build, key: 'EUR', partition: 1 })];
      const other = stateRow({ build, key: "it's", last_offset: 4 });
      await projections.save([...parts, stateRow({ build, key: "it's" }), other], []);
      const found = await projections.find(build, ["it's", 'none', 'EUR', 'EUR']);
      expect(found.toSorted((a, b) => (a.key < b.key ? -1 : 1))).toEqual([
        { key: 'EUR', parts },
        { key: "it's", parts: [other] },
      ]);
      expect(await projections.find(build, [])).toEqual([]);
      const many = Array.from({ length: maxProjectionKeys + 1 }, (_, i) => `${i}`);
      await expect(projections.find(build, many)).rejects.toBeInstanceOf(RangeError);
    });

    it('are read by key, bytewise, page by page, also with a prefix', async () => {
      const { projections } = contract.store;
      const build = newBuild();
      const keys = ['B', 'a', 'a1', 'a2', 'ab', 'b', 'é', '\uffee', '🎉'];
      const rows = keys.flatMap((key) => [stateRow({ build, key }), stateRow({ build, key, partition: 1 })]);
      await projections.save([...rows].reverse(), []);
      const namesOf = async (query: { limit: number; after?: string; prefix?: string }) =>
        (await projections.keys({ build, ...query })).map(({ key }) => key);
      expect(await namesOf({ limit: 100 })).toEqual(keys);
      expect(await namesOf({ limit: 4 })).toEqual(keys.slice(0, 4));
      expect(await namesOf({ limit: 4, after: 'a2' })).toEqual(keys.slice(4, 8));
      expect(await namesOf({ limit: 4, after: 'a2x' })).toEqual(keys.slice(4, 8));
      expect(await namesOf({ limit: 4, after: '🎉' })).toEqual([]);
      expect(await namesOf({ limit: 2, prefix: 'a' })).toEqual(['a', 'a1']);
      expect(await namesOf({ limit: 9, prefix: 'a', after: 'a1' })).toEqual(['a2', 'ab']);
      expect(await projections.keys({ build, limit: 1, after: 'a' })).toEqual([
        { key: 'a1', parts: rows.filter(({ key }) => key === 'a1') },
      ]);
      expect(await projections.countKeys({ build })).toBe(9);
      expect(await projections.countKeys({ build, prefix: 'a' })).toBe(4);
      expect(await projections.countKeys({ build: newBuild() })).toBe(0);
    });
  });

  describe('keys of projections that have changed', () => {
    it('are those with an event from the offsets on, with all their parts, page by page', async () => {
      const { projections } = contract.store;
      const build = newBuild();
      const rows = ['a', 'b', 'c', 'd'].flatMap((key, i) => [
        stateRow({ build, key, last_offset: 10 * i }),
        stateRow({ build, key, partition: 1, last_offset: 100 - i }),
        stateRow({ build, key, stream: 'refunds', last_offset: i }),
      ]);
      await projections.save([...rows, stateRow({ build: newBuild(), key: 'b', last_offset: 500 })], []);
      const changed = async (
        since: [stream: string, partition: number, offset: number][],
        { limit = 100, after }: { limit?: number; after?: string } = {},
      ) => {
        const places = since.map(([stream, partition, offset]) => ({ stream, partition, offset }));
        const page = { build, since: places, limit, ...(after !== undefined && { after }) };
        return (await projections.changedKeys(page)).map(({ key }) => key);
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
      expect(await projections.changedKeys({ build, since, limit: 9 })).toEqual([{ key: 'd', parts }]);
    });

    it('are shown as they are now, however often they were saved since', async () => {
      const { projections } = contract.store;
      const build = newBuild();
      const saved = [3, 5, 9].map((last_offset) => stateRow({ build, key: 'a', last_offset }));
      for (const row of saved) await projections.save([row], []);
      for (const offset of [0, 4, 9]) {
        const since = [{ stream: 'orders', partition: 0, offset }];
        expect(await projections.changedKeys({ build, since, limit: 9 })).toEqual([
          { key: 'a', parts: [saved[2]] },
        ]);
      }
    });
  });

  describe('progress of projections', () => {
    it('is that which is furthest, by partition', async () => {
      const { projections } = contract.store;
      const [build, other] = [newBuild(), newBuild()].sort() as [string, string];
      const ends = [
        progressRow({ build, next: 7, processed: 5, failed: 1 }),
        progressRow({ build, partition: 3, next: 2 }),
        progressRow({ build: other, next: 4 }),
      ];
      await projections.save([], [ends[0]!, ends[1]!]);
      await projections.save([], [progressRow({ build, next: 6 }), ends[2]!]);
      expect(await projections.progressOf(place(build))).toEqual(ends[0]);
      expect(await projections.progressOf(place(build, 1))).toBeUndefined();
      expect(await projections.progress([build])).toEqual(ends.slice(0, 2));
      expect(await projections.progress([other, build])).toEqual(ends);
      expect(await projections.progress([])).toEqual([]);
    });
  });

  describe('a build of a projection', () => {
    it('is gone with all that it has when it is removed, and can be removed again', async () => {
      const { projections } = contract.store;
      const [build, kept] = [newBuild(), newBuild()];
      for (const each of [build, kept]) {
        await projections.save([stateRow({ build: each, key: 'EUR' })], [progressRow({ build: each })]);
      }
      expect(await projections.builds()).toEqual(expect.arrayContaining([build, kept]));
      await projections.removeBuild(build);
      await projections.removeBuild(build);
      expect(await projections.builds()).not.toContain(build);
      expect(await projections.key(build, 'EUR')).toBeUndefined();
      expect(await projections.load(place(build), ['EUR'])).toEqual([]);
      expect(await projections.progressOf(place(build))).toBeUndefined();
      expect(await projections.builds()).toContain(kept);
      expect(await projections.key(kept, 'EUR')).toBeDefined();
      expect(await projections.progress([build, kept])).toEqual([progressRow({ build: kept })]);
    });

    it('is named while there is anything of it, also what is saved after its removal', async () => {
      const { projections } = contract.store;
      const [states, progress] = [newBuild(), newBuild()];
      await projections.removeBuild(states);
      await projections.save([stateRow({ build: states, key: 'EUR' })], []);
      await projections.save([], [progressRow({ build: progress })]);
      expect(await projections.builds()).toEqual(expect.arrayContaining([states, progress]));
    });
  });
}
