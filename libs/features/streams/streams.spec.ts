import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemActor } from '#registry';
import { rowBatchesOf } from '../../core/store/row-batch/row-batches-of.fixture.js';
import { eventRow, givenGateway, type GivenGateway } from '../../../apps/gateway/src/gateway.fixture.js';

let gateway: GivenGateway;

beforeAll(async () => {
  gateway = await givenGateway();
  for (const stream of ['orders', 'empty', 'users']) {
    await gateway.definitions.createStream({ stream, partitions: 3 }, systemActor);
  }
  const rows = Array.from({ length: 10 }, (_, offset) => eventRow({ offset }));
  await gateway.store.writer.appendRowBatches(
    rowBatchesOf([...rows, eventRow({ stream: 'users', offset: 70 })]),
    'token',
  );
});
afterAll(() => gateway.close());

interface StreamList {
  streams: { stream: string }[];
  total: number;
  next_cursor: string;
}

const get = async <T>(url: string) => (await gateway.core.instance.inject({ url })).json<T>();
const created_at = expect.stringMatching(/^\d{4}-.*Z$/) as string;
const common = { partitions: 3, bytes: 0, lag: 0, retention: 'unlimited', snapshot_every: 100, created_at };
const orders = {
  stream: 'orders',
  events: 10,
  first_timestamp: '2026-11-21T04:00:00.000123Z',
  last_timestamp: '2026-11-21T04:00:09.000123Z',
  ...common,
};
const empty = { stream: 'empty', events: 0, first_timestamp: null, last_timestamp: null, ...common };
const users = {
  stream: 'users',
  events: 1,
  first_timestamp: '2026-11-21T04:01:10.000123Z',
  last_timestamp: '2026-11-21T04:01:10.000123Z',
  ...common,
};

describe('GET /api/v1/streams', () => {
  it("lists streams by name with a summary of each, including streams without events and the system's own", async () => {
    expect(await get('/api/v1/streams')).toEqual({
      streams: [empty, orders, expect.objectContaining({ stream: 'tributary.audit' }), users],
      total: 4,
      has_more: false,
      next_cursor: null,
    });
  });

  it('has pages', async () => {
    const first = await get<StreamList>('/api/v1/streams?limit=2');
    expect(first).toMatchObject({ total: 4, has_more: true });
    const second = await get<StreamList>(`/api/v1/streams?limit=2&cursor=${first.next_cursor}`);
    expect([...first.streams, ...second.streams].map(({ stream }) => stream)).toEqual([
      'empty',
      'orders',
      'tributary.audit',
      'users',
    ]);
    expect(second).toMatchObject({ total: 4, has_more: false });
  });
});

describe('GET /api/v1/streams/{stream}', () => {
  it('returns one stream', async () => {
    expect(await get('/api/v1/streams/orders')).toEqual({ ...orders, id_window_seconds: 3600 });
    expect(await get('/api/v1/streams/empty')).toEqual({ ...empty, id_window_seconds: 3600 });
  });

  it.each([
    ['/api/v1/streams/nobody', 'stream_not_found'],
    ['/api/v1/streams/a%2Fb', 'invalid_request'],
    ['/api/v1/streams/orders?colour=red', 'invalid_request'],
  ])('refuses %s', async (url, code) => {
    expect(await get(url)).toMatchObject({ code });
  });
});
