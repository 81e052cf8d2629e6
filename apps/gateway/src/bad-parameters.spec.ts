import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemActor } from '#registry';
import { rowBatchesOf } from '../../../libs/core/store/row-batch/row-batches-of.fixture.js';
import { eventRow, givenGateway, type GivenGateway } from './gateway.fixture.js';
import { nowServing, savedState } from '../../../libs/features/projections/gateway/states/serving.fixture.js';

let gateway: GivenGateway;

beforeAll(async () => {
  gateway = await givenGateway();
  for (const stream of ['orders', 'other']) await gateway.definitions.createStream({ stream }, systemActor);
  await gateway.store.writer.appendRowBatches(
    rowBatchesOf(Array.from({ length: 10 }, (_, offset) => eventRow({ offset }))),
    'token',
  );
  const payload = { name: 'revenue', source: { streams: ['orders'] }, fields: { n: { op: 'count' } } };
  await gateway.core.instance.inject({ method: 'POST', url: projections, payload });
  const build = await nowServing(gateway, 'revenue');
  for (const key of ['a', 'b', 'c', 'd']) await savedState(gateway, build, { key, state: [1] });
});
afterAll(() => gateway.close());

const get = (path: string) => gateway.core.instance.inject({ url: path });
const events = '/api/v1/events/query';
const counts = '/api/v1/events/count';
const streams = '/api/v1/streams';
const entities = '/api/v1/entities';
const letters = '/api/v1/dead-letters';
const projections = '/api/v1/projections';
const states = '/api/v1/projections/revenue/state';
const pipelines = '/api/v1/pipelines';
const subscriptions = '/api/v1/subscriptions';
const lists = [events, entities, letters, streams, projections, pipelines, subscriptions, states];

/** Each parameter with a valid value, at one path that accepts it. */
const single: [string, string, string][] = [
  [events, 'event_type_prefix', 'order.'],
  [events, 'since', '2026-11-21T00:00:00Z'],
  [events, 'until', '2026-11-22T00:00:00Z'],
  [events, 'where', 'true'],
  [events, 'order', 'asc'],
  [events, 'limit', '10'],
  [events, 'cursor', 'x'],
  [counts, 'group_by', 'stream'],
  [counts, 'interval', '1h'],
  [counts, 'since', '2026-11-21T00:00:00Z'],
  [counts, 'value', 'event.offset'],
  [streams, 'limit', '10'],
  [streams, 'cursor', 'x'],
  [projections, 'limit', '10'],
  [projections, 'cursor', 'x'],
  [pipelines, 'limit', '10'],
  [pipelines, 'cursor', 'x'],
  [subscriptions, 'limit', '10'],
  [subscriptions, 'cursor', 'x'],
  [states, 'limit', '10'],
  [states, 'cursor', 'x'],
  [states, 'prefix', 'a'],
  [states, 'order_by', 'n'],
  [states, 'order', 'asc'],
  [entities, 'stream', 'orders'],
  [entities, 'limit', '10'],
  [entities, 'cursor', 'x'],
  [letters, 'source', 'materializer'],
  [letters, 'since', '2026-11-21T00:00:00Z'],
  [letters, 'until', '2026-11-22T00:00:00Z'],
  [letters, 'limit', '10'],
  [letters, 'cursor', 'x'],
];
const repeatable: [string, string, string][] = [
  [events, 'stream', 'orders'],
  [events, 'event_type', 'order.placed'],
  [events, 'entity_id', 'order-1'],
  [events, 'wait_for', 'orders:0:0'],
  [states, 'wait_for', 'orders:0:0'],
  [`${states}/a`, 'wait_for', 'orders:0:0'],
];
const sql = [
  "' OR 1=1 --",
  '; DROP TABLE events',
  '`',
  '/* */ 1',
  '-- x',
  '{p:String}',
  '\\',
  '"; SELECT 1',
  '\u0000',
];

async function expectNamed(path: string, pointer: string): Promise<void> {
  const answer = await get(path);
  expect(answer.headers['content-type'], path).toMatch(/^application\/problem\+json/);
  const { code, errors } = answer.json<{ code: string; errors: { pointer: string }[] }>();
  expect([answer.statusCode, code], path).toEqual([400, 'invalid_request']);
  expect(
    errors.map((error) => error.pointer),
    path,
  ).toEqual([pointer]);
}

