import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemActor } from '#registry';
import { StoreUnavailableError } from '#store';
import { rowBatchesOf } from '../../core/store/row-batch/row-batches-of.fixture.js';
import { eventRow, givenGateway, type GivenGateway } from '../../../apps/gateway/src/gateway.fixture.js';

let gateway: GivenGateway;

beforeEach(async () => {
  gateway = await givenGateway();
  await gateway.definitions.createStream({ stream: 'orders', partitions: 1 }, systemActor);
  await gateway.store.writer.appendRowBatches(rowBatchesOf([eventRow({ offset: 0 })]), 'token');
});
afterEach(() => gateway.close());

const send = async (method: 'GET' | 'PATCH' | 'DELETE' | 'POST', url: string, payload?: object) => {
  const answer = await gateway.core.instance.inject({ method, url, ...(payload && { payload }) });
  return { status: answer.statusCode, ...(answer.body && answer.json<object>()) };
};
const orders = '/api/v1/streams/orders';
const confirmed = `${orders}?confirm=orders`;

describe('PATCH /api/v1/streams/{stream}', () => {
  it('changes the retention of the definition and of the topic', async () => {
    const changed = await send('PATCH', orders, { retention: { time: '7d', bytes: 1_000_000 } });
    expect(changed).toMatchObject({ status: 200, events: 1, retention: { time: '7d', bytes: 1_000_000 } });
    expect(await send('GET', orders)).toEqual(changed);
    const back = await send('PATCH', orders, { retention: 'unlimited' });
    expect(back).toMatchObject({ status: 200, retention: 'unlimited' });
  });

  it('changes the interval of snapshots, and nothing else', async () => {
    await send('PATCH', orders, { retention: { time: '7d' } });
    const changed = await send('PATCH', orders, { snapshot_every: 0 });
    expect(changed).toMatchObject({ status: 200, snapshot_every: 0, retention: { time: '7d' } });
    const both = { snapshot_every: 20, retention: 'unlimited' };
    expect(await send('PATCH', orders, both)).toMatchObject(both);
    expect(await send('PATCH', orders, { retention: { time: '9d' } })).toMatchObject({ snapshot_every: 20 });
    const made = await send('POST', '/api/v1/streams', { stream: 'seldom', snapshot_every: 1000 });
    expect(made).toMatchObject({ status: 201, snapshot_every: 1000 });
    expect(await send('GET', '/api/v1/streams/seldom')).toMatchObject({ snapshot_every: 1000 });
  });

  it.each([
    [orders, {}, 'invalid_request'],
    [orders, { snapshot_every: -1 }, 'invalid_request'],
    [orders, { snapshot_every: 1.5 }, 'invalid_request'],
    [orders, { snapshot_every: 1_000_001 }, 'invalid_request'],
    [orders, { snapshot_every: '5' }, 'invalid_request'],
    [orders, { snapshot_every: null }, 'invalid_request'],
    [orders, { snapshot_every: 5, retention: null }, 'invalid_request'],
    [orders, { retention: '7d' }, 'invalid_request'],
    [orders, { retention: null }, 'invalid_request'],
    [orders, { retention: 'unlimited', partitions: 3 }, 'invalid_request'],
    ['/api/v1/streams/oders', { retention: 'unlimited' }, 'stream_not_found'],
    ['/api/v1/streams/tributary.audit', { retention: 'unlimited' }, 'stream_reserved'],
  ])('refuses %s with %j: %s', async (url, payload, code) => {
    expect(await send('PATCH', url, payload)).toMatchObject({ code });
  });
});

