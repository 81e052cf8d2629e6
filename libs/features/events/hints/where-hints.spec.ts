import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseCondition } from '#cel';
import { storedEventVariable } from '#dataflow';
import { Bulkhead } from '#gateway-kit';
import { systemActor } from '#registry';
import type { EventReader } from '#store';
import { eventRow, givenGateway, type GivenGateway } from '../../../../apps/gateway/src/gateway.fixture.js';
import { rowBatchesOf } from '../../../core/store/row-batch/row-batches-of.fixture.js';
import type { WhereHint } from './where-hint.js';
import { WhereHintReader } from './where-hint-reader.js';

interface Answer {
  events?: unknown[];
  total?: number;
  hints?: WhereHint[];
}

let gateway: GivenGateway;
let limited: string;
/** The queries that the store got. */
let queries: Parameters<EventReader['query']>[0][] = [];
let fail: Error | undefined;

beforeAll(async () => {
  gateway = await givenGateway({ where: true, reader: recording });
  for (const stream of ['orders', 'secret'])
    await gateway.definitions.createStream({ stream, partitions: 1 }, systemActor);
  const data = {
    amount: 5,
    currency: 'EUR',
    customer: { name: 'Ada' },
    items: [{ sku: 'a' }],
    'unit price': 1,
  };
  const rows = [
    eventRow({ offset: 0, data: JSON.stringify(data), metadata: '{"source":"web"}' }),
    eventRow({ offset: 1, data: '{"amount":6,"note":null}' }),
    eventRow({ offset: 2, event_type: 'order.paid', data: '{"paid":true}' }),
    eventRow({ offset: 0, stream: 'secret', data: '{"amont_of_secret":1}' }),
  ];
  await gateway.store.writer.appendRowBatches(rowBatchesOf(rows), 'token');
  const schema = { properties: { discount: { properties: { percent: {} } } } };
  const payload = { stream: 'orders', event_type: 'order.paid', schema };
  await gateway.core.instance.inject({ method: 'POST', url: '/api/v1/schemas', payload });
  const key = { name: 'orders', scopes: ['events:read'], streams: ['orders'] };
  const issued = await gateway.core.instance.inject({ method: 'POST', url: '/api/v1/keys', payload: key });
  limited = `Bearer ${issued.json<{ key: string }>().key}`;
});
afterAll(() => gateway.close());

