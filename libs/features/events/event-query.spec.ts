import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { StoredEvent } from '#event';
import { HttpAnswerMemoryBudget } from '#http';
import { systemActor } from '#registry';
import { rowBatchesOf } from '../../core/store/row-batch/row-batches-of.fixture.js';
import {
  eventRow,
  givenGateway,
  commitMaterialized,
  type GivenGateway,
} from '../../../apps/gateway/src/gateway.fixture.js';

interface Answer {
  events: StoredEvent[];
  count: number;
  has_more: boolean;
  next_cursor: string | null;
}

let gateway: GivenGateway;

beforeAll(async () => {
  gateway = await givenGateway();
  for (const stream of ['orders', 'other'])
    await gateway.definitions.createStream({ stream, partitions: 2 }, systemActor);
  const rows = Array.from({ length: 25 }, (_, offset) => eventRow({ offset }));
  await gateway.store.writer.appendRowBatches(
    rowBatchesOf([...rows, eventRow({ stream: 'other', offset: 0 })]),
    'token',
  );
});
afterAll(() => gateway.close());

const get = (query: string, accept?: string) =>
  gateway.core.instance.inject({ url: `/api/v1/events/query${query}`, headers: accept ? { accept } : {} });

describe('GET /api/v1/events/query', () => {
  it('returns pages, whose cursors lead to all events', async () => {
    const seen: number[] = [];
    let cursor = '';
    for (;;) {
      const answer = (await get(`?stream=orders&limit=10${cursor}`)).json<Answer>();
      expect(answer.count).toBe(answer.events.length);
      expect(answer.has_more).toBe(answer.next_cursor !== null);
      seen.push(...answer.events.map((event) => event.offset));
      if (answer.next_cursor === null) break;
      cursor = `&cursor=${answer.next_cursor}`;
    }
    expect(seen).toEqual(Array.from({ length: 25 }, (_, offset) => offset));
  });

  it('has the cursor of the next page in its headers, in every media type', async () => {
    for (const accept of ['application/json', 'application/x-ndjson', 'text/csv']) {
      const first = await get('?stream=orders&limit=20', accept);
      const next = /^<(.+)>; rel="next"$/.exec(String(first.headers.link))?.[1] ?? '';
      expect(next).toContain(`cursor=${String(first.headers['x-next-cursor'])}`);
      const second = await gateway.core.instance.inject({ url: next });
      expect(second.json<Answer>().events.map((event) => event.offset)).toEqual([20, 21, 22, 23, 24]);
      expect(second.headers.link).toBeUndefined();
    }
  });

  it('returns data exactly as it was sent, in every media type', async () => {
    const data = '{"n":7,"big":9007199254740993,"price":0.10}';
    const query = '?stream=orders&since=2026-11-21T04:00:07Z&until=2026-11-21T04:00:08Z';
    expect((await get(query)).body).toContain(`"data":${data},`);
    expect((await get(query, 'application/x-ndjson')).body).toContain(`"data":${data},`);
    expect((await get(query, 'text/csv')).body).toContain(`"${data.replaceAll('"', '""')}"`);
  });

  it.each([
    ['?stream=orders&stream=other&limit=100', 26],
    ['?stream=other', 1],
    ['?entity_id=order-1', 8],
    ['?entity_id=order-1&entity_id=order-2&stream=orders', 16],
    ['?event_type=order.placed&event_type=x', 26],
    ['?event_type_prefix=order.', 26],
    ['?event_type_prefix=order_', 0],
    ['?since=2026-11-21T05:00:10.000123%2B01:00&stream=orders', 15],
    ['?until=2026-11-21T04:00:10.000123Z&stream=orders', 10],
  ])('%s finds %d events', async (query, count) => {
    expect((await get(query)).json<Answer>().count).toBe(count);
  });

  it.each(['query', 'count'])(
    'answers 404 for an unknown stream instead of an empty result: %s',
    async (route) => {
      const url = `/api/v1/events/${route}?stream=orders&stream=oders`;
      const answer = await gateway.core.instance.inject({ url });
      expect(answer.json()).toMatchObject({
        code: 'stream_not_found',
        status: 404,
        errors: [{ pointer: 'stream', detail: 'there is no stream oders' }],
      });
    },
  );

  it('returns the newest events first with order=desc', async () => {
    const answer = (await get('?stream=orders&order=desc&limit=2')).json<Answer>();
    expect(answer.events.map((event) => event.offset)).toEqual([24, 23]);
  });

  it('sends a large page completely, in every media type', async () => {
    const large = await givenGateway();
    const rows = Array.from({ length: 3000 }, (_, offset) => eventRow({ offset }));
    await large.store.writer.appendRowBatches(rowBatchesOf(rows), 'token');
    const page = (accept: string) =>
      large.core.instance.inject({ url: '/api/v1/events/query?limit=3000', headers: { accept } });
    const json = (await page('application/json')).json<Answer>();
    expect([json.count, new Set(json.events.map((event) => event.offset)).size]).toEqual([3000, 3000]);
    expect((await page('application/x-ndjson')).body.split('\n')).toHaveLength(3001);
    expect((await page('text/csv')).body.split('\r\n')).toHaveLength(3002);
    await large.close();
  });

  it('refuses a large page when too many bytes of answers wait already, but not a small one', async () => {
    const answers = new HttpAnswerMemoryBudget(4 * 1024 * 1024);
    const full = await givenGateway({ answers });
    await full.store.writer.appendRowBatches(
      rowBatchesOf(Array.from({ length: 3000 }, (_, offset) => eventRow({ offset }))),
      'token',
    );
    const page = (limit: number, accept: string) =>
      full.core.instance.inject({ url: `/api/v1/events/query?limit=${limit}`, headers: { accept } });
    answers.share().take(3 * 1024 * 1024);
    for (const accept of ['application/json', 'application/x-ndjson', 'text/csv']) {
      const refused = await page(3000, accept);
      expect(refused.json()).toMatchObject({ code: 'overloaded', status: 503 });
      expect(refused.headers).toMatchObject({ 'retry-after': '2' });
      expect(refused.headers).not.toHaveProperty('content-disposition');
      expect((await page(100, accept)).statusCode).toBe(200);
    }
    await full.close();
  });

  it('sends its media type, and CSV as a download', async () => {
    expect((await get('?limit=1')).headers['content-type']).toMatch(/^application\/json/);
    expect((await get('?limit=1', 'application/x-ndjson')).headers['content-type']).toMatch(
      /^application\/x-ndjson/,
    );
    const csv = await get('?limit=1', 'text/csv');
    expect(csv.headers['content-type']).toMatch(/^text\/csv/);
    expect(csv.headers['content-disposition']).toContain('events.csv');
  });

  it('answers 406 for any other media type', async () => {
    const answer = await get('', 'application/xml');
    expect(answer.statusCode).toBe(406);
    expect(answer.json()).toMatchObject({ code: 'not_acceptable' });
  });

  it('refuses an expression that the store cannot evaluate, and names where it is', async () => {
    const answer = await get(`?where=${encodeURIComponent('event.data.n > 3')}`);
    expect(answer.statusCode).toBe(400);
    expect(answer.json()).toMatchObject({ code: 'invalid_expression', errors: [{ pointer: 'where' }] });
  });

  it('waits for positions, and answers 504 when they are not reached', async () => {
    commitMaterialized(gateway, 'orders', { partition: 1, offset: 8 });
    expect((await get('?stream=orders&wait_for=orders:1:7')).statusCode).toBe(200);
    const late = await get('?stream=orders&wait_for=orders:1:7&wait_for=orders:1:8');
    expect(late.statusCode).toBe(504);
    expect(late.json()).toMatchObject({ code: 'not_yet_materialized' });
    expect((await get('?wait_for=nobody:0:0')).json()).toMatchObject({
      code: 'stream_not_found',
      status: 404,
    });
    expect((await get('?wait_for=orders:2:0')).json()).toMatchObject({
      code: 'invalid_request',
      status: 400,
    });
  });
});

