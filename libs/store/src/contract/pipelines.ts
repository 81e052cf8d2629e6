import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { maxPipelineRows, type PipelineProgress, type PipelineRow } from '../pipeline-store.js';
import { second, t0 } from './rows.js';
import type { StoreContract } from './store-contract.js';

function newRun(): string {
  return randomBytes(12).toString('hex');
}

const stage = 'ab'.repeat(8);
const placeOf = (run: string, partition = 0) => ({ run, stage, stream: '', partition });

function rowOf(row: Partial<PipelineRow> & { run: string; name: string }): PipelineRow {
  const position = row.position ?? 0;
  return {
    ...placeOf(row.run),
    ...{ state: `{"n":${position}}`, closes_at: t0, position, updated_at: t0 + position * second },
    ...row,
  };
}

function progressOf(row: Partial<PipelineProgress> & { run: string }): PipelineProgress {
  return {
    ...placeOf(row.run),
    ...{ next: 1, processed: 5, emitted: 4, dropped: 3, late: 2, failed: 1 },
    ...{ watermark: t0, state: '{"feeders":[[1,2]]}', updated_at: t0 },
    ...row,
  };
}

const namesOf = (rows: readonly PipelineRow[]) => rows.map(({ name }) => name);

/** What processors keep of pipelines, and what is read of it. */
export function describePipelines(contract: StoreContract): void {
  describe('rows of pipelines', () => {
    it('come back as they were saved, by stage, stream, partition and name', async () => {
      const { pipelines } = contract.store;
      const run = newRun();
      const rows = [
        rowOf({ run, name: 'a', state: '{"é":"\\u0000\'🎉","n":12345678901234567890.5}' }),
        rowOf({ run, name: 'b', position: 2 ** 50, closes_at: -1, updated_at: -1 }),
      ];
      const elsewhere = [
        rowOf({ run, name: 'a', partition: 65_535 }),
        rowOf({ run, name: 'a', stage: 'cd'.repeat(8) }),
        rowOf({ run, name: 'a', stream: 'orders' }),
        rowOf({ run: newRun(), name: 'a' }),
      ];
      await pipelines.save([...rows, ...elsewhere], []);
      const loaded = await pipelines.load(placeOf(run), ['b', 'none', 'a', 'a']);
      expect(loaded.toSorted((x, y) => (x.name < y.name ? -1 : 1))).toEqual(rows);
      expect(await pipelines.load(placeOf(run, 65_535), ['a'])).toEqual([elsewhere[0]]);
      expect(await pipelines.load(placeOf(run), [])).toEqual([]);
      expect(await pipelines.load(placeOf(newRun()), ['a'])).toEqual([]);
    });

    it('are found by any text that is a name', async () => {
      const { pipelines } = contract.store;
      const run = newRun();
      const names = [
        "it's",
        '\\',
        '\\n',
        'a\tb',
        '"',
        '日本',
        '🎉',
        'null',
        '{x:String}',
        '',
        'é'.repeat(150),
      ];
      await pipelines.save(
        names.map((name) => rowOf({ run, name })),
        [progressOf({ run })],
      );
      expect(await pipelines.load(placeOf(run), names)).toHaveLength(names.length);
    });

    it('of an older position never win, in whatever order they are saved', async () => {
      const { pipelines } = contract.store;
      const run = newRun();
      const [first, second, third] = [3, 5, 9].map((position) => rowOf({ run, name: 'a', position }));
      for (const row of [second, third, first, second]) await pipelines.save([row!], []);
      await pipelines.save([third!, first!], []);
      expect(await pipelines.load(placeOf(run), ['a'])).toEqual([third]);
      expect(await pipelines.due(placeOf(run), { until: t0, limit: 9 })).toEqual([third]);
    });

    it('are asked for with a bound', async () => {
      const { pipelines } = contract.store;
      const run = newRun();
      const names = Array.from({ length: maxPipelineRows + 1 }, (_, i) => `${'k'.repeat(240)}-${i}`);
      await pipelines.save([rowOf({ run, name: names[1]! })], []);
      await expect(pipelines.load(placeOf(run), names)).rejects.toBeInstanceOf(RangeError);
      expect(await pipelines.load(placeOf(run), names.slice(1))).toHaveLength(1);
    });

    it('are due by closing time, then name bytewise, page by page', async () => {
      const { pipelines } = contract.store;
      const run = newRun();
      const closing: [string, number][] = [
        ['z', -5],
        ['B', 10],
        ['a', 10],
        ['\uffee', 10],
        ['🎉', 10],
        ['c', 11],
        ['d', 12],
      ];
      const rows = closing.map(([name, at]) => rowOf({ run, name, closes_at: at }));
      await pipelines.save([...rows].reverse(), [progressOf({ run })]);
      await pipelines.save([rowOf({ run, name: 'elsewhere', partition: 1, closes_at: 0 })], []);
      const due = async (query: { until: number; limit: number; after?: PipelineRow }) =>
        pipelines.due(placeOf(run), query);
      expect(namesOf(await due({ until: 11, limit: 100 }))).toEqual(['z', 'B', 'a', '\uffee', '🎉', 'c']);
      expect(namesOf(await due({ until: 10, limit: 3 }))).toEqual(['z', 'B', 'a']);
      expect(namesOf(await due({ until: 10, limit: 3, after: rows[2]! }))).toEqual(['\uffee', '🎉']);
      expect(await due({ until: 10, limit: 3, after: rows[4]! })).toEqual([]);
      expect(await due({ until: -6, limit: 3 })).toEqual([]);
    });

    it('are due when they last said so', async () => {
      const { pipelines } = contract.store;
      const run = newRun();
      await pipelines.save([rowOf({ run, name: 'a', position: 1, closes_at: 5 })], []);
      await pipelines.save([rowOf({ run, name: 'a', position: 2, closes_at: 9 })], []);
      expect(await pipelines.due(placeOf(run), { until: 8, limit: 9 })).toEqual([]);
      expect(namesOf(await pipelines.due(placeOf(run), { until: 9, limit: 9 }))).toEqual(['a']);
    });

    it('that have closed are gone some time after they are removed; others are not concerned', async () => {
      const { pipelines } = contract.store;
      const run = newRun();
      const kept = [
        rowOf({ run, name: 'open', closes_at: 11 }),
        rowOf({ run, name: 'closed', closes_at: 1, partition: 1 }),
        rowOf({ run, name: 'closed', closes_at: 1, stage: 'cd'.repeat(8) }),
      ];
      await pipelines.save(
        [...kept, rowOf({ run, name: 'closed', closes_at: 10 })],
        [progressOf({ run, watermark: 10 })],
      );
      const closed = [
        { stage, partition: 0, until: 10 },
        { stage, partition: 2, until: 10 },
      ];
      await pipelines.removeClosed(run, closed);
      await pipelines.removeClosed(run, closed);
      await pipelines.removeClosed(run, []);
      await expect
        .poll(async () => namesOf(await pipelines.load(placeOf(run), ['open', 'closed'])))
        .toEqual(['open']);
      expect(await pipelines.load(placeOf(run, 1), ['closed'])).toEqual([kept[1]]);
      expect(await pipelines.progressOf(placeOf(run))).toBeDefined();
    });
  });

  describe('progress of pipelines', () => {
    it('is that which is furthest, by stage, stream and partition', async () => {
      const { pipelines } = contract.store;
      const [run, other] = [newRun(), newRun()].sort() as [string, string];
      const ends = [
        progressOf({ run, stage: '', stream: 'orders', partition: 3, next: 2 }),
        progressOf({ run, stage: '', stream: 'refunds', watermark: null, next: 0 }),
        progressOf({ run, next: 7, processed: 2 ** 50 }),
        progressOf({ run: other, next: 4 }),
      ];
      await pipelines.save([rowOf({ run, name: 'a', position: 900 })], ends.slice(0, 3));
      await pipelines.save([], [progressOf({ run, next: 6 }), ends[3]!]);
      expect(await pipelines.progressOf(placeOf(run))).toEqual(ends[2]);
      expect(await pipelines.progressOf({ run, stage: '', stream: 'orders', partition: 3 })).toEqual(ends[0]);
      expect(await pipelines.progressOf(placeOf(run, 1))).toBeUndefined();
      expect(await pipelines.progress([run])).toEqual(ends.slice(0, 3));
      expect(await pipelines.progress([other, run])).toEqual(ends);
      expect(await pipelines.progress([])).toEqual([]);
    });
  });

  describe('a run of a pipeline', () => {
    it('loses the stages that are removed, with their progress, and nothing else', async () => {
      const { pipelines } = contract.store;
      const run = newRun();
      const gone = { run, stage: 'cd'.repeat(8) };
      const rows = [rowOf({ run, name: 'a' }), rowOf({ ...gone, name: 'a' })];
      await pipelines.save(rows, [progressOf({ run }), progressOf(gone)]);
      await pipelines.removeStages(run, [gone.stage, 'ef'.repeat(8)]);
      await pipelines.removeStages(run, []);
      expect(await pipelines.progress([run])).toEqual([progressOf({ run })]);
      expect(await pipelines.load({ ...placeOf(run), ...gone }, ['a'])).toEqual([]);
      expect(await pipelines.load(placeOf(run), ['a'])).toEqual([rows[0]]);
    });

    it('is gone with all that it has when it is removed, and can be removed again', async () => {
      const { pipelines } = contract.store;
      const [run, kept] = [newRun(), newRun()];
      for (const each of [run, kept])
        await pipelines.save([rowOf({ run: each, name: 'a' })], [progressOf({ run: each })]);
      expect(await pipelines.runs()).toEqual(expect.arrayContaining([run, kept]));
      await pipelines.removeRun(run);
      await pipelines.removeRun(run);
      expect(await pipelines.runs()).not.toContain(run);
      expect(await pipelines.load(placeOf(run), ['a'])).toEqual([]);
      expect(await pipelines.progressOf(placeOf(run))).toBeUndefined();
      expect(await pipelines.runs()).toContain(kept);
      expect(await pipelines.progress([run, kept])).toEqual([progressOf({ run: kept })]);
    });
  });
}
