import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseTime } from '#json';
import { systemActor } from '#registry';
import { rowBatchesOf } from '../../../libs/core/store/row-batch/row-batches-of.fixture.js';
import { eventRow, givenGateway, type GivenGateway } from './gateway.fixture.js';

let gateway: GivenGateway;

beforeAll(async () => {
  gateway = await givenGateway();
  for (const stream of ['orders', 'users']) await gateway.definitions.createStream({ stream }, systemActor);
  const rows = Array.from({ length: 10 }, (_, offset) => eventRow({ offset }));
  await gateway.store.writer.appendRowBatches(
    rowBatchesOf([...rows, eventRow({ stream: 'users', offset: 70 })]),
    'token',
  );
  await gateway.store.writer.appendDeadLetters(
    [1, 2, 3].map((offset) => ({
      source: 'materializer',
      stream: 'orders',
      partition: 0,
      offset,
      reason: 'unreadable',
      error: 'not JSON',
      event: 'hello',
      created_at: parseTime(`2026-11-21T0${offset}:00:00Z`) ?? NaN,
    })),
  );
});
afterAll(() => gateway.close());

const get = async <T>(url: string) => (await gateway.core.instance.inject({ url })).json<T>();

describe('GET /api/v1/entities', () => {
  it('lists entities with their latest version and the time of their last event', async () => {
    expect(await get('/api/v1/entities?stream=orders')).toEqual({
      entities: [
        { stream: 'orders', entity_id: 'order-0', version: 4, last_timestamp: '2026-11-21T04:00:09.000123Z' },
        { stream: 'orders', entity_id: 'order-1', version: 3, last_timestamp: '2026-11-21T04:00:07.000123Z' },
        { stream: 'orders', entity_id: 'order-2', version: 3, last_timestamp: '2026-11-21T04:00:08.000123Z' },
      ],
      count: 3,
      has_more: false,
      next_cursor: null,
    });
  });

  it('has pages', async () => {
    const first = await get<{ next_cursor: string }>('/api/v1/entities?limit=3');
    expect(await get(`/api/v1/entities?limit=3&cursor=${first.next_cursor}`)).toMatchObject({
      entities: [{ stream: 'users' }],
      has_more: false,
    });
  });
});

describe('GET /api/v1/entities of a stream', () => {
  it('answers 404 for an unknown stream', async () => {
    expect(await get('/api/v1/entities?stream=oders')).toMatchObject({
      code: 'stream_not_found',
      status: 404,
    });
  });
});

describe('GET /api/v1/dead-letters', () => {
  it('lists dead letters, newest first, with their total number', async () => {
    const answer = await get<{ dead_letters: { offset: number }[] }>('/api/v1/dead-letters?limit=2');
    expect(answer).toMatchObject({
      total: 3,
      has_more: true,
      dead_letters: [
        {
          source: 'materializer',
          stream: 'orders',
          partition: 0,
          offset: 3,
          reason: 'unreadable',
          error: 'not JSON',
          event: 'hello',
          created_at: '2026-11-21T03:00:00.000000Z',
        },
        { offset: 2 },
      ],
    });
  });

  it('filters by source and time', async () => {
    expect(await get('/api/v1/dead-letters?source=nobody')).toMatchObject({ total: 0 });
    const range = 'since=2026-11-21T02:00:00Z&until=2026-11-21T03:00:00Z';
    expect(await get(`/api/v1/dead-letters?${range}`)).toMatchObject({
      total: 1,
      dead_letters: [{ offset: 2 }],
    });
  });
});