describe('GET /api/v1/events/{event_id}', () => {
  const event = (id: string) => gateway.core.instance.inject({ url: `/api/v1/events/${id}` });

  it('returns the event, whatever the case of its id', async () => {
    const { event_id } = eventRow({ offset: 3 });
    for (const id of [event_id, event_id.toUpperCase()]) {
      expect((await event(id)).json()).toMatchObject({ event_id, offset: 3, data: { n: 3 } });
    }
  });

  it('answers 404 for an unknown id, and 400 for an invalid one', async () => {
    const answer = await event('019aa4e2-7d53-7c1e-9a3e-0d6a1f0b2c11');
    expect(answer.json()).toMatchObject({ code: 'event_not_found', status: 404 });
    for (const id of ['17', "'%20OR%201=1", '%7Bp:String%7D', '__proto__', 'x'.repeat(500)]) {
      expect((await event(id)).json(), id).toMatchObject({ code: 'invalid_request', status: 400 });
    }
  });
});

describe('GET /api/v1/events/count', () => {
  const count = (query: string) => gateway.core.instance.inject({ url: `/api/v1/events/count${query}` });

  it('counts by the time of the events, or by that of their ingestion', async () => {
    const range = 'since=2026-11-21T04:00:10Z&until=2026-11-21T04:00:20Z&stream=orders';
    expect((await count(`?${range}`)).json()).toMatchObject({ total: 10 });
    expect((await count(`?${range}&time=timestamp`)).json()).toMatchObject({ total: 10 });
    const ingested = (await count('?stream=orders&time=ingested_at&interval=1s')).json<{ total: number }>();
    expect(ingested.total).toBe(25);
    const refused = await count('?time=received_at');
    expect(refused.json()).toMatchObject({ code: 'invalid_request', errors: [{ pointer: 'time' }] });
  });

  it('counts all events, by field, and by time', async () => {
    expect((await count('')).json()).toMatchObject({ total: 26 });
    expect((await count('?group_by=stream')).json()).toEqual({
      buckets: [
        { group: 'orders', count: 25 },
        { group: 'other', count: 1 },
      ],
      total: 26,
    });
    expect((await count('?stream=orders&interval=10s')).json()).toEqual({
      buckets: [
        { start: '2026-11-21T04:00:00.000000Z', count: 10 },
        { start: '2026-11-21T04:00:10.000000Z', count: 10 },
        { start: '2026-11-21T04:00:20.000000Z', count: 5 },
      ],
      total: 25,
    });
  });

  it('counts by the local days of a zone, and says the version of its data', async () => {
    const range = 'stream=orders&since=2026-11-20T00:00:00Z&until=2026-11-23T00:00:00Z';
    expect((await count(`?${range}&calendar=day&zone=America/Los_Angeles`)).json()).toEqual({
      buckets: [{ start: '2026-11-20T08:00:00.000000Z', count: 25 }],
      total: 25,
      zone_data: process.versions.tz,
    });
    expect((await count(`?${range}&calendar=week&zone=%2B05:30&group_by=stream`)).json()).toMatchObject({
      buckets: [{ start: '2026-11-15T18:30:00.000000Z', group: 'orders', count: 25 }],
    });
  });

  it.each([
    ['calendar=hour&zone=UTC', 'calendar', 'day, week, month, quarter, year'],
    ['calendar=day', 'zone', 'is required'],
    ['calendar=day&zone=Berlin', 'zone', 'is not a time zone: write a name such as Europe/Berlin'],
    ['calendar=day&zone=UTC&interval=1d', 'interval', 'beside calendar'],
    ['zone=UTC', 'zone', 'is only for a count with calendar'],
    ['calendar=day&zone=UTC&since=1900-01-01T00:00:00Z', 'calendar', 'more than 10000 buckets'],
  ])('refuses a count with %s', async (query, pointer, detail) => {
    const range = { since: '2026-11-20T00:00:00Z', until: '2026-11-23T00:00:00Z' };
    const given = new URLSearchParams({ ...range, ...Object.fromEntries(new URLSearchParams(query)) });
    const refused = (await count(`?${given.toString()}`)).json<{
      errors: { pointer: string; detail: string }[];
    }>();
    expect(refused).toMatchObject({ code: 'invalid_request', errors: [{ pointer }] });
    expect(refused.errors[0]?.detail).toContain(detail);
  });

  it.each([
    ['quantile=0.5', 'value', 'is required with quantile'],
    ['value=event.offset', 'quantile', 'is required with value'],
    ['quantile=2&value=event.offset', 'quantile', 'numbers from 0 to 1'],
    ['quantile=0.5&quantile=0.50&value=event.offset', 'quantile', 'twice'],
    [
      `value=event.offset&${Array.from({ length: 17 }, (_, i) => `quantile=0.${i + 10}`).join('&')}`,
      'quantile',
      '16',
    ],
  ])('refuses a count with %s', async (query, pointer, detail) => {
    const refused = (await count(`?${query}`)).json<{ errors: { pointer: string; detail: string }[] }>();
    expect(refused).toMatchObject({ code: 'invalid_request', errors: [{ pointer }] });
    expect(refused.errors[0]?.detail).toContain(detail);
  });

  it.each([
    ['event.stream', 'a number is needed'],
    ['event.offset +', 'character'],
    ['event.offset', 'cannot evaluate'],
  ])('names the value %s that gives no number', async (value, detail) => {
    const refused = (await count(`?quantile=0.5&value=${encodeURIComponent(value)}`)).json<{
      detail: string;
    }>();
    expect(refused).toMatchObject({ code: 'invalid_expression', errors: [{ pointer: 'value' }] });
    expect(refused.detail).toContain(detail);
  });

  it('needs a range of time for a count by a calendar', async () => {
    const refused = await count('?calendar=year&zone=UTC&since=2026-11-20T00:00:00Z');
    expect(refused.json()).toMatchObject({ code: 'invalid_request', errors: [{ pointer: 'until' }] });
    const openStart = await count('?calendar=year&zone=UTC&until=2026-11-20T00:00:00Z');
    expect(openStart.json()).toMatchObject({ code: 'invalid_request', errors: [{ pointer: 'since' }] });
  });
});
