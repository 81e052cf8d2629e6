import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FencedError } from '#engine';
import { MemoryStore } from '#store/memory';
import type { StateEntry } from '#features/pipelines/computation';
import { PartitionRowCache, RowCacheBudget } from './partition-row-cache.js';

const place = { owner: 'r', stage: 's', stream: '', partition: 0 };
const until = Number.MAX_SAFE_INTEGER;
const row = (closesAt: number): StateEntry => ({ state: { first: closesAt }, closesAt });

class RowCacheTestBed {
  readonly store = new MemoryStore().pipelines;
  position = 0;

  rows(complete: boolean, bounds = { keys: 2, weight: 1e9 }, closedTo = -1): PartitionRowCache {
    const source = {
      load: (names: readonly string[]) => this.store.load(place, names),
      due: (query: { after: { closes_at: number; key: string }; limit: number }) =>
        this.store.due(place, { ...query, until }),
    };
    return new PartitionRowCache({ complete, closedTo }, { source, budget: new RowCacheBudget(bounds) });
  }

  async save(rows: PartitionRowCache): Promise<void> {
    const saving = rows.toSave(place, 0);
    await this.store.save(saving.rows, []);
    saving.saved();
  }

  set(rows: PartitionRowCache, name: string, closesAt: number): void {
    rows.set(name, row(closesAt), { position: this.position++, weight: 10 });
  }
}

async function dueOf(rows: PartitionRowCache, watermark: number, before = 1e6): Promise<string[]> {
  const names: string[] = [];
  for await (const page of rows.due(watermark, before))
    for (const name of page) {
      expect(rows.get(name)).toBeDefined();
      names.push(name);
      rows.close(name);
    }
  return names;
}

describe('The rows of a partition', () => {
  it('are due in the order of closing time and key, cached or stored', async () => {
    const world = new RowCacheTestBed();
    const rows = world.rows(true);
    for (const [name, at] of [
      ['z', 3],
      ['b', 5],
      ['a', 5],
      ['c', 9],
      ['🎉', 5],
      ['\uffee', 5],
    ] as const) {
      world.set(rows, name, at);
      rows.settle();
      await world.save(rows);
    }
    expect(rows.size).toBeLessThan(6);
    world.set(rows, 'new', 4);
    expect(await dueOf(rows, 5)).toEqual(['z', 'new', 'a', 'b', '\uffee', '🎉']);
    expect(rows.isDue(8)).toBe(false);
    expect(rows.isDue(9)).toBe(true);
    expect(await dueOf(rows, 9)).toEqual(['c']);
  });

  it('are not saved before their outputs are written', async () => {
    const world = new RowCacheTestBed();
    const rows = world.rows(true);
    world.set(rows, 'a', 5);
    expect(rows.toSave(place, 0).rows).toEqual([]);
    rows.settle();
    world.set(rows, 'a', 6);
    expect(rows.toSave(place, 0).rows).toMatchObject([{ key: 'a', closes_at: 5 }]);
    expect(rows.get('a')?.closesAt).toBe(6);
  });

  it('no longer exist after they have closed, even if they are still stored', async () => {
    const world = new RowCacheTestBed();
    const rows = world.rows(true);
    world.set(rows, 'a', 5);
    rows.settle();
    await world.save(rows);
    expect(await dueOf(rows, 5)).toEqual(['a']);
    rows.settle();
    const next = world.rows(false, { keys: 2, weight: 1e9 }, 5);
    await next.fetch(new Set(['a']), 1e6);
    expect(next.get('a')).toBeUndefined();
    expect(await dueOf(next, 9)).toEqual([]);
  });

  it('are not loaded from the store if they are changed before they are due again', async () => {
    const world = new RowCacheTestBed();
    const rows = world.rows(false);
    for (const name of ['a', 'b', 'c']) world.set(rows, name, 5);
    rows.settle();
    await world.save(rows);
    rows.settle();
    await rows.fetch(new Set(['a']), 1e6);
    world.set(rows, 'a', 20);
    expect(await dueOf(rows, 5)).toEqual(['b', 'c']);
  });

  it('reveal that this process is fenced if another process has saved rows from later records', async () => {
    const world = new RowCacheTestBed();
    const other = world.rows(true);
    world.position = 7;
    world.set(other, 'a', 5);
    other.settle();
    await world.save(other);
    await expect(world.rows(false).fetch(new Set(['a']), 7)).rejects.toThrow(FencedError);
    await expect(dueOf(world.rows(false), 9, 7)).rejects.toThrow(FencedError);
  });

  it('close, and are counted, as if all were cached, for any changes and bounds', async () => {
    const action = fc.oneof(
      fc.record({ name: fc.constantFrom(...'abcdefgh'), closesIn: fc.nat(9) }),
      fc.record({ advance: fc.nat(6) }),
      fc.constantFrom('save' as const, 'settle' as const),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(action, { maxLength: 60 }), fc.nat(5), async (actions, most) => {
        const play = async (bound: number): Promise<string[]> => {
          const world = new RowCacheTestBed();
          const rows = world.rows(true, { keys: bound, weight: 1e9 });
          const seen: string[] = [];
          let watermark = 0;
          for (const one of actions) {
            if (one === 'settle') rows.settle();
            else if (one === 'save') await world.save(rows);
            else if ('advance' in one) {
              watermark += one.advance;
              if (rows.isDue(watermark)) seen.push(...(await dueOf(rows, watermark)));
              else rows.passTo(watermark);
            } else {
              await rows.fetch(new Set([one.name]), 1e6);
              const before = rows.get(one.name)?.closesAt ?? 0;
              world.set(rows, one.name, Math.max(before, watermark + 1 + one.closesIn));
            }
            seen.push(`${rows.count} rows`);
          }
          return [...seen, ...(await dueOf(rows, 1e6)), `${rows.count} rows`];
        };
        const closed = await play(most);
        expect(closed).toEqual(await play(1000));
        expect(closed.at(-1)).toBe('0 rows');
      }),
      { numRuns: 300 },
    );
  });
});
