import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { allStreams, auditStream, type StreamAccess } from '#api';
import type { EventQuery } from '../store.js';
import { eventRow, deadLetterOf, newStream, t0 } from './rows.js';
import type { StoreContractFixture } from './store-contract.js';

/** Adds specs that no answer of a store contains data of a stream outside the authorization scope. */
export function describeAccess(contract: StoreContractFixture): void {
  describe('streams outside the authorization scope', () => {
    const tag = randomUUID();
    const [orders, refunds, stock] = [`${tag}.orders`, `${tag}.orders-refunds`, `${tag}.stock`];
    const ids = new Map([orders, refunds, stock, auditStream].map((stream) => [stream, randomUUID()]));
    /** Limits a query to the events that this suite has written. */
    const mine = { entityIds: [tag] };
    const names = (...patterns: string[]): StreamAccess => ({ patterns, reserved: false });
    const withoutReserved: StreamAccess = { patterns: undefined, reserved: false };
    const ofSource = `m-${tag}`;

    beforeAll(async () => {
      await contract.write(
        [...ids].map(([stream, event_id], offset) =>
          eventRow({ stream, event_id, offset, entity_id: tag, version: 1 }),
        ),
      );
      const letters = [...ids.keys()].map((stream) => deadLetterOf({ stream, source: ofSource, offset: 0 }));
      const showing = [[orders, stock], [auditStream], [orders], []].map((streams, offset) =>
        deadLetterOf({ stream: orders, source: `${ofSource}-showing`, offset, streams }),
      );
      await contract.store.writer.appendDeadLetters([...letters, ...showing]);
    });

    const accesses: [string, StreamAccess, string[]][] = [
      ['everything', allStreams, [orders, refunds, stock, auditStream]],
      ['everything except the reserved streams', withoutReserved, [orders, refunds, stock]],
      ['one stream', names(orders), [orders]],
      ['several streams', names(orders, stock, 'elsewhere'), [orders, stock]],
      ['a prefix', names(`${orders}*`), [orders, refunds]],
      ['a prefix and a name', names(`${orders}-*`, stock), [refunds, stock]],
      ['a prefix that matches every stream', names('*'), [orders, refunds, stock]],
      [
        'a prefix of reserved streams, without the right to read these',
        names('tributary.*', orders),
        [orders],
      ],
      ['a reserved stream, without the right to read it', names(auditStream), []],
      ['only the reserved streams', { patterns: ['tributary.*'], reserved: true }, [auditStream]],
      ['nothing', names(), []],
      ['a name with a wildcard of SQL', names(`${tag}.%`, `${tag}._____`), []],
      ['a prefix with a quote in it', names(`' OR 1=1 --*`), []],
    ];

    describe.each(accesses)('with access to %s', (_what, access, visible) => {
      const expected = visible.toSorted();
      const all: EventQuery = { access, order: 'asc', limit: 1_000 };
      const streamsOf = (items: readonly { stream: string }[]) =>
        items.map(({ stream }) => stream).toSorted();

      it('appear in no page, with and without a stream filter or a cursor', async () => {
        const { reader } = contract.store;
        expect(streamsOf((await reader.query({ ...all, ...mine })).items)).toEqual(expected);
        const everything = await contract.readAll({ ...all, since: t0 });
        expect(
          streamsOf(everything).filter((stream) => ids.has(stream) && !visible.includes(stream)),
        ).toEqual([]);
        for (const stream of ids.keys()) {
          const found = (await reader.query({ ...all, ...mine, streams: [stream] })).items;
          expect(streamsOf(found)).toEqual(visible.includes(stream) ? [stream] : []);
        }
        const query = { ...mine, order: 'asc', limit: 1 } as const;
        const cursor = (await contract.query(query)).nextCursor;
        const second = await reader.query({ ...query, access, cursor, limit: 1_000 });
        expect(streamsOf(second.items)).toEqual(expected.filter((stream) => stream !== orders));
      });

      it('are not counted', async () => {
        const { reader } = contract.store;
        expect(await reader.count({ access, ...mine, limit: 10 })).toMatchObject({ total: visible.length });
        const byStream = await reader.count({ access, groupBy: 'stream', limit: 10_000 });
        const groups = byStream.buckets.map(({ group }) => group as string);
        expect(groups.filter((stream) => ids.has(stream)).toSorted()).toEqual(expected);
        const named = await reader.count({ access, streams: [...ids.keys()], limit: 10 });
        expect(named.total > 0).toBe(visible.length > 0);
      });

      it('are not searched for an event id', async () => {
        for (const [stream, eventId] of ids) {
          const event = await contract.store.reader.byId({ access, eventId });
          expect(event?.stream).toBe(visible.includes(stream) ? stream : undefined);
        }
      });

      it('appear in no list', async () => {
        const { reader } = contract.store;
        const own = (items: readonly { stream: string }[]) =>
          streamsOf(items).filter((stream) => ids.has(stream));
        expect(own(await reader.streams({ access }))).toEqual(expected);
        expect(own(await reader.streams({ access, streams: [...ids.keys()] }))).toEqual(expected);
        expect(own((await reader.entities({ access, limit: 100_000 })).items)).toEqual(expected);
        for (const stream of ids.keys()) {
          const { items } = await reader.entities({ access, stream, limit: 10_000 });
          expect(new Set(own(items))).toEqual(new Set(visible.includes(stream) ? [stream] : []));
        }
        const letters = await reader.deadLetters({ access, source: ofSource, limit: 10 });
        expect(streamsOf(letters.items)).toEqual(expected);
        expect(letters.total).toBe(visible.length);
      });
    });

    it('hide a dead letter by the names of its streams, whatever the current ids of these streams', async () => {
      const [first, second] = [newStream(), newStream()];
      const source = `m-${first}`;
      const letter = deadLetterOf({ stream: `${first}#1`, source, offset: 0, streams: [first, second] });
      await contract.store.writer.appendDeadLetters([letter]);
      const shown = async (...patterns: string[]) =>
        (await contract.store.reader.deadLetters({ access: names(...patterns), source, limit: 10 })).total;
      expect(await shown(`${first}#1`)).toBe(0);
      expect(await shown(`${first}#1`, `${second}#2`)).toBe(1);
      expect(await shown(`${first}#1`, second)).toBe(1);
      expect(await shown(`${first}#2`, `${second}#2`)).toBe(0);
    });

    it.each([
      ['everything', allStreams, [0, 1, 2, 3]],
      ['everything except the reserved streams', withoutReserved, [0, 2]],
      ['one of the streams', names(orders), [2]],
      ['a prefix that does not match one of the streams', names(`${orders}*`), [2]],
      ['all of the streams', names(orders, stock), [0, 2]],
      ['a prefix that matches every stream of the suite', names(`${tag}.*`), [0, 2]],
      ['nothing', names(), []],
    ])(
      'include dead letters that reveal such a stream, with access to %s',
      async (_what, access, visible) => {
        const query = { access, source: `${ofSource}-showing`, limit: 10 };
        const { items, total } = await contract.store.reader.deadLetters(query);
        expect(items.map(({ offset }) => offset).toSorted()).toEqual(visible);
        expect(total).toBe(visible.length);
        const { items: all } = await contract.store.reader.deadLetters({ ...query, access: allStreams });
        const named = { access, ids: all.map(({ id }) => id), limit: 10 };
        expect((await contract.store.reader.deadLetters(named)).total).toBe(visible.length);
      },
    );

    it('include streams that are hidden from every caller', async () => {
      const { reader } = contract.store;
      const scope = { access: allStreams, hidden: [orders, newStream()] };
      const visible = [refunds, stock, auditStream].toSorted();
      const found = (await reader.query({ ...scope, ...mine, order: 'asc', limit: 10 })).items;
      expect(found.map(({ stream }) => stream).toSorted()).toEqual(visible);
      expect((await reader.query({ ...scope, streams: [orders], order: 'asc', limit: 10 })).items).toEqual(
        [],
      );
      expect((await reader.count({ ...scope, ...mine, limit: 10 })).total).toBe(3);
      expect(await reader.byId({ ...scope, eventId: ids.get(orders) as string })).toBeUndefined();
      expect(await reader.streams({ ...scope, streams: [orders] })).toEqual([]);
      expect((await reader.entities({ ...scope, stream: orders, limit: 10 })).items).toEqual([]);
      expect((await reader.deadLetters({ ...scope, source: ofSource, limit: 10 })).total).toBe(3);
    });
  });
}
