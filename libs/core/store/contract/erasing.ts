import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { allStreams } from '#api';
import { entityHash } from '#event';
import type { EntityErasure } from '../event-remover.js';
import type { AuthorizationScope } from '../store.js';
import { eventRow, deadLetterOf, newStream, offsetsOf, second, t0 } from './rows.js';
import type { StoreContractFixture } from './store-contract.js';

/**
 * Events of `a` and `b` alternately, in two partitions; the versions of each entity continue across
 * partitions.
 */
const mixed = (stream: string, count = 8) =>
  Array.from({ length: count }, (_, i) =>
    eventRow({
      stream,
      partition: i % 4 < 2 ? 0 : 1,
      offset: i,
      entity_id: i % 2 ? 'b' : 'a',
      version: Math.floor(i / 2) + 1,
    }),
  );

/** Adds the specs of a store for erasing an entity: its data is removed, and nothing else. */
export function describeErasing(contract: StoreContractFixture): void {
  describe('erasing an entity', () => {
    const erase = (stream: string, erasure: Partial<EntityErasure> = {}) =>
      contract.store.eraser.eraseEntity({
        stream,
        entityHash: entityHash(stream, erasure.entityId ?? 'a'),
        entityId: 'a',
        before: { 0: 1000, 1: 1000 },
        ...erasure,
      });
    const byHash = (stream: string, before: EntityErasure['before'] = { 0: 1000, 1: 1000 }) =>
      erase(stream, { entityId: undefined, entityHash: entityHash(stream, 'a'), before });
    const heads = async (stream: string) =>
      (await contract.entities({ stream, limit: 10 })).items.map((head) => [head.entity_id, head.version]);
    const versionsOf = (stream: string, partition: number, before = 10_000) =>
      contract.store.writer.latestVersions({ stream, partition, entityIds: ['a', 'b'], before });

    it.each([
      ['by its id', erase],
      ['by its hash alone', byHash],
    ])('%s removes it from every answer, and does not affect other entities', async (_how, eraseIt) => {
      const [stream, other] = [newStream(), newStream()];
      const rows = mixed(stream);
      await contract.write([...rows, ...mixed(other)]);
      const counted = { stream, entityHash: entityHash(stream, 'a'), entityId: 'a' };
      const count = (before: EntityErasure['before']) =>
        contract.store.eraser.countEntity({ ...counted, before });
      expect([await count({ 0: 1000, 1: 1000 }), await count({ 0: 1 })]).toEqual([4, 1]);
      expect(await eraseIt(stream)).toBe(4);
      expect(await count({ 0: 1000, 1: 1000 })).toBe(0);
      expect((await contract.eventsOf(stream)).map((event) => event.entity_id)).toEqual(['b', 'b', 'b', 'b']);
      const ofEntity = { streams: [stream], entityIds: ['a'], limit: 10 } as const;
      expect(offsetsOf(await contract.query({ ...ofEntity, order: 'asc' }))).toEqual([]);
      expect(await contract.count(ofEntity)).toEqual({ buckets: [], total: 0 });
      expect((await contract.count({ streams: [stream], limit: 10 })).total).toBe(4);
      expect(
        (await contract.count({ streams: [stream], eventTypes: ['order.placed'], limit: 10 })).total,
      ).toBe(4);
      expect(await contract.byId(rows[0]?.event_id as string)).toBeUndefined();
      expect(await contract.byId(rows[1]?.event_id as string)).toBeDefined();
      expect(await contract.streams({ streams: [stream] })).toEqual([
        { stream, events: 4, first_timestamp: t0 + second, last_timestamp: t0 + 7 * second },
      ]);
      expect(await heads(stream)).toEqual([['b', 4]]);
      expect(await heads(other)).toEqual([
        ['a', 4],
        ['b', 4],
      ]);
      expect(await contract.eventsOf(other)).toHaveLength(8);
      expect(offsetsOf(await contract.query({ ...ofEntity, streams: [other], order: 'asc' }))).toHaveLength(
        4,
      );
    });

    it('restarts its versions, and no longer reports its events as stored', async () => {
      const stream = newStream();
      await contract.write(mixed(stream));
      await erase(stream);
      expect(await versionsOf(stream, 0)).toEqual(new Map([['b', 3]]));
      expect(await versionsOf(stream, 1)).toEqual(new Map([['b', 4]]));
      const stored = await contract.store.writer.storedEvents({ stream, partition: 0, from: 0, until: 100 });
      expect(stored.map(({ offset }) => offset)).toEqual([1, 5]);
      expect(await contract.store.writer.lastStoredOffset(stream, 0)).toBe(5);
    });

    it('keeps later events, with their own versions', async () => {
      const stream = newStream();
      await contract.write(mixed(stream));
      const later = [20, 21].map((offset) =>
        eventRow({ stream, partition: 0, offset, entity_id: 'a', version: offset - 19 }),
      );
      await contract.write(later);
      expect(await erase(stream, { before: { 0: 20, 1: 1000 } })).toBe(4);
      expect(await heads(stream)).toEqual([
        ['a', 2],
        ['b', 4],
      ]);
      expect(await versionsOf(stream, 0)).toEqual(
        new Map([
          ['a', 2],
          ['b', 3],
        ]),
      );
      expect(await versionsOf(stream, 0, 21)).toEqual(
        new Map([
          ['a', 1],
          ['b', 3],
        ]),
      );
      const found = await contract.query({ streams: [stream], entityIds: ['a'], order: 'asc', limit: 10 });
      expect(offsetsOf(found)).toEqual([20, 21]);
      expect((await contract.count({ streams: [stream], limit: 10 })).total).toBe(6);
    });

    it('allows a lookup of the versions after the erasure, even while erased events are still stored', async () => {
      const stream = newStream();
      await contract.write(mixed(stream));
      const after = (before = 10_000) =>
        contract.store.writer.latestVersions({
          stream,
          partition: 0,
          entityIds: ['a', 'b'],
          before,
          from: 20,
        });
      expect(await after()).toEqual(new Map());
      await contract.write(
        [20, 21].map((offset) =>
          eventRow({ stream, partition: 0, offset, entity_id: 'a', version: offset - 19 }),
        ),
      );
      expect([await after(), await after(21), await after(20)]).toEqual([
        new Map([['a', 2]]),
        new Map([['a', 1]]),
        new Map(),
      ]);
      await erase(stream, { before: { 0: 20 } });
      expect(await after()).toEqual(new Map([['a', 2]]));
    });

    it('keeps the events of partitions that it does not name', async () => {
      const stream = newStream();
      await contract.write(mixed(stream));
      expect(await erase(stream, { before: { 1: 1000 } })).toBe(2);
      const left = await contract.query({ streams: [stream], entityIds: ['a'], order: 'asc', limit: 10 });
      expect(offsetsOf(left)).toEqual([0, 4]);
      expect(await heads(stream)).toEqual([
        ['a', 3],
        ['b', 4],
      ]);
      expect(await erase(stream, { before: {} })).toBe(0);
    });

    it('can be repeated, and then removes only what a writer without its partition has written since', async () => {
      const stream = newStream();
      const rows = mixed(stream);
      await contract.write(rows);
      expect(await erase(stream)).toBe(4);
      expect(await erase(stream)).toBe(0);
      expect(await byHash(stream)).toBe(0);
      await contract.write(rows.slice(2, 5));
      expect(await heads(stream)).toEqual([
        ['a', 3],
        ['b', 4],
      ]);
      expect(await byHash(stream)).toBe(2);
      expect(await heads(stream)).toEqual([['b', 4]]);
      expect((await contract.count({ streams: [stream], limit: 10 })).total).toBe(4);
      expect(await contract.eventsOf(stream)).toHaveLength(4);
    });

    it('removes dead letters that name the entity, and unreadable ones that contain its id', async () => {
      const [stream, other] = [newStream(), newStream()];
      const entityId = `Ann "O'Hara" ${randomUUID()}`;
      const literal = JSON.stringify(entityId);
      const json = `{"event_id":"x","entity_id":${literal},"data":{}}`;
      const base64 = (text: string) => `base64:${Buffer.from(text, 'latin1').toString('base64')}`;
      const texts = [
        json,
        json.slice(0, -2),
        base64(`\xff\xfe${json}`),
        `{"entity_id":"b","data":{"of":${literal}}}`,
        `{"entity_id":"b`,
        base64('\xff\xfe'),
        '',
      ];
      const letters = texts.map((event, offset) => deadLetterOf({ stream, offset, event }));
      const refused = { stream, reason: 'refused_at_intake' };
      const whole = JSON.stringify({ refused: {}, entity_id: entityId, text: 'x' });
      const unknown = JSON.stringify({ refused: {}, entity_id: null, text: `{"user":${literal},` });
      const others = JSON.stringify({ refused: {}, entity_id: 'b', text: `{"user":${literal}}` });
      await contract.store.writer.appendDeadLetters([
        ...letters,
        deadLetterOf({ ...refused, offset: 10, event: whole }),
        deadLetterOf({ ...refused, offset: 11, event: unknown }),
        deadLetterOf({ ...refused, offset: 12, event: others }),
        deadLetterOf({ stream, offset: 100, event: json }),
        deadLetterOf({ stream: other, offset: 0, event: json }),
      ]);
      expect(await erase(stream, { entityId, before: { 0: 100 } })).toBe(0);
      const left = async (of: string) =>
        (await contract.deadLetters({ limit: 100 })).items
          .filter((letter) => letter.stream === of)
          .map((letter) => letter.offset)
          .sort((a, b) => a - b);
      expect(await left(stream)).toEqual([3, 4, 5, 6, 12, 100]);
      expect(await left(other)).toEqual([0]);
      await erase(stream, {
        entityId: undefined,
        entityHash: entityHash(stream, entityId),
        before: { 0: 1000 },
      });
      expect(await left(stream)).toEqual([3, 4, 5, 6, 12]);
    });

    it('removes only its own dead letters when several have the same offset', async () => {
      const stream = newStream();
      const step = { run: 'a'.repeat(24), operator: '/operators/0/map', stream, path: '', replay: 0 };
      await contract.store.writer.appendDeadLetters([
        deadLetterOf({ stream, offset: 1, step, event: '{"entity_id":"a"}' }),
        deadLetterOf({ stream, offset: 1, step: { ...step, path: '1' }, event: '{"entity_id":"other"}' }),
      ]);
      await erase(stream, { before: { 0: 100 } });
      const { items } = await contract.deadLetters({ limit: 100 });
      expect(items.filter((letter) => letter.stream === stream)).toMatchObject([{ step: { path: '1' } }]);
    });

    it('can be previewed by tracesOf, which reports whether the entity has events or a latest version, and dead letters', async () => {
      const [stream, other] = [newStream(), newStream()];
      const traces = (entityId: string, query: Partial<AuthorizationScope> = {}) =>
        contract.store.reader.erasableDataOf({ access: allStreams, stream, entityId, ...query });
      const all = async () => [await traces('a'), await traces('c'), await traces('d'), await traces('e')];
      const events = { events: true, deadLetters: false };
      const letters = { events: false, deadLetters: true };
      const none = { events: false, deadLetters: false };
      await contract.write(mixed(stream));
      await contract.store.writer.appendDeadLetters([
        deadLetterOf({ stream, offset: 0, event: '{"entity_id":"c","data":{"of":"e"}}' }),
        deadLetterOf({ stream, offset: 1, event: '{"entity_id":"d","data":' }),
        deadLetterOf({ stream: other, offset: 0, event: '{"entity_id":"e"}' }),
      ]);
      expect(await all()).toEqual([events, letters, letters, none]);
      expect(await traces('a', { access: { patterns: [other], reserved: false } })).toEqual(none);
      expect(await traces('a', { hidden: [stream] })).toEqual(none);
      await contract.store.eraser.expire({ stream, before: t0 + 86_400 * second });
      expect(await contract.eventsOf(stream)).toEqual([]);
      expect(await all()).toEqual([events, none, none, none]);
      await erase(stream);
      expect(await all()).toEqual([none, none, none, none]);
    });

    it('does not affect entities of other streams that are written concurrently', async () => {
      const [stream, busy] = [newStream(), newStream()];
      await contract.write(mixed(stream, 40));
      const writing = (async () => {
        for (let i = 0; i < 10; i++) {
          const row = { stream: busy, offset: i, entity_id: 'a', version: i + 1 };
          await contract.write([eventRow(row)]);
        }
      })();
      const erasures = [erase(stream), erase(stream, { entityId: 'b' })];
      expect(await Promise.all(erasures)).toEqual([20, 20]);
      await writing;
      expect(await contract.eventsOf(stream)).toEqual([]);
      expect(await contract.streams({ streams: [stream, busy] })).toMatchObject([
        { stream: busy, events: 10 },
      ]);
      expect(await heads(busy)).toEqual([['a', 10]]);
    });
  });
}
