import { describe, expect, it } from 'vitest';
import { allStreams } from '#api';
import { entityHash } from '#event';
import { newStream, second, t0 } from '../../../core/store/contract/rows.js';
import { entityRows, snapshotOf, type SnapshotsContractFixture } from './entity-snapshots.fixture.js';

/** Specs of removing snapshots: a snapshot is removed together with its first event. */
export function describeRemovedSnapshots(contract: SnapshotsContractFixture): void {
  describe('removing snapshots with their events', () => {
    const versions = async (stream: string) => {
      const { items, total } = await contract.snapshots.snapshots({
        ...{ access: allStreams, stream, limit: 100 },
      });
      expect(total).toBe(items.length);
      return items.map(({ version }) => version);
    };
    /** Six events, two snapshots that begin with the first event, and one that begins with the fourth. */
    const given = async (stream: string) => {
      const rows = entityRows(stream, 6);
      await contract.write(rows);
      for (const version of [2, 4]) await contract.snapshots.save(snapshotOf(rows.slice(0, version)));
      await contract.snapshots.save(snapshotOf(rows.slice(3)));
      return rows;
    };
    const byHash = (stream: string, before: number, entityId?: string) =>
      contract.store.eraser.eraseEntity({
        ...{ stream, entityHash: entityHash(stream, 'e'), entityId, before: { 0: before } },
      });

    it.each([['e'], [undefined]])(
      'erases the snapshots of an erased entity (entity id: %s)',
      async (entityId) => {
        const [stream, other] = [newStream(), newStream()];
        await given(stream);
        await given(other);
        await byHash(stream, 3, entityId);
        expect(await versions(stream)).toEqual([6]);
        await byHash(stream, 100, entityId);
        expect(await versions(stream)).toEqual([]);
        expect(await versions(other)).toEqual([6, 4, 2]);
      },
    );

    it('erases a snapshot whose last event is erased, although its first event is newer', async () => {
      const stream = newStream();
      const rows = await given(stream);
      await byHash(stream, 100, 'e');
      await contract.snapshots.save({
        ...snapshotOf(rows),
        first: { ...snapshotOf(rows).first, offset: 200 },
      });
      await byHash(stream, 100, 'e');
      expect(await versions(stream)).toEqual([]);
    });

    it('counts the removed events of each partition, each once', async () => {
      const [stream, other] = [newStream(), newStream()];
      const removed = () => contract.snapshots.removedEvents(stream);
      await given(stream);
      await given(other);
      await contract.write(entityRows(stream, 2, () => ({ partition: 1, entity_id: 'f' })));
      expect(await removed()).toEqual(new Map());
      await byHash(stream, 3, 'e');
      expect(await removed()).toEqual(new Map([[0, 3]]));
      await byHash(stream, 3, 'e');
      await contract.store.eraser.truncate({ stream, partition: 1, before: 1 });
      expect(await removed()).toEqual(
        new Map([
          [0, 3],
          [1, 1],
        ]),
      );
    });

    it('erases a snapshot that was saved after its entity was erased', async () => {
      const stream = newStream();
      const rows = await given(stream);
      await byHash(stream, 100, 'e');
      await contract.snapshots.save(snapshotOf(rows));
      const { items, total } = await contract.snapshots.snapshots({
        ...{ access: allStreams, stream, limit: 1 },
      });
      expect([items, total]).toEqual([[], 1]);
      await byHash(stream, 100);
      expect(await versions(stream)).toEqual([]);
    });

    it('removes a snapshot when its first event expires or is truncated', async () => {
      const [expired, truncated] = [newStream(), newStream()];
      await given(expired);
      await given(truncated);
      await contract.store.eraser.expire({ stream: expired, before: t0 + second });
      expect(await versions(expired)).toEqual([6]);
      await contract.store.eraser.truncate({
        ...{ stream: truncated, partition: 0, before: 1 },
      });
      expect(await versions(truncated)).toEqual([6]);
    });

    it('removes the snapshots of a dropped stream, and keeps those of the next stream with the same name', async () => {
      const name = newStream();
      const [former, next] = [`${name}#1`, `${name}#2`];
      await given(former);
      const later = entityRows(next, 2);
      await contract.write(later);
      await contract.snapshots.save(snapshotOf(later));
      await contract.store.eraser.dropStream(former);
      expect(await versions(former)).toEqual([]);
      const query = { access: allStreams, stream: next, entityId: 'e', upTo: 100 };
      expect(await contract.snapshots.nearest(query)).toEqual({ ...snapshotOf(later), stream: name });
    });
  });
}