describe('a query parameter', () => {
  it.each(['since', 'until'])(
    '%s with a + that is not encoded gets a 400 that says how to encode it',
    async (name) => {
      const answer = await get(`${events}?${name}=2026-11-21T00:00:00+01:00`);
      const { errors } = answer.json<{ errors: { pointer: string; detail: string }[] }>();
      expect(errors).toEqual([{ pointer: name, detail: expect.stringContaining('write %2B') as string }]);
      expect((await get(`${events}?${name}=2026-11-21T00:00:00%2B01:00`)).statusCode).toBe(200);
    },
  );

  it.each([counts, `${states}/a`, ...lists])(
    'that is unknown to %s is named in the problem',
    async (path) => {
      await expectNamed(`${path}?colour=red`, 'colour');
      await expectNamed(`${path}?Limit=1`, 'Limit');
      await expectNamed(`${path}?__proto__=1`, '__proto__');
      await expectNamed(`${path}?access_token=x`, 'access_token');
    },
  );

  it.each(single)('of %s that is sent twice is named in the problem: %s', async (path, name, value) => {
    await expectNamed(`${path}?${name}=${value}&${name}=${value}`, name);
  });

  it.each([...single, ...repeatable])(
    'of %s without a value is named in the problem: %s',
    async (path, name) => {
      await expectNamed(`${path}?${name}=`, name);
      await expectNamed(`${path}?${name}`, name);
    },
  );

  it.each(repeatable)('of %s may be repeated at most 100 times: %s', async (path, name, value) => {
    const many = Array.from({ length: 101 }, () => `${name}=${value}`).join('&');
    await expectNamed(`${path}?${many}`, name);
  });

  it.each(lists)('limit of %s must be a number within its limits', async (path) => {
    const wrong = ['0', '-1', '10001', 'NaN', 'Infinity', '1.5', '1e3', '0x10', ' 1', '+1', '9'.repeat(400)];
    for (const value of wrong) await expectNamed(`${path}?limit=${encodeURIComponent(value)}`, 'limit');
  });

  it.each([
    [events, 'since'],
    [events, 'until'],
    [counts, 'since'],
    [letters, 'until'],
  ])('of %s that is a time must be a valid one: %s', async (path, name) => {
    const wrong = [
      '2026-02-30T00:00:00Z',
      '2026-13-01T00:00:00Z',
      '2026-01-01T24:00:00Z',
      '2026-01-01T00:00:00',
      '2026-01-01',
      '1795233600',
      'yesterday',
      'NaN',
      '2026-01-01T00:00:00+25:00',
      '1899-12-31T23:59:59Z',
      '2200-01-01T00:00:00Z',
      '99999-01-01T00:00:00Z',
      ...sql,
    ];
    for (const value of wrong) await expectNamed(`${path}?${name}=${encodeURIComponent(value)}`, name);
  });

  it('since must be before until', async () => {
    for (const path of [events, counts, letters]) {
      await expectNamed(`${path}?since=2026-11-22T00:00:00Z&until=2026-11-21T00:00:00Z`, 'since');
      await expectNamed(`${path}?since=2026-11-21T00:00:00Z&until=2026-11-21T00:00:00Z`, 'since');
    }
  });

  it.each([
    [events, 'stream', ['a/b', '..', '__consumer_offsets', '-a', 'ž', 'x'.repeat(201), ...sql]],
    [entities, 'stream', ['a/b', '..', '_x', ...sql]],
    [events, 'order', ['ASC', 'up', 'asc;', ...sql]],
    [counts, 'group_by', ['data', 'Stream', 'stream, 1', ...sql]],
    [counts, 'interval', ['0s', '-1h', '1 hour', '1w', '1e9s', '99999999d', 'NaN', ...sql]],
    [counts, 'quantile', ['-1', '1.1', '5e-1', 'NaN', '0x1', '', ' 0.5', ...sql]],
    [counts, 'value', ['x'.repeat(4097)]],
    [
      events,
      'wait_for',
      ['orders', 'orders:0', 'orders:-1:0', 'orders:0:-1', 'orders:0:NaN', 'a:b:0:0', ...sql],
    ],
    [states, 'wait_for', ['orders', 'orders:0', 'other:0:0', ...sql]],
    [states, 'prefix', ['x'.repeat(257)]],
    [states, 'order_by', ['x'.repeat(65), 'nothing', 'n;', '__proto__', ...sql]],
    [states, 'order', ['ASC', 'up', ...sql]],
    [events, 'event_type', ['x'.repeat(257)]],
    [events, 'entity_id', ['x'.repeat(257)]],
    [events, 'event_type_prefix', ['x'.repeat(257)]],
    [events, 'where', ['x'.repeat(4097)]],
    [events, 'cursor', ['x'.repeat(4097)]],
    [letters, 'source', ['x'.repeat(301)]],
  ])('of %s refuses invalid values: %s', async (path, name, values) => {
    for (const value of values) await expectNamed(`${path}?${name}=${encodeURIComponent(value)}`, name);
  });

  it.each(['event_type', 'entity_id', 'event_type_prefix'])(
    '%s accepts SQL as ordinary text',
    async (name) => {
      for (const value of sql) {
        const answer = await get(`${events}?${name}=${encodeURIComponent(value)}`);
        expect([answer.statusCode, answer.json<{ count: number }>().count], value).toEqual([200, 0]);
      }
    },
  );

  it('interval may not divide a range into more buckets than an answer may have', async () => {
    await expectNamed(
      `${counts}?interval=1s&since=2026-01-01T00:00:00Z&until=2026-12-01T00:00:00Z`,
      'interval',
    );
  });

  it.each(['1 +', 'event.', '"a', ...sql.slice(0, 6)])(
    'where with an invalid expression gets invalid_expression: %s',
    async (where) => {
      const answer = await get(`${events}?where=${encodeURIComponent(where)}`);
      expect(answer.statusCode).toBe(400);
      expect(answer.json()).toMatchObject({ code: 'invalid_expression', errors: [{ pointer: 'where' }] });
    },
  );
});

