import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allStreams, earliestTime, formatTime, parseTime, type StoredEvent } from '#contracts';
import { InvalidCursorError } from './errors.js';
import type { DeadLetter, EventQuery, EventRow, Page, Store } from './store.js';

export interface StoreUnderTest {
  store: Store;
  close(): Promise<void>;
}

const t0 = parseTime('2026-11-21T04:00:00Z') as number;
const second = 1_000_000;

/** A row with sensible values; every test uses a stream of its own. */
export function eventRow(row: Partial<EventRow> & Pick<EventRow, 'stream' | 'offset'>): EventRow {
  return {
    partition: 0,
    event_id: randomUUID(),
    event_type: 'order.placed',
    entity_id: null,
    version: null,
    timestamp: t0 + row.offset * second,
    ingested_at: t0 + row.offset * second + 5_000,
    schema_version: null,
    metadata: '{}',
    data: '{"amount": 1}',
    ...row,
  };
}

export function rowsOf(stream: string, count: number, each: (i: number) => Partial<EventRow> = () => ({})) {
  return Array.from({ length: count }, (_, i) => eventRow({ stream, offset: i, ...each(i) }));
}

const newStream = () => `s-${randomUUID()}`;
const offsets = (page: Page<StoredEvent>) => page.items.map((event) => event.offset);

/** Follows the cursors to the end. */
export async function readAll(store: Store, query: EventQuery): Promise<StoredEvent[]> {
  const events: StoredEvent[] = [];
  let cursor: string | undefined;
  do {
    const page: Page<StoredEvent> = await store.reader.query({ ...query, cursor });
    expect(page.items.length).toBeLessThanOrEqual(query.limit);
    if (page.nextCursor) expect(page.items).toHaveLength(query.limit);
    events.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor);
  return events;
}

