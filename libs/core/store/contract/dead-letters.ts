import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { InvalidCursorError } from '../errors.js';
import { maxDeadLetterIds } from '../store.js';
import { deadLetterOf, newStream, second, t0 } from './rows.js';
import type { StoreContractFixture } from './store-contract.js';

/**
 * Adds the specs of a store for dead letters: records that could not become events, and events that could not be
 * processed.
 */
export function describeDeadLetters(contract: StoreContractFixture): void {
  describe('dead letters', () => {
    const newSource = () => `m-${randomUUID()}`;
    const write = (letters: Parameters<typeof deadLetterOf>[0][]) =>
      contract.store.writer.appendDeadLetters(letters.map(deadLetterOf));
    const idsOf = async (source: string) =>
      (await contract.deadLetters({ source, limit: 100 })).items.map(({ id }) => id).toReversed();

    it('are listed once each, newest first', async () => {
      const source = newSource();
      const stream = 'orders';
      const letters = [t0, t0, t0 + second, t0 + 2 * second].map((created_at, i) =>
        deadLetterOf({ source, stream, offset: i + 1, created_at }),
      );
      await contract.store.writer.appendDeadLetters(letters.slice(0, 3));
      await contract.store.writer.appendDeadLetters(letters.slice(1));
      const first = await contract.deadLetters({ source, limit: 3 });
      expect(first.total).toBe(4);
      expect(first.items.map((item) => item.offset)).toEqual([4, 3, 2]);
      expect(first.items[0]).toEqual({ ...letters[3], id: first.items[0]?.id, replayed_at: null });
      const rest = await contract.deadLetters({ source, limit: 3, cursor: first.nextCursor });
      expect(rest.items.map((item) => item.offset)).toEqual([1]);
      expect(new Set([...first.items, ...rest.items].map((item) => item.id)).size).toBe(4);
      const early = await contract.deadLetters({ source, since: t0, until: t0 + second, limit: 3 });
      expect(early).toMatchObject({ total: 2, items: [{ offset: 2 }, { offset: 1 }] });
      for (const changed of [{ source: 'other' }, { ids: [] }, { replayed: false }]) {
        const other = contract.deadLetters({ source, limit: 3, cursor: first.nextCursor, ...changed });
        await expect(other).rejects.toBeInstanceOf(InvalidCursorError);
      }
    });

    it('are returned in pages within the byte limit, with at least one dead letter', async () => {
      const source = newSource();
      const sizes = [10, 900, 2_000, 10, 10];
      await write(
        sizes.map((size, i) => ({
          ...{ source, stream: 'orders', offset: i + 1, created_at: t0 - i },
          event: 'x'.repeat(size),
        })),
      );
      const pages: number[][] = [];
      let cursor: string | undefined;
      do {
        const found = await contract.deadLetters({ source, limit: 4, maxBytes: 1_000, cursor });
        pages.push(found.items.map(({ offset }) => offset));
        expect(found.total).toBe(5);
        cursor = found.nextCursor;
      } while (cursor !== undefined);
      expect(pages).toEqual([[1, 2], [3], [4, 5]]);
    });

    it('are found by id', async () => {
      const [source, stream] = [newSource(), `it's ${newStream()}`];
      await write([1, 2, 3].map((offset) => ({ source, stream, offset, created_at: t0 + offset })));
      const [one, , three] = (await idsOf(source)) as [string, string, string];
      const find = async (ids: string[]) =>
        (await contract.deadLetters({ ids, limit: 10 })).items.map((letter) => letter.offset);
      expect(await find([one, three, one])).toEqual([3, 1]);
      expect(await find([])).toEqual([]);
      const [partition, offset, hash] = one.split('.') as [string, string, string];
      const noIds = ['', 'x', '💥', `${one}x`, `${partition}.${offset}`, `70000.${offset}.${hash}`];
      noIds.push(`${partition}.9${'9'.repeat(15)}.${hash}`, `${partition}.0${offset}.${hash}`);
      noIds.push(`${partition}.${Number(offset) + 70}.${hash}`, `${partition}.${offset}.${'a'.repeat(12)}`);
      expect(await find([...noIds, three])).toEqual([3]);
      expect((await contract.deadLetters({ ids: [one, three], source: 'other', limit: 10 })).total).toBe(0);
      const tooMany = Array.from({ length: maxDeadLetterIds + 1 }, () => one);
      await expect(find(tooMany)).rejects.toBeInstanceOf(RangeError);
      await expect(contract.store.writer.markReplayed(tooMany, t0)).rejects.toBeInstanceOf(RangeError);
    });

    it('of a pipeline can share one offset: each failure location has its own dead letter and replay mark', async () => {
      const [source, stream] = [newSource(), newStream()];
      const step = { run: 'a'.repeat(24), operator: '/operators/0/map', stream, path: '', replay: 0 };
      const steps = [
        step,
        { ...step, operator: "/operators/1/branch/0/operators/0/map/data/it's" },
        { ...step, path: '0/1234567890abcdef:0:ключ "a"' },
        { ...step, replay: 7 },
        { ...step, run: 'b'.repeat(24) },
        { ...step, stream: '' },
      ];
      const letters = steps.map((one) => ({ source, stream, offset: 1, step: one }));
      await write([...letters, { source, stream, offset: 1 }]);
      await write(letters);
      const all = await contract.deadLetters({ source, limit: 100 });
      expect(all.total).toBe(7);
      const found = new Map(all.items.map(({ id, step: one }) => [id, one]));
      expect(found.size).toBe(7);
      expect([...found.values()]).toEqual(expect.arrayContaining([...steps, undefined]));

      const shown = [];
      for (let cursor: string | undefined; shown.length < 7;) {
        const page = await contract.deadLetters({ source, limit: 2, cursor });
        shown.push(...page.items.map(({ id }) => id));
        cursor = page.nextCursor;
      }
      expect(new Set(shown)).toEqual(new Set(found.keys()));

      const [marked] = all.items.filter(({ step: one }) => one?.replay === 7);
      await contract.store.writer.markReplayed([marked!.id], t0);
      await write(letters);
      const replayed = await contract.deadLetters({ source, replayed: true, limit: 100 });
      expect(replayed.items).toEqual([{ ...marked, replayed_at: t0 }]);
      expect((await contract.deadLetters({ ids: [marked!.id], limit: 10 })).items).toEqual(replayed.items);
    });

    it('show the time of their replay, and keep it when they are written again', async () => {
      const [source, stream] = [newSource(), newStream()];
      const letters = [1, 2, 3].map((offset) => ({ source, stream, offset, created_at: t0 + offset }));
      await write(letters);
      const [one, two, three] = (await idsOf(source)) as [string, string, string];
      const { writer } = contract.store;
      await writer.markReplayed([], t0);
      await writer.markReplayed([one, 'x', three], t0 + 100);
      await writer.markReplayed([three], t0 + 200);
      await writer.markReplayed([three], t0 + 150);
      await write(letters.map((letter) => ({ ...letter, created_at: letter.created_at + 3600 * second })));
      const replayed = async (filter: { replayed?: boolean } = {}) => {
        const { items, total } = await contract.deadLetters({ source, limit: 10, ...filter });
        expect(total).toBe(items.length);
        return items.map((letter) => [letter.id, letter.replayed_at]);
      };
      expect(await replayed()).toEqual([
        [three, t0 + 200],
        [two, null],
        [one, t0 + 100],
      ]);
      expect(await replayed({ replayed: false })).toEqual([[two, null]]);
      expect(await replayed({ replayed: true })).toEqual([
        [three, t0 + 200],
        [one, t0 + 100],
      ]);
    });

    it('at the same offset with another event are not marked as replayed', async () => {
      const [source, stream] = [newSource(), newStream()];
      await write([{ source, stream, offset: 1, event: 'of a topic' }]);
      const ids = await idsOf(source);
      await contract.store.writer.markReplayed(ids, t0);
      await write([{ source, stream, offset: 1, event: 'of its successor' }]);
      expect((await contract.deadLetters({ ids, limit: 10 })).items).toMatchObject([{ replayed_at: null }]);
    });
  });
}
