import { describe, expect, it } from 'vitest';
import { entityHash, streamNameOf } from '#event';
import { deadLetterOf, eventRow, newStream, second, t0 } from './rows.js';
import type { StoreContractFixture } from './store-contract.js';

/** Specs of what the scrub reads: the rows that exist, what the store remembers of offsets, and versions. */
export function describeScrubbing(contract: StoreContractFixture): void {
  describe('a scrub', () => {
    const at = (stream: string, offset: number, version: number | null = null) =>
      eventRow({
        ...{ stream, partition: 1, offset, version, entity_id: version === null ? null : 'e' },
        ingested_at: t0 + offset * second,
      });

    it('reads the events of an offset range of one partition, ordered by offset', async () => {
      const stream = newStream();
      const rows = [at(stream, 7), at(stream, 3), at(stream, 5, 1), at(stream, 9, 2)];
      await contract.write([...rows, eventRow({ stream, partition: 0, offset: 4 })]);
      const range = { stream, partition: 1, from: 4, until: 9 };
      for (const isEqual of [true, false]) {
        expect(await contract.store.scrub.eventsIn(range, isEqual)).toEqual([
          { offset: 5, event_id: rows[2]!.event_id, complete: true },
          { offset: 7, event_id: rows[0]!.event_id, complete: true },
        ]);
      }
      await contract.write(rows);
      expect(await contract.store.scrub.unequalRanges(range)).toEqual([]);
    });

    it('reads which offsets were stored, were removed since, and are dead letters', async () => {
      const stream = newStream();
      const far = 3 * 1_048_576;
      await contract.write([at(stream, 2, 1), at(stream, 3), at(stream, 8, 2), at(stream, far)]);
      const letter = { stream, partition: 1, source: 'materializer' };
      await contract.store.writer.appendDeadLetters([
        deadLetterOf({ ...letter, offset: 4, created_at: t0 + 9 * second }),
        deadLetterOf({ ...letter, offset: 5, partition: 0, created_at: t0 + 9 * second }),
        deadLetterOf({ ...letter, offset: 6, source: 'pipeline:p', created_at: t0 + 9 * second }),
      ]);
      const remembered = async (from: number, until: number) => {
        const found = await contract.store.scrub.rememberedOffsets({ stream, partition: 1, from, until });
        return Object.values(found).map((offsets: number[]) => offsets.sort((a, b) => a - b));
      };
      expect(await remembered(2, 10)).toEqual([[2, 3, 8], [], [4]]);
      expect(await contract.store.scrub.firstRemovedOffset(stream, 1)).toBeUndefined();
      await contract.store.eraser.expire({ stream, before: t0 + 3 * second });
      const erasure = { stream, entityHash: entityHash(streamNameOf(stream), 'e'), before: { 1: 9 } };
      await contract.store.eraser.eraseEntity(erasure);
      expect(await remembered(2, 10)).toEqual([[2, 3, 8], [2, 8], [4]]);
      expect(await contract.store.scrub.firstRemovedOffset(stream, 1)).toBe(2);
      expect(await remembered(3, 8)).toEqual([[3], [], [4]]);
      expect(await remembered(far - 65_000, far + 1)).toEqual([[far], [], []]);
      expect(await remembered(far - 65_000, far)).toEqual([[], [], []]);
    });

    it('reads the versions of entities in and around an offset range', async () => {
      const stream = newStream();
      const rows = [1, 2, 4, 6, 8, 9].map((offset, i) => at(stream, offset, i + 1));
      await contract.write(rows);
      const range = { stream, partition: 1, from: 4, until: 7 };
      const found = await contract.store.scrub.knownVersions({ ...range, entityIds: ['e', 'unknown'] });
      const texts = found.map((one) => `${one.offset}: ${one.version} ${one.event_id}`);
      const expected = rows.slice(1, 5).map((row) => `${row.offset}: ${row.version} ${row.event_id}`);
      expect([...new Set(texts)].sort()).toEqual([...expected, '9: 6 null']);
      expect(found.every(({ entity_id }) => entity_id === 'e')).toBe(true);
    });
  });
}