describe('a cursor', () => {
  const cursorOf = async (path: string) => (await get(path)).json<{ next_cursor: string }>().next_cursor;

  it('is refused when one of its characters is changed', async () => {
    const cursor = await cursorOf(`${events}?limit=3`);
    for (let i = 0; i < cursor.length; i++) {
      const changed = cursor.slice(0, i) + (cursor[i] === 'A' ? 'B' : 'A') + cursor.slice(i + 1);
      expect((await get(`${events}?limit=3&cursor=${changed}`)).json(), changed).toMatchObject({
        code: 'invalid_cursor',
        status: 400,
        errors: [{ pointer: 'cursor' }],
      });
    }
  });

  it('is refused with other filters, with another order, and at another path', async () => {
    const cursor = await cursorOf(`${events}?stream=orders&limit=3`);
    for (const path of [
      `${events}?stream=other&limit=3`,
      `${events}?stream=orders&stream=other&limit=3`,
      `${events}?limit=3`,
      `${events}?stream=orders&limit=3&order=desc`,
      `${events}?stream=orders&limit=3&event_type=x`,
      `${events}?stream=orders&limit=3&since=2026-11-21T00:00:00Z`,
      `${entities}?stream=orders`,
      `${streams}?limit=3`,
      `${letters}?limit=3`,
    ]) {
      expect((await get(`${path}&cursor=${cursor}`)).json(), path).toMatchObject({ code: 'invalid_cursor' });
    }
    expect((await get(`${events}?stream=orders&limit=5&cursor=${cursor}`)).statusCode).toBe(200);
  });

  it.each(lists)('that is not valid is refused by %s', async (path) => {
    for (const cursor of ['abc', '....', 'WzFd', 'bnVsbA', 'x'.repeat(2000), ...sql]) {
      expect((await get(`${path}?cursor=${encodeURIComponent(cursor)}`)).json()).toMatchObject({
        code: 'invalid_cursor',
      });
    }
  });
});