describe('PATCH /api/v1/streams/{stream} with a key', () => {
  const withKey = async (scopes: string[], retention: unknown) => {
    const key = { name: 'spec', scopes };
    const issued = await gateway.core.instance.inject({ method: 'POST', url: '/api/v1/keys', payload: key });
    const authorization = `Bearer ${issued.json<{ key: string }>().key}`;
    const request = {
      method: 'PATCH',
      url: orders,
      payload: { retention },
      headers: { authorization },
    } as const;
    const answer = await gateway.query.instance.inject(request);
    return { status: answer.statusCode, ...answer.json<object>() };
  };

  it('needs the scope admin if it removes events: for a first limit, and a shorter one', async () => {
    const refused = { status: 403, code: 'insufficient_scope' };
    expect(await withKey(['definitions:write'], { time: '30d' })).toMatchObject(refused);
    expect(await send('GET', orders)).toMatchObject({ retention: 'unlimited' });
    const admin = ['definitions:write', 'admin'];
    expect(await withKey(admin, { time: '30d' })).toMatchObject({ status: 200, retention: { time: '30d' } });
    expect(await withKey(['definitions:write'], { time: '1s' })).toMatchObject(refused);
    expect(await send('GET', orders)).toMatchObject({ retention: { time: '30d' } });
  });

  it('needs only definitions:write if more events are kept', async () => {
    await send('PATCH', orders, { retention: { time: '7d' } });
    for (const retention of [{ time: 'P7D' }, { time: '30d' }, 'unlimited'])
      expect(await withKey(['definitions:write'], retention)).toMatchObject({ status: 200, retention });
  });
});

describe('DELETE /api/v1/streams/{stream}', () => {
  it('deletes everything of the stream, and its name may be used again', async () => {
    expect(await send('DELETE', confirmed)).toEqual({ status: 204 });
    expect(await send('GET', orders)).toMatchObject({ status: 404, code: 'stream_not_found' });
    expect(await send('GET', '/api/v1/events/query')).toMatchObject({ count: 0 });
    expect(await gateway.log.admin.partitions(gateway.topicOf('orders'))).toBeUndefined();
    expect(await send('POST', '/api/v1/streams', { stream: 'orders', partitions: 3 })).toMatchObject({
      status: 201,
    });
    expect(await send('GET', orders)).toMatchObject({ status: 200, events: 0, partitions: 3 });
  });

  it.each(['', '?confirm=', '?confirm=oders', '?confirm=orders%20'])(
    'requires the name as a confirmation: %s',
    async (query) => {
      expect(await send('DELETE', orders + query)).toMatchObject({
        status: 400,
        code: 'invalid_request',
        errors: [{ pointer: 'confirm' }],
      });
      expect(await send('GET', orders)).toMatchObject({ status: 200, events: 1 });
    },
  );

  it.each([
    ['/api/v1/streams/oders?confirm=oders', 'stream_not_found'],
    ['/api/v1/streams/tributary.audit?confirm=tributary.audit', 'stream_reserved'],
  ])('refuses %s: %s', async (url, code) => {
    expect(await send('DELETE', url)).toMatchObject({ code });
  });

  it('hides the stream from the start, and is completed when it is repeated', async () => {
    const { eraser } = gateway.store;
    const dropStream = eraser.dropStream.bind(eraser);
    eraser.dropStream = () => Promise.reject(new StoreUnavailableError('down'));
    expect(await send('DELETE', confirmed)).toMatchObject({ status: 503, code: 'store_unavailable' });
    for (const url of [
      orders,
      '/api/v1/events/query?stream=orders',
      '/api/v1/events/count?stream=orders',
      '/api/v1/entities?stream=orders',
      '/api/v1/events/count?wait_for=orders:0:0',
    ]) {
      expect([url, await send('GET', url)]).toMatchObject([url, { code: 'stream_not_found' }]);
    }
    expect(await send('GET', '/api/v1/events/query')).toMatchObject({ count: 0 });
    expect(await send('GET', '/api/v1/events/count')).toMatchObject({ total: 0 });
    expect(await send('GET', `/api/v1/events/${eventRow({ offset: 0 }).event_id}`)).toMatchObject({
      code: 'event_not_found',
    });
    const event = { stream: 'orders', event_type: 't', data: {} };
    expect(await send('POST', '/api/v1/events', event)).toMatchObject({ code: 'stream_being_deleted' });
    expect(await send('POST', '/api/v1/streams', { stream: 'orders' })).toMatchObject({
      code: 'stream_being_deleted',
    });
    expect(await send('PATCH', orders, { retention: 'unlimited' })).toMatchObject({
      code: 'stream_being_deleted',
    });
    eraser.dropStream = dropStream;
    expect(await send('DELETE', confirmed)).toEqual({ status: 204 });
    expect(await send('POST', '/api/v1/events', event)).toMatchObject({ status: 201 });
  });
});