/** What every store promises. `open` gives an empty one, in which nothing is merged while the suite runs. */
export function describeStore(name: string, open: () => Promise<StoreUnderTest>): void {
  describe(`${name} as a store`, () => {
    let store: Store;
    let underTest: StoreUnderTest;

    beforeAll(async () => {
      underTest = await open();
      store = underTest.store;
    });
    afterAll(() => underTest.close());

    const write = (rows: EventRow[]) => store.writer.append(rows, randomUUID());
    const all = (stream: string): EventQuery => ({
      access: allStreams,
      streams: [stream],
      order: 'asc',
      limit: 1000,
    });

    it('answers', async () => {
      await store.ping();
    });

    it('can be migrated again, and by two at once', async () => {
      await Promise.all([store.migrate(), store.migrate()]);
    });

    it('returns an event as it was written', async () => {
      const stream = newStream();
      const row = eventRow({
        stream,
        partition: 7,
        offset: 9_007_199_254,
        event_type: 'order.плацед "quoted" \\ \t🎉',
        entity_id: "order-17' OR 1=1 --",
        version: 3,
        timestamp: t0 + 123,
        ingested_at: t0 + 4_410,
        schema_version: 2,
        metadata: '{"source":"web"}',
        data: '{"big": 9007199254740993, "exact":0.10, "z":1, "a":"ü\\ud800\\n/", "e":1e400}',
      });
      await write([row]);
      expect((await store.reader.query(all(stream))).items).toEqual([
        {
          ...row,
          timestamp: '2026-11-21T04:00:00.000123Z',
          ingested_at: '2026-11-21T04:00:00.004410Z',
        },
      ]);
    });

    it('keeps null apart from values', async () => {
      const stream = newStream();
      await write([eventRow({ stream, offset: 1 })]);
      const [event] = (await store.reader.query(all(stream))).items;
      expect(event).toMatchObject({ entity_id: null, version: null, schema_version: null });
    });

    it('holds times from 1900 to 2199 to the microsecond, in order', async () => {
      const stream = newStream();
      const times = [
        '1900-01-01T00:00:00.000000Z',
        '1969-12-31T23:59:59.999999Z',
        '1970-01-01T00:00:00.000000Z',
      ].concat('2099-12-31T23:59:59.999999Z', '2199-12-31T23:59:59.999999Z');
      await write(times.map((time, offset) => eventRow({ stream, offset, timestamp: parseTime(time) })));
      const events = (await store.reader.query(all(stream))).items;
      expect(events.map((event) => event.timestamp)).toEqual(times);
      const [summary] = await store.reader.streams({ access: allStreams, streams: [stream] });
      expect(summary).toEqual({
        stream,
        events: 5,
        first_timestamp: earliestTime,
        last_timestamp: parseTime(times[4] as string),
      });
    });

    it('takes data of a megabyte', async () => {
      const stream = newStream();
      const data = JSON.stringify({ text: 'ä'.repeat(500_000) });
      await write([eventRow({ stream, offset: 1, data })]);
      expect((await store.reader.query(all(stream))).items[0]?.data).toBe(data);
    });

    it('has nothing to do for no rows', async () => {
      await write([]);
      await store.writer.appendDeadLetters([]);
    });

    describe('pages', () => {
      it('lead through all events in both orders', async () => {
        const stream = newStream();
        await write(rowsOf(stream, 25));
        const up = Array.from({ length: 25 }, (_, i) => i);
        for (const limit of [1, 7, 24, 25, 26]) {
          const asc = await readAll(store, { access: allStreams, streams: [stream], order: 'asc', limit });
          expect(asc.map((event) => event.offset)).toEqual(up);
          const desc = await readAll(store, { access: allStreams, streams: [stream], order: 'desc', limit });
          expect(desc.map((event) => event.offset)).toEqual(up.toReversed());
        }
      });

      it('order events of one instant by partition, offset and stream, and cursors go between them', async () => {
        const [a, b] = [`a-${newStream()}`, `b-${newStream()}`];
        const rows = [a, b].flatMap((stream) =>
          [2, 0, 1].flatMap((partition) =>
            [5, 3, 4].map((offset) => eventRow({ stream, partition, offset, timestamp: t0 })),
          ),
        );
        await write(rows);
        const expected = [0, 1, 2].flatMap((partition) =>
          [3, 4, 5].flatMap((offset) => [a, b].map((stream) => `${partition}/${offset}/${stream}`)),
        );
        const read = async (order: 'asc' | 'desc', limit: number) =>
          (await readAll(store, { access: allStreams, streams: [a, b], order, limit })).map(
            (event) => `${event.partition}/${event.offset}/${event.stream}`,
          );
        for (const limit of [1, 2, 5, 18]) {
          expect(await read('asc', limit)).toEqual(expected);
          expect(await read('desc', limit)).toEqual(expected.toReversed());
        }
      });

      it('over several streams are the same whatever was read before', async () => {
        const streams = [newStream(), newStream()];
        await write(streams.flatMap((stream) => rowsOf(stream, 40)));
        const query: EventQuery = { access: allStreams, streams, order: 'asc', limit: 10 };
        const early = await store.reader.query({ ...query, since: t0 });
        const sparse = await store.reader.query({ ...query, since: t0 + 37 * second });
        expect(offsets(early)).toEqual([0, 0, 1, 1, 2, 2, 3, 3, 4, 4]);
        expect(offsets(sparse)).toEqual([37, 37, 38, 38, 39, 39]);
        expect(offsets(await store.reader.query({ ...query, since: t0 }))).toEqual(offsets(early));
        const newest = await store.reader.query({ ...query, order: 'desc' });
        await write(streams.map((stream) => eventRow({ stream, offset: 40 })));
        const newer = await store.reader.query({ ...query, order: 'desc' });
        expect(offsets(newer)).toEqual([40, 40, ...offsets(newest).slice(0, 8)]);
      });

      it('refuse a cursor of another query, and one that was changed', async () => {
        const stream = newStream();
        await write(rowsOf(stream, 5));
        const query: EventQuery = { access: allStreams, streams: [stream], order: 'asc', limit: 2 };
        const cursor = (await store.reader.query(query)).nextCursor as string;
        const refused = (changed: Partial<EventQuery>) =>
          expect(store.reader.query({ ...query, cursor, ...changed })).rejects.toBeInstanceOf(
            InvalidCursorError,
          );
        await refused({ streams: [newStream()] });
        await refused({ order: 'desc' });
        await refused({ since: t0 });
        await refused({ eventTypes: ['order.placed'] });
        for (const broken of [
          '',
          'x',
          '💥',
          `${cursor}=`,
          `${cursor}A`,
          cursor.slice(2),
          cursor.toLowerCase(),
        ]) {
          await refused({ cursor: broken });
        }
        const text = Buffer.from(cursor, 'base64url').toString();
        await refused({ cursor: Buffer.from(text.replace(`,1,`, `,2,`)).toString('base64url') });
        expect(offsets(await store.reader.query({ ...query, cursor, limit: 10 }))).toEqual([2, 3, 4]);
      });
    });

    describe('filters', () => {
      let stream: string;
      let other: string;
      beforeAll(async () => {
        [stream, other] = [newStream(), newStream()];
        await write(
          rowsOf(stream, 12, (i) => ({
            event_type: `type.${i % 3}`,
            entity_id: i % 4 === 0 ? null : `entity-${i % 4}`,
            version: i % 4 === 0 ? null : Math.floor(i / 4) + 1,
          })),
        );
        await write(rowsOf(other, 3, () => ({ event_type: 'other', entity_id: 'entity-1' })));
      });

      const find = async (query: Partial<EventQuery>) =>
        offsets(
          await store.reader.query({
            access: allStreams,
            streams: [stream],
            order: 'asc',
            limit: 100,
            ...query,
          }),
        );

      it('by type, several types and a prefix', async () => {
        expect(await find({ eventTypes: ['type.1'] })).toEqual([1, 4, 7, 10]);
        expect(await find({ eventTypes: ['type.1', 'type.2', 'none'] })).toHaveLength(8);
        expect(await find({ eventTypePrefix: 'type.' })).toHaveLength(12);
        expect(await find({ eventTypePrefix: 'type._' })).toEqual([]);
      });

      it('by entity, alone and with the rest', async () => {
        expect(await find({ entityIds: ['entity-1'] })).toEqual([1, 5, 9]);
        expect(await find({ entityIds: ['entity-1', 'entity-2'], eventTypes: ['type.0'] })).toEqual([6, 9]);
        expect(await find({ streams: undefined, entityIds: ['entity-1'], since: t0 + second })).toContain(9);
        expect(await find({ streams: [stream, other], entityIds: ['entity-1'] })).toEqual([0, 1, 1, 2, 5, 9]);
        expect(await find({ entityIds: [''] })).toEqual([]);
      });

      it('by time: since is inclusive, until is exclusive', async () => {
        expect(await find({ since: t0 + 3 * second, until: t0 + 5 * second })).toEqual([3, 4]);
        expect(await find({ since: t0 + 3 * second + 1, until: t0 + 4 * second + 1 })).toEqual([4]);
      });

      it('by several streams, and none', async () => {
        expect(await find({ streams: [stream, other], eventTypes: ['other', 'type.0'] })).toHaveLength(7);
        expect(await find({ streams: [] })).toEqual([]);
      });

      it.each([
        "' OR 1=1 --",
        '"; DROP TABLE events; --',
        '`',
        '\\',
        "\\'",
        '{p0:String}',
        '/* */',
        '%',
        '\0',
        '\n',
      ])('take %j for nothing but a value', async (value) => {
        expect(await find({ streams: [value] })).toEqual([]);
        expect(await find({ eventTypes: [value] })).toEqual([]);
        expect(await find({ eventTypes: [value, 'type.1'] })).toHaveLength(4);
        expect(await find({ entityIds: [value, 'entity-1'] })).toHaveLength(3);
        expect(await find({ eventTypePrefix: value })).toEqual([]);
        expect(await store.reader.byId({ access: allStreams, eventId: value })).toBeUndefined();
        expect(await store.reader.streams({ access: allStreams, streams: [value] })).toEqual([]);
        expect((await store.reader.entities({ access: allStreams, stream: value, limit: 5 })).items).toEqual(
          [],
        );
        expect(
          (await store.reader.deadLetters({ access: allStreams, source: value, limit: 5 })).items,
        ).toEqual([]);
      });
    });

    describe('a row that is written again', () => {
      it('by a retry with the same token is one event', async () => {
        const stream = newStream();
        const rows = rowsOf(stream, 10);
        await store.writer.append(rows, `${stream}:0:0-9`);
        await store.writer.append(rows, `${stream}:0:0-9`);
        expect(
          await readAll(store, { access: allStreams, streams: [stream], order: 'asc', limit: 3 }),
        ).toHaveLength(10);
      });

      it('by a zombie, in other batches, is one event everywhere', async () => {
        const stream = newStream();
        const rows = rowsOf(stream, 40, (i) => ({
          entity_id: i % 5 === 0 ? null : `e-${i % 5}`,
          version: i % 5 === 0 ? null : Math.floor(i / 5) + 1,
          event_type: `type.${i % 2}`,
        }));
        await write(rows.slice(0, 20));
        await write(rows.slice(20));
        await write(rows.slice(5, 30));
        await write(rows.slice(15));
        for (const limit of [1, 3, 39, 40, 41]) {
          for (const order of ['asc', 'desc'] as const) {
            const read = await readAll(store, { access: allStreams, streams: [stream], order, limit });
            expect(read.map((event) => event.event_id)).toEqual(
              (order === 'asc' ? rows : rows.toReversed()).map((row) => row.event_id),
            );
          }
        }
        const ofEntity = await readAll(store, {
          access: allStreams,
          streams: [stream],
          entityIds: ['e-1'],
          order: 'asc',
          limit: 3,
        });
        expect(ofEntity.map((event) => event.version)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
        expect((await store.reader.streams({ access: allStreams, streams: [stream] }))[0]?.events).toBe(40);
        expect(await store.reader.count({ access: allStreams, streams: [stream], limit: 10 })).toMatchObject({
          total: 40,
        });
        expect(
          await store.reader.count({
            access: allStreams,
            streams: [stream],
            groupBy: 'event_type',
            limit: 10,
          }),
        ).toEqual({
          buckets: [
            { group: 'type.0', count: 20 },
            { group: 'type.1', count: 20 },
          ],
          total: 40,
        });
        expect(
          await store.reader.count({
            access: allStreams,
            streams: [stream],
            entityIds: ['e-1', 'e-2'],
            limit: 10,
          }),
        ).toMatchObject({
          total: 16,
        });
        const entities = await store.reader.entities({ access: allStreams, stream, limit: 10 });
        expect(entities.items.map((entity) => [entity.entity_id, entity.version])).toEqual([
          ['e-1', 8],
          ['e-2', 8],
          ['e-3', 8],
          ['e-4', 8],
        ]);
        const stored = await store.writer.stored({ stream, partition: 0, from: 30, until: 100 });
        expect(stored.map(({ offset }) => offset)).toEqual([30, 31, 32, 33, 34, 35, 36, 37, 38, 39]);
      });
    });

    describe('what a materializer asks', () => {
      it('which events are stored: by offset, of that partition, of that stretch', async () => {
        const stream = newStream();
        const at = (partition: number, offset: number) =>
          eventRow({ stream, partition, offset, entity_id: offset % 2 ? 'e' : null });
        await write([at(0, 7), at(0, 3), at(0, 2_000_000), at(1, 4), at(0, 5)]);
        const stored = async (partition: number, from: number, of = stream) =>
          (await store.writer.stored({ stream: of, partition, from, until: from + 5 })).map((e) => e.offset);
        expect(await stored(0, 4)).toEqual([5, 7]);
        expect(await stored(0, 0)).toEqual([3]);
        expect(await stored(0, 1_999_996)).toEqual([2_000_000]);
        expect(await stored(1, 0)).toEqual([4]);
        expect(await stored(2, 0)).toEqual([]);
        expect(await stored(0, 0, 'nowhere')).toEqual([]);
      });

      it('how far a partition is stored', async () => {
        const stream = newStream();
        await write([7, 2_000_000, 5].map((offset) => eventRow({ stream, offset })));
        expect(await store.writer.lastStored(stream, 0)).toBe(2_000_000);
        expect(await store.writer.lastStored(stream, 1)).toBeUndefined();
      });

      it('of events with one offset, from a topic and from its successor, each by its id', async () => {
        const stream = newStream();
        const [old, young] = [0, 1].map((i) =>
          eventRow({ stream, offset: 3, timestamp: t0 + i, entity_id: 'e', version: 1 }),
        ) as [EventRow, EventRow];
        const ids = async () =>
          (await store.writer.stored({ stream, partition: 0, from: 3, until: 4 }))
            .map((e) => e.event_id)
            .sort();
        await write([old]);
        expect(await ids()).toEqual([old.event_id]);
        await write([young]);
        expect(await ids()).toEqual([old.event_id, young.event_id].sort());
      });

      it('the last version of each entity before an offset', async () => {
        const stream = newStream();
        const version = (entity: string, offset: number, n: number) =>
          eventRow({ stream, partition: 1, offset, entity_id: entity, version: n });
        await write([version('a', 1, 1), version('b', 2, 1), version('a', 3, 2), version('a', 9, 3)]);
        const versions = (before: number, partition = 1) =>
          store.writer.versions({ stream, partition, entityIds: ['a', 'b', 'c', "'"], before });
        expect(await versions(10)).toEqual(new Map(Object.entries({ a: 3, b: 1 })));
        expect(await versions(9)).toEqual(new Map(Object.entries({ a: 2, b: 1 })));
        expect(await versions(2)).toEqual(new Map(Object.entries({ a: 1 })));
        expect(await versions(0)).toEqual(new Map());
        expect(await versions(10, 0)).toEqual(new Map());
      });

      it.each([
        ['long names', 'ü'],
        ['names of quotes and backslashes', `'\\`],
        ['names of control characters', '\n\t\r\0\b'],
      ])('the versions of thousands of entities with %s', async (_what, text) => {
        const stream = newStream();
        const id = (i: number) => `entity-${i}-${text.repeat(100)}`;
        await write(rowsOf(stream, 5000, (i) => ({ entity_id: id(i), version: 1 })));
        const entityIds = Array.from({ length: 5000 }, (_, i) => id(i));
        const found = await store.writer.versions({ stream, partition: 0, entityIds, before: 5000 });
        expect(found.size).toBe(5000);
      });
    });

    describe('counts', () => {
      let stream: string;
      beforeAll(async () => {
        stream = newStream();
        await write(
          rowsOf(stream, 10, (i) => ({
            timestamp: t0 + i * 20 * second,
            entity_id: i % 2 ? `e-${i % 3}` : null,
            event_type: i < 3 ? 'early' : 'late',
          })),
        );
      });

      it('all, in one bucket', async () => {
        const counted = await store.reader.count({ access: allStreams, streams: [stream], limit: 10 });
        expect(counted).toEqual({ buckets: [{ count: 10 }], total: 10 });
        const filtered = await store.reader.count({
          access: allStreams,
          streams: [stream],
          eventTypes: ['late'],
          limit: 10,
        });
        expect(filtered).toEqual({ buckets: [{ count: 7 }], total: 7 });
      });

      it('nothing, as no bucket', async () => {
        const nothing = { buckets: [], total: 0 };
        expect(await store.reader.count({ access: allStreams, streams: [newStream()], limit: 10 })).toEqual(
          nothing,
        );
        expect(
          await store.reader.count({ access: allStreams, streams: [stream], eventTypes: ['x'], limit: 10 }),
        ).toEqual(nothing);
      });

      it('by stream, type or entity', async () => {
        const by = (groupBy: 'stream' | 'event_type' | 'entity_id') =>
          store.reader.count({ access: allStreams, streams: [stream], groupBy, limit: 10 });
        expect(await by('stream')).toEqual({ buckets: [{ group: stream, count: 10 }], total: 10 });
        expect((await by('event_type')).buckets).toEqual([
          { group: 'early', count: 3 },
          { group: 'late', count: 7 },
        ]);
        expect((await by('entity_id')).buckets).toEqual([
          { group: null, count: 5 },
          { group: 'e-0', count: 2 },
          { group: 'e-1', count: 2 },
          { group: 'e-2', count: 1 },
        ]);
      });

      it('by time, and by time and type', async () => {
        const minutes = await store.reader.count({
          access: allStreams,
          streams: [stream],
          intervalSeconds: 60,
          limit: 10,
        });
        expect(minutes.buckets).toEqual(
          [0, 1, 2, 3].map((i) => ({ start: t0 + i * 60 * second, count: i < 3 ? 3 : 1 })),
        );
        const both = await store.reader.count({
          access: allStreams,
          streams: [stream],
          intervalSeconds: 3600,
          groupBy: 'event_type',
          limit: 1,
        });
        expect(both).toEqual({ buckets: [{ start: t0, group: 'early', count: 3 }], total: 10 });
      });

      it('by day before 1970', async () => {
        const old = newStream();
        await write([eventRow({ stream: old, offset: 0, timestamp: parseTime('1969-12-30T12:00:00Z') })]);
        const days = await store.reader.count({
          access: allStreams,
          streams: [old],
          intervalSeconds: 86_400,
          limit: 10,
        });
        expect(days.buckets.map((bucket) => formatTime(bucket.start as number))).toEqual([
          '1969-12-30T00:00:00.000000Z',
        ]);
      });
    });

    it('finds an event by its id, in either case, the first one that was ingested', async () => {
      const stream = newStream();
      const event_id = randomUUID();
      await write([eventRow({ stream, offset: 8, event_id }), eventRow({ stream, offset: 3, event_id })]);
      expect(await store.reader.byId({ access: allStreams, eventId: event_id.toUpperCase() })).toMatchObject({
        event_id,
        offset: 3,
      });
      expect(await store.reader.byId({ access: allStreams, eventId: randomUUID() })).toBeUndefined();
    });

    it('lists streams by name', async () => {
      const [a, b] = [`a${newStream()}`, `b${newStream()}`];
      await write([eventRow({ stream: b, offset: 0 }), eventRow({ stream: a, offset: 4, partition: 3 })]);
      const names = (await store.reader.streams({ access: allStreams })).map((summary) => summary.stream);
      expect(names).toEqual([...names].sort());
      expect(names).toEqual(expect.arrayContaining([a, b]));
      expect(await store.reader.streams({ access: allStreams, streams: [a] })).toEqual([
        { stream: a, events: 1, first_timestamp: t0 + 4 * second, last_timestamp: t0 + 4 * second },
      ]);
    });

    it('pages through entities in order', async () => {
      const stream = newStream();
      const ids = Array.from({ length: 9 }, (_, i) => `e-${i}`);
      await write(rowsOf(stream, 9, (i) => ({ entity_id: ids[i], version: i + 1 })));
      const seen: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await store.reader.entities({ access: allStreams, stream, limit: 4, cursor });
        seen.push(...page.items.map((entity) => entity.entity_id));
        cursor = page.nextCursor;
      } while (cursor);
      expect(seen).toEqual(ids);
      const first = await store.reader.entities({ access: allStreams, stream, limit: 1 });
      expect(first.items).toEqual([{ stream, entity_id: 'e-0', version: 1, last_timestamp: t0 }]);
      const elsewhere = store.reader.entities({
        access: allStreams,
        stream: newStream(),
        limit: 1,
        cursor: first.nextCursor,
      });
      await expect(elsewhere).rejects.toBeInstanceOf(InvalidCursorError);
      const everywhere = await store.reader.entities({ access: allStreams, limit: 1 });
      const next = await store.reader.entities({
        access: allStreams,
        limit: 1,
        cursor: everywhere.nextCursor,
      });
      expect(next.items).not.toEqual(everywhere.items);
    });

    it('lists dead letters newest first, each once', async () => {
      const source = `m-${randomUUID()}`;
      const letter = (offset: number, created_at: number): DeadLetter => ({
        source,
        stream: 'orders',
        partition: 2,
        offset,
        reason: 'unreadable',
        error: 'not JSON: "…"',
        event: 'base64:AAEC',
        created_at,
      });
      const letters = [letter(1, t0), letter(2, t0), letter(3, t0 + second), letter(4, t0 + 2 * second)];
      await store.writer.appendDeadLetters(letters.slice(0, 3));
      await store.writer.appendDeadLetters(letters.slice(1));
      const first = await store.reader.deadLetters({ access: allStreams, source, limit: 3 });
      expect(first.total).toBe(4);
      expect(first.items.map((item) => item.offset)).toEqual([4, 3, 2]);
      expect(first.items[0]).toEqual({ ...letters[3], id: first.items[0]?.id });
      const rest = await store.reader.deadLetters({
        access: allStreams,
        source,
        limit: 3,
        cursor: first.nextCursor,
      });
      expect(rest.items.map((item) => item.offset)).toEqual([1]);
      expect(new Set([...first.items, ...rest.items].map((item) => item.id)).size).toBe(4);
      const early = await store.reader.deadLetters({
        access: allStreams,
        source,
        since: t0,
        until: t0 + second,
        limit: 3,
      });
      expect(early).toMatchObject({ total: 2, items: [{ offset: 2 }, { offset: 1 }] });
      const other = store.reader.deadLetters({
        access: allStreams,
        source: 'other',
        limit: 3,
        cursor: first.nextCursor,
      });
      await expect(other).rejects.toBeInstanceOf(InvalidCursorError);
    });
  });
}
