import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { allStreams } from '#api';
import { InvalidCursorError, type EventRow } from '#store';
import { newStream, rowsOf, second, t0 } from '../../../core/store/contract/rows.js';
import type { EntitySnapshot, EntitySnapshotsQuery, EventOffsetAndTimestamps } from './entity-snapshot.js';
import { describeRemovedSnapshots } from './removed-entity-snapshots.contract.js';
import {
  entityRows,
  eventKeyOf,
  snapshotOf,
  SnapshotsContractFixture,
  type OpenSnapshots,
} from './entity-snapshots.fixture.js';

/**
 * The contract suite of the snapshots of entities, and of the events that they are derived from. Each removal test opens
 * a store of its own, as in the contract of the store.
 */
export function describeEntitySnapshots(name: string, open: OpenSnapshots): void {
  describe(`snapshots of entities in ${name}`, () => {
    const contract = new SnapshotsContractFixture(open);
    beforeAll(() => contract.open());
    afterAll(() => contract.close());
    describeSnapshots(contract);
  });

  describe(`snapshots of entities in ${name} with removals`, () => {
    const contract = new SnapshotsContractFixture(open);
    beforeEach(() => contract.open());
    afterEach(() => contract.close());
    describeRemovedSnapshots(contract);
  });
}

function describeSnapshots(contract: SnapshotsContractFixture): void {
  const of = (stream: string, entityId = 'e') => ({ access: allStreams, stream, entityId });
  const snapshots = () => contract.snapshots;
  const list = (query: Partial<EntitySnapshotsQuery>) =>
    snapshots().snapshots({ access: allStreams, limit: 100, ...query });

  describe('the history of an entity', () => {
    it('returns the requested versions in order, each once however often it was written', async () => {
      const stream = newStream();
      const rows = entityRows(stream, 9, (i) => ({ timestamp: t0 + ((i * 7) % 9) * second }));
      await contract.write([...rows].reverse());
      await contract.write(rows.slice(3, 6));
      await contract.write(
        rowsOf(stream, 3, (i) => ({ entity_id: 'other', version: i + 1, offset: 50 + i })),
      );
      const history = await snapshots().history({ ...of(stream), after: 2, upTo: 7 });
      expect(history).toEqual(
        rows.slice(2, 7).map((row) => ({ ...eventKeyOf(row), version: row.version, data: row.data })),
      );
      expect(await snapshots().versionRange(of(stream))).toEqual({ first: 1, last: 9 });
    });

    it('is returned for many entities together, each in its own range of versions', async () => {
      const stream = newStream();
      const ofA = entityRows(stream, 9, (i) => ({ entity_id: 'a', timestamp: t0 + ((i * 7) % 9) * second }));
      const ofB = entityRows(stream, 4, (i) => ({ entity_id: 'b', offset: 50 + i }));
      await contract.write([...ofA, ...ofB].reverse());
      await contract.write(ofA.slice(3, 6));
      await contract.write(entityRows(newStream(), 9, () => ({ entity_id: 'a' })));
      const entities = [
        { entityId: 'a', after: 2, upTo: 7 },
        { entityId: 'b', after: 0, upTo: 100 },
        { entityId: 'nobody', after: 0, upTo: 100 },
      ];
      const events = (rows: EventRow[]) =>
        rows.map((row) => ({ ...eventKeyOf(row), version: row.version, data: row.data }));
      expect(await snapshots().historyOf({ stream, entities })).toEqual(
        new Map([
          ['a', events(ofA.slice(2, 7))],
          ['b', events(ofB)],
        ]),
      );
    });

    it('has versions that are found by the partitions and offsets of many events', async () => {
      const stream = newStream();
      const rows = entityRows(stream, 6, (i) => ({ timestamp: t0 + ((i * 5) % 6) * second }));
      const noEntity = rowsOf(stream, 1, () => ({ entity_id: null, version: null, offset: 70 }))[0]!;
      await contract.write([...rows, noEntity]);
      await contract.write(entityRows(newStream(), 6));
      const keys = [rows[4]!, rows[1]!, noEntity].map(eventKeyOf);
      const others = [
        { ...keys[0]!, partition: 1 },
        { ...keys[0]!, offset: 60 },
      ];
      const found = await snapshots().versionsAt({ stream, keys: [...keys, ...others] });
      const expected = keys.map((key, i) => ({ ...key, version: [5, 2, 0][i] }));
      const byOffset = (a: EventOffsetAndTimestamps, b: EventOffsetAndTimestamps) => a.offset - b.offset;
      expect(found.sort(byOffset)).toEqual(expected.sort(byOffset));
      expect(await snapshots().versionsAt({ stream, keys: [] })).toEqual([]);
    });

    it('is limited to a time, inclusive, and ordered by version', async () => {
      const stream = newStream();
      const rows = entityRows(stream, 4, (i) => ({ timestamp: t0 + [5, 2, 9, 5][i]! * second }));
      await contract.write(rows);
      const asOf = t0 + 5 * second;
      const history = await snapshots().history({ ...of(stream), after: 0, upTo: 100, asOf });
      expect(history.map(({ version }) => version)).toEqual([1, 2, 4]);
      expect(await snapshots().versionRange({ ...of(stream), asOf: t0 + 3 * second })).toEqual({
        first: 2,
        last: 2,
      });
      expect(await snapshots().versionRange({ ...of(stream), asOf: t0 + second })).toBeUndefined();
    });

    it('contains no event of another entity or outside the authorization scope', async () => {
      const stream = newStream();
      await contract.write(entityRows(stream, 2));
      expect(await snapshots().versionRange(of(stream, 'nobody'))).toBeUndefined();
      expect(await snapshots().versionRange(of(newStream()))).toBeUndefined();
      for (const scope of [
        { access: { patterns: ['other*'], reserved: false } },
        { access: allStreams, hidden: [stream] },
      ]) {
        expect(await snapshots().versionRange({ ...of(stream), ...scope })).toBeUndefined();
        expect(await snapshots().history({ ...of(stream), ...scope, after: 0, upTo: 9 })).toEqual([]);
      }
    });
  });

  describe('snapshots', () => {
    it('are returned as they were saved; a repeated save replaces the snapshot', async () => {
      const stream = newStream();
      const rows = entityRows(stream, 3, (i) => ({ timestamp: t0 - 3e15 - i }));
      await contract.write(rows);
      const snapshot = snapshotOf(rows, {
        state: '{"big":12345678901234567890,"ü":"😀"}',
        reason: 'requested',
      });
      await snapshots().save(snapshot);
      await snapshots().save(snapshot);
      expect(await list({ stream })).toEqual({ items: [snapshot], total: 1 });
      expect(await snapshots().nearest({ ...of(stream), upTo: 3 })).toEqual(snapshot);
      expect(await snapshots().nearest({ ...of(stream), upTo: 2 })).toBeUndefined();
    });

    it('are found by the nearest version, and with a time only if all their events are within it', async () => {
      const stream = newStream();
      const rows = entityRows(stream, 6, (i) => ({ timestamp: t0 + [0, 1, 8, 3, 4, 9][i]! * second }));
      await contract.write(rows);
      for (const version of [2, 4, 5]) await snapshots().save(snapshotOf(rows.slice(0, version)));
      const nearest = async (upTo: number, asOf?: number) =>
        (await snapshots().nearest({ ...of(stream), upTo, asOf }))?.version;
      expect(await nearest(6)).toBe(5);
      expect(await nearest(4)).toBe(4);
      expect(await nearest(6, t0 + 8 * second)).toBe(5);
      expect(await nearest(6, t0 + 7 * second)).toBe(2);
      expect(await nearest(6, t0)).toBeUndefined();
    });

    it('are listed in pages by stream or entity, newest first', async () => {
      const [a, b] = [newStream(), newStream()];
      const entity_id = randomUUID();
      const [ofA, ofB] = [a, b].map((stream) => entityRows(stream, 5, () => ({ entity_id })));
      await contract.write([...ofA!, ...ofB!]);
      for (const rows of [ofA!, ofB!])
        for (const version of [1, 2, 3, 4, 5]) await snapshots().save(snapshotOf(rows.slice(0, version)));
      const inA = await list({ stream: a });
      expect(inA.items.map(({ version }) => version)).toEqual([5, 4, 3, 2, 1]);
      expect(inA.total).toBe(5);
      expect((await list({ stream: a, entityId: 'nobody' })).items).toEqual([]);
      const seen: EntitySnapshot[] = [];
      let cursor: string | undefined;
      do {
        const page = await list({ entityId: entity_id, limit: 3, cursor });
        expect(page.total).toBe(10);
        seen.push(...page.items);
        cursor = page.nextCursor;
      } while (cursor);
      expect(seen.map(({ version }) => version)).toEqual([5, 5, 4, 4, 3, 3, 2, 2, 1, 1]);
      expect(new Set(seen.map(({ stream }) => stream))).toEqual(new Set([a, b]));
      const other = list({ stream: b, cursor: (await list({ stream: a, limit: 1 })).nextCursor });
      await expect(other).rejects.toBeInstanceOf(InvalidCursorError);
    });

    it('are hidden from a caller that may not see their stream', async () => {
      const stream = newStream();
      const entity_id = randomUUID();
      const rows = entityRows(stream, 1, () => ({ entity_id }));
      await contract.write(rows);
      await snapshots().save(snapshotOf(rows));
      for (const scope of [
        { access: { patterns: ['other*'], reserved: false } },
        { access: allStreams, hidden: [stream] },
      ]) {
        expect(await list({ ...scope, entityId: entity_id })).toEqual({ items: [], total: 0 });
        expect(await list({ ...scope, stream })).toEqual({ items: [], total: 0 });
        const nearest = { ...of(stream, entity_id), ...scope, upTo: 1 };
        expect(await snapshots().nearest(nearest)).toBeUndefined();
      }
    });

    it('are not current if their first or last event is not stored, and removeStale removes them', async () => {
      const stream = newStream();
      const rows = entityRows(stream, 5);
      await contract.write(rows);
      const good = snapshotOf(rows.slice(0, 2));
      const gone = (place: EventOffsetAndTimestamps) => ({ ...place, ingested_at: place.ingested_at - 1 });
      const [third, fourth] = [snapshotOf(rows.slice(0, 3)), snapshotOf(rows.slice(0, 4))];
      const late = [
        { ...third, first: gone(third.first) },
        { ...fourth, last: gone(fourth.last) },
      ];
      for (const snapshot of [good, ...late]) await snapshots().save(snapshot);
      expect(await snapshots().nearest({ ...of(stream), upTo: 5 })).toEqual(good);
      expect((await list({ stream })).items).toEqual([good]);
      const seen: EntitySnapshot[] = [];
      let cursor: string | undefined;
      do {
        const page = await list({ stream, limit: 1, cursor });
        seen.push(...page.items);
        cursor = page.nextCursor;
      } while (cursor);
      expect(seen).toEqual([good]);
      await snapshots().removeStale({ stream, entityId: 'e' });
      expect(await list({ stream })).toEqual({ items: [good], total: 1 });
    });

    it('of many entities are found together by their nearest versions, without those that are not current', async () => {
      const stream = newStream();
      const rows = ['a', 'b', 'c', 'it\'s \\ "ř"'].map((entity_id) =>
        entityRows(stream, 6, () => ({ entity_id })),
      );
      const [ofA, ofB, ofC, odd] = rows as [EventRow[], EventRow[], EventRow[], EventRow[]];
      for (const [i, some] of rows.entries())
        await contract.write(some.map((row) => ({ ...row, offset: row.offset + 10 * i })));
      const at = (all: EventRow[], i: number, version: number) =>
        snapshotOf(all.slice(0, version).map((row) => ({ ...row, offset: row.offset + 10 * i })));
      const gone = at(ofC, 2, 4);
      const stale = { ...gone, last: { ...gone.last, ingested_at: gone.last.ingested_at - 1 } };
      const saved = [at(ofA, 0, 2), at(ofA, 0, 5), at(ofB, 1, 3), stale, at(odd, 3, 6)];
      await snapshots().saveAll(saved);
      const entities = [...['a', 'c', 'nobody', odd[0]!.entity_id!].map((id) => [id, 6]), ['b', 3]];
      const query = entities.map(([entityId, upTo]) => ({
        entityId: entityId as string,
        upTo: upTo as number,
      }));
      const found = await snapshots().nearestOf({ stream, entities: query });
      expect(found).toEqual(new Map([saved[1]!, saved[2]!, saved[4]!].map((one) => [one.entity_id, one])));
      const before = await snapshots().nearestOf({
        stream,
        entities: query.map((one) => ({ ...one, upTo: 2 })),
      });
      expect([...before.values()]).toEqual([saved[0]]);
      expect(await snapshots().nearestOf({ stream: newStream(), entities: query })).toEqual(new Map());
      expect(await snapshots().current(saved)).toEqual(saved.filter((one) => one !== stale));
      expect(await snapshots().current([])).toEqual([]);
    });

    it('with large states make a page shorter than its limit', async () => {
      const stream = newStream();
      const rows = entityRows(stream, 4);
      await contract.write(rows);
      const state = `{"x":"${'y'.repeat(9 * 1024 * 1024)}"}`;
      for (const version of [1, 2]) await snapshots().save(snapshotOf(rows.slice(0, version), { state }));
      const first = await list({ stream });
      expect(first.items.map(({ version }) => version)).toEqual(first.nextCursor ? [2] : [2, 1]);
      const second = first.nextCursor ? await list({ stream, cursor: first.nextCursor }) : { items: [] };
      expect(first.items.length + second.items.length).toBe(2);
    });
  });
}