describe('an answer without events', () => {
  it('names a member of where that no event has, and the known ones, the most similar first', async () => {
    const { events, hints } = await query('event.data.amont > 5');
    expect(events).toEqual([]);
    expect(hints).toEqual([
      {
        member: 'event.data.amont',
        detail: expect.stringMatching(
          /^None of the 3 events that the query selects without `where` has event\.data\.amont\. Did you mean event\.data\.amount\? Known members: event\.data\.amount, /,
        ) as string,
        known: expect.arrayContaining(['event.data.currency', 'event.data["unit price"]']) as string[],
      },
    ]);
    expect(hints?.[0]?.known[0]).toBe('event.data.amount');
  });

  it.each([
    ['event.data.customr.name == "x"', ['event.data.customr'], 'event.data.customer'],
    ['event.data.customer.nam == "x"', ['event.data.customer.nam'], 'event.data.customer.name'],
    ['event.metadata.sorce == "x"', ['event.metadata.sorce'], 'event.metadata.source'],
    ['event.data.x == 1 && event.data.y == 1', ['event.data.x', 'event.data.y'], undefined],
    ['event.data.items.sku == "a"', ['event.data.items.sku'], undefined],
    ['event.data.discount.percnt > 1', ['event.data.discount.percnt'], 'event.data.discount.percent'],
  ])('names the missing member of %s: %j', async (where, members, first) => {
    const { hints } = await query(where);
    expect(hints?.map(({ member }) => member)).toEqual(members);
    if (first) expect(hints?.[0]?.known[0]).toBe(first);
  });

  it.each([
    ['whose members some event has', 'event.data.amount > 100 && event.data.customer.name == "x"'],
    ['whose member only a schema has', 'event.data.discount.percent > 1'],
    ['that tests with has whether the member exists', 'has(event.data.refund) && event.data.refund > 1'],
    ['whose member is null in some event', 'event.data.note == "x"'],
    ['without a member of data or metadata', 'event.event_id == "x"'],
  ])('has no hint for a where %s', async (_, where) => {
    expect(await query(where)).not.toHaveProperty('hints');
  });

  it('has no hint if there is no event even without where', async () => {
    expect(await query('event.data.amont > 5', '&since=2030-01-01T00:00:00Z')).not.toHaveProperty('hints');
  });

  it('is a count of 0, too, but not one by time or group: it accompanies a query', async () => {
    const misspelt = 'event.data.amont > 5';
    expect(await get('count?stream=orders', misspelt)).toMatchObject({ total: 0, hints: [{}] });
    for (const more of ['group_by=event_type', 'interval=1h', 'time=ingested_at'])
      expect(await get(`count?stream=orders&${more}`, misspelt)).not.toHaveProperty('hints');
  });

  it('names no member of events that the key may not read', async () => {
    const own = await get('query?limit=10', 'event.data.amont > 5', { authorization: limited });
    expect(own.hints?.[0]?.known[0]).toBe('event.data.amount');
    expect(JSON.stringify(own)).not.toContain('secret');
    const all = await get('query?limit=10', 'event.data.amont > 5');
    expect(all.hints?.[0]?.known).toContain('event.data.amont_of_secret');
  });

  it('is answered without a hint if the store cannot answer the further query', async () => {
    fail = new Error('down');
    expect(await query('event.data.amont > 5')).toEqual({
      ...{ events: [], count: 0, has_more: false, next_cursor: null },
    });
    fail = undefined;
  });

  it('is answered without a hint while all slots for queries are taken', async () => {
    const bulkhead = new Bulkhead({ concurrent: 1, queued: 1, waitMs: 10_000 });
    const reader = new WhereHintReader(gateway.store, gateway.definitions, gateway.context, bulkhead);
    const where = parseCondition('event.data.amont > 5', storedEventVariable);
    const { signal } = new AbortController();
    const filter = { where, access: { patterns: undefined, reserved: false } };
    const taken = bulkhead.run(signal, () => reader.of(filter, signal));
    expect(await taken).toBeUndefined();
    expect(await reader.of(filter, signal)).toHaveLength(1);
  });

  it('costs one further query of at most 100 events, and none for CSV or a following page', async () => {
    queries = [];
    await query('event.data.amont > 5 && event.data.curency == "x"');
    expect(queries.map(({ limit, order, where }) => [limit, order, where === undefined])).toEqual([
      [100, 'asc', false],
      [100, 'desc', true],
    ]);
    queries = [];
    await get('query?stream=orders', 'event.data.amont > 5', { accept: 'text/csv' });
    expect(queries).toHaveLength(1);
  });
});

it('an answer with events has no hints, and asks the store once', async () => {
  queries = [];
  expect(await query('event.data.amount > 5 || event.data.amont > 5')).not.toHaveProperty('hints');
  expect(queries).toHaveLength(1);
});

const query = (where: string, more = '') => get(`query?stream=orders${more}`, where);

async function get(
  address: string,
  where: string,
  { authorization, accept = 'application/json' }: { authorization?: string; accept?: string } = {},
) {
  const answer = await gateway[authorization ? 'query' : 'core'].instance.inject({
    url: `/api/v1/events/${address}&where=${encodeURIComponent(where)}`,
    headers: { accept, ...(authorization && { authorization }) },
  });
  expect(answer.statusCode, answer.body).toBe(200);
  return accept === 'text/csv' ? {} : answer.json<Answer>();
}

function recording(reader: EventReader): EventReader {
  const recorded: EventReader['query'] = async (asked, signal) => {
    queries.push(asked);
    if (fail && !asked.where) throw fail;
    return reader.query(asked, signal);
  };
  return new Proxy(reader, {
    get: (of, name) => {
      if (name === 'query') return recorded;
      const value: unknown = Reflect.get(of, name);
      return typeof value === 'function' ? (value.bind(of) as unknown) : value;
    },
  });
}
