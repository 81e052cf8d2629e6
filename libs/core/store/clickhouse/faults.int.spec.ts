import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allStreams } from '#api';
import { parseCondition } from '#cel';
import { storedEventVariable } from '#dataflow';
import { rowBatchesOf } from '../row-batch/row-batches-of.fixture.js';
import { QueryTooExpensiveError, QueryTooSlowError, StoreUnavailableError } from '../errors.js';
import { rowsOf } from '../contract/rows.js';
import { openClickHouse } from './open.js';
import { removeLost } from './removal/lost-events.js';
import { RowRemover } from './removal/row-remover.js';
import { openTestStore, type TestStore } from './test-store.js';

async function offsetsOf({ store }: TestStore, stream: string): Promise<number[]> {
  const stored = await store.writer.storedEvents({ stream, partition: 0, from: 0, until: 1000 });
  return stored.filter(({ complete }) => complete).map(({ offset }) => offset);
}

describe('the ClickHouse store under faults', () => {
  let test: TestStore;
  beforeAll(async () => {
    test = await openTestStore();
  });
  afterAll(() => test.close());

  const count = async (sql: string): Promise<number> => {
    const result = await test.engine.query({ query: sql, format: 'JSONCompactEachRow' });
    return Number((await result.json<[string]>())[0]?.[0]);
  };
  const tables = { events: 'events', byEntity: 'events_by_entity' };

  it('writes a repeated batch to the tables that the first attempt did not reach', async () => {
    const stream = `s-${randomUUID()}`;
    const rows = rowsOf(stream, 50, (i) => ({ entity_id: `e-${i}`, version: 1 }));
    const blocked = `ALTER TABLE ${tables.byEntity} ADD CONSTRAINT blocked CHECK throwIf(stream = '${stream}') = 0`;
    await test.engine.command({ query: blocked });
    await expect(test.store.writer.appendRowBatches(rowBatchesOf(rows), stream)).rejects.toThrow();
    expect(await offsetsOf(test, stream)).toEqual([]);
    await test.engine.command({ query: `ALTER TABLE ${tables.byEntity} DROP CONSTRAINT blocked` });
    await test.store.writer.appendRowBatches(rowBatchesOf(rows), stream);
    await test.store.writer.appendRowBatches(rowBatchesOf(rows), stream);
    for (const table of Object.values(tables)) {
      expect(await count(`SELECT count() FROM ${table} WHERE stream = '${stream}'`)).toBe(50);
    }
    expect(await offsetsOf(test, stream)).toHaveLength(50);
    expect((await test.store.reader.streams({ access: allStreams, streams: [stream] }))[0]?.events).toBe(50);
  });

  it.each(['events_by_entity', 'entities', 'positions'])(
    'does not report events as stored when %s lacks them',
    async (table) => {
      const own = await openTestStore();
      const rows = rowsOf('orders', 3, () => ({ entity_id: 'e', version: 1 }));
      await own.store.writer.appendRowBatches(rowBatchesOf(rows), 'first');
      expect(await offsetsOf(own, 'orders')).toEqual([0, 1, 2]);
      await own.engine.command({ query: `TRUNCATE TABLE ${table}` });
      expect(await offsetsOf(own, 'orders')).toEqual([]);
      await own.store.writer.appendRowBatches(rowBatchesOf(rows), 'again');
      expect(await offsetsOf(own, 'orders')).toEqual([0, 1, 2]);
      await own.close();
    },
  );

  it('completes a removal of lost events that was interrupted after any of its statements', async () => {
    let statements = Infinity;
    for (let allowed = 0; allowed < statements; allowed++) {
      const own = await openTestStore();
      const rows = rowsOf('orders', 6, (i) => ({ entity_id: i % 2 ? 'odd' : 'even', version: (i >> 1) + 1 }));
      await own.store.writer.appendRowBatches(rowBatchesOf(rows), 'first');
      const lost = { stream: 'orders', partition: 0, events: rows.slice(3) };
      const { connection } = own.store;
      let sent = 0;
      const interrupted = Object.assign(Object.create(connection) as typeof connection, {
        command: async (...command: Parameters<typeof connection.command>) => {
          if (sent++ === allowed) throw new Error('killed');
          await connection.command(...command);
        },
      });
      const killed = await removeLost(new RowRemover(interrupted), lost).catch(
        (error: Error) => error.message,
      );
      if (killed === undefined) statements = allowed;
      const range = { stream: 'orders', partition: 0, from: 3, until: 100 };
      const events = await own.store.writer.storedEvents(range);
      expect(await own.store.writer.lastStoredOffset('orders', 0)).toBeGreaterThanOrEqual(
        events.length > 0 ? 5 : 2,
      );
      await removeLost(new RowRemover(connection), { ...lost, events });
      const left = async (select: string) => {
        const result = await own.engine.query({ query: select, format: 'JSONCompactEachRow' });
        return await result.json();
      };
      const offsets = [[0], [1], [2]];
      expect(await left('SELECT offset FROM events ORDER BY offset')).toEqual(offsets);
      expect(await left('SELECT offset FROM events_by_entity ORDER BY offset')).toEqual(offsets);
      const latest =
        'SELECT entity_id, max(last_version) FROM entities GROUP BY entity_id ORDER BY entity_id';
      expect(await left(latest)).toEqual([
        ['even', 2],
        ['odd', 1],
      ]);
      await own.close();
    }
    expect(statements).toBeGreaterThan(5);
  });

  it('writes one part for each insert, however many rows it has', async () => {
    const stream = `s-${randomUUID()}`;
    const before = await count(
      "SELECT count() FROM system.parts WHERE table = 'events' AND database = currentDatabase()",
    );
    await test.store.writer.appendRowBatches(
      rowBatchesOf(rowsOf(stream, 70_000, () => ({ ingested_at: 0 }))),
      stream,
    );
    const after = await count(
      "SELECT count() FROM system.parts WHERE table = 'events' AND database = currentDatabase()",
    );
    expect(after - before).toBe(1);
  });

  it('rejects a query that exceeds its bounds with QueryTooExpensiveError', async () => {
    const stream = `s-${randomUUID()}`;
    await test.store.writer.appendRowBatches(rowBatchesOf(rowsOf(stream, 100)), stream);
    const small = openClickHouse({ ...test.options, bounds: { rowsRead: 10 } });
    const query = small.reader.count({
      access: allStreams,
      streams: [stream],
      groupBy: 'event_type',
      limit: 10,
    });
    await expect(query).rejects.toBeInstanceOf(QueryTooExpensiveError);
    await small.close();
  });

  describe('running a long query', () => {
    const where = parseCondition(
      Array.from({ length: 6 }, (_, i) => `event.data.a * event.data.b > 1e30 + ${i}`).join(' || '),
      storedEventVariable,
    );
    const query = { access: allStreams, limit: 10, where, groupBy: 'event_type' } as const;
    const isOver = async () => {
      const sql =
        'SELECT count() FROM system.processes WHERE current_database = currentDatabase() ' +
        "AND query LIKE '%exact_data%' AND query NOT LIKE '%system.processes%'";
      await expect.poll(() => count(sql)).toBe(0);
    };
    beforeAll(async () => {
      const rows = rowsOf('long', 60_000, () => ({ data: '{"a":1.25,"b":2.5}' }));
      await test.store.writer.appendRowBatches(rowBatchesOf(rows), 'long');
    });

    it('rejects it as too expensive at the time limit, and cancels it in ClickHouse', async () => {
      const store = openClickHouse({ ...test.options, readTimeoutMs: 400 });
      await expect(store.reader.count(query)).rejects.toBeInstanceOf(QueryTooSlowError);
      await isOver();
      await store.close();
    });

    it('cancels it in ClickHouse when the caller aborts', async () => {
      const reason = new Error('the client went away');
      await expect(test.store.reader.count(query, abortedIn(400, reason))).rejects.toBe(reason);
      await isOver();
    });
  });

  it("rejects an aborted query with the signal's reason", async () => {
    const reason = new Error('the client went away');
    const query = { access: allStreams, order: 'asc', limit: 10 } as const;
    await expect(test.store.reader.query(query, AbortSignal.abort(reason))).rejects.toBe(reason);
    const controller = new AbortController();
    const running = test.store.reader.query(query, controller.signal);
    controller.abort(reason);
    await expect(running).rejects.toBe(reason);
  });

  it('rejects every request with StoreUnavailableError when nothing listens on the port', async () => {
    const store = openClickHouse({ ...test.options, url: 'http://127.0.0.1:1' });
    await expect(store.ping()).rejects.toBeInstanceOf(StoreUnavailableError);
    await expect(store.writer.appendRowBatches(rowBatchesOf(rowsOf('s', 1)), 't')).rejects.toBeInstanceOf(
      StoreUnavailableError,
    );
    await expect(store.migrate()).rejects.toBeInstanceOf(StoreUnavailableError);
    await store.close();
  });

  describe('whose server never answers', () => {
    let server: Server;
    beforeAll(async () => {
      server = createServer((request) => request.resume());
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    });
    afterAll(() => {
      server.closeAllConnections();
      server.close();
    });

    it('rejects a write after its time limit', async () => {
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const store = openClickHouse({ ...test.options, url, insertTimeoutMs: 200 });
      await expect(store.writer.appendRowBatches(rowBatchesOf(rowsOf('s', 1)), 't')).rejects.toThrow(
        'did not answer in time',
      );
      await store.close();
    });
  });
});

function abortedIn(milliseconds: number, reason: Error): AbortSignal {
  const controller = new AbortController();
  setTimeout(() => controller.abort(reason), milliseconds);
  return controller.signal;
}
