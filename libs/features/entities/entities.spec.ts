import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { auditStream } from '#api';
import { systemActor } from '#registry';
import type { EntitySnapshotStore } from '#features/entities/state';
import { rowBatchesOf } from '../../core/store/row-batch/row-batches-of.fixture.js';
import {
  eventRow,
  givenGateway,
  commitMaterialized,
  type GivenGateway,
} from '../../../apps/gateway/src/gateway.fixture.js';

let gateway: GivenGateway;

/** Four events of `order/1`, with a minute from one to the next. */
const data = [
  '{"status":"new","big":12345678901234567890}',
  '{"status":"paid","lines":{"a":1,"b":2}}',
  '{"lines":{"a":null}}',
  '{"status":"shipped"}',
];
const rows = (entity_id: string, from: number) =>
  data.map((text, i) =>
    eventRow({ ...{ offset: from + i, entity_id, version: i + 1, data: text }, timestamp: minute(i) }),
  );
const minute = (n: number) => Date.parse(`2026-11-21T04:0${n}:00Z`) * 1000;

beforeAll(async () => {
  gateway = await givenGateway();
  for (const stream of ['orders', 'other']) await gateway.definitions.createStream({ stream }, systemActor);
  await gateway.store.writer.appendRowBatches(rowBatchesOf([...rows('order/1', 0), ...rows('two', 10)]), 't');
  const large = (offset: number) =>
    eventRow({
      ...{ offset: 20 + offset, entity_id: 'large', version: offset + 1, timestamp: minute(offset) },
      data: `{"k${offset}":"${'x'.repeat(600_000)}"}`,
    });
  await gateway.store.writer.appendRowBatches(rowBatchesOf([large(0), large(1)]), 't');
});
afterAll(() => gateway.close());

const get = (url: string) => gateway.core.instance.inject({ url });
const state = (entity: string, more = '') =>
  get(`/api/v1/entities/${encodeURIComponent(entity)}/state?stream=orders${more}`);
const make = (payload: object | string, url = '/api/v1/snapshots') =>
  gateway.core.instance.inject({
    ...{ method: 'POST', url, payload },
    headers: { 'content-type': 'application/json' },
  });

describe('GET /api/v1/entities/{entity_id}/state', () => {
  it('returns the fold of the events, with all digits of numbers', async () => {
    const answer = await state('order/1');
    expect(answer.statusCode).toBe(200);
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(answer.body).toBe(
      '{"stream":"orders","entity_id":"order/1","version":4,"timestamp":"2026-11-21T04:03:00.000000Z",' +
        '"state":{"status":"shipped","big":12345678901234567890,"lines":{"b":2}},"from_snapshot":null}',
    );
  });

  it('returns the state as of a time, which is inclusive', async () => {
    expect((await state('order/1', '&as_of=2026-11-21T04:01:00Z')).json()).toMatchObject({
      version: 2,
      timestamp: '2026-11-21T04:01:00.000000Z',
      state: { status: 'paid', lines: { a: 1, b: 2 } },
    });
    const before = (await state('order/1', '&as_of=2026-11-21T03:59:59.999999Z')).json<{ detail: string }>();
    expect(before).toMatchObject({ code: 'entity_not_found', status: 404 });
    expect(before.detail).toContain('2026-11-21T03:59:59.999999Z');
  });

  it('answers 404 for an entity without events, and for an unknown stream', async () => {
    expect((await state('nobody')).json()).toMatchObject({ code: 'entity_not_found', status: 404 });
    const elsewhere = await get('/api/v1/entities/two/state?stream=other');
    expect(elsewhere.json()).toMatchObject({ code: 'entity_not_found' });
    const nowhere = await get('/api/v1/entities/two/state?stream=nowhere');
    expect(nowhere.json()).toMatchObject({ code: 'stream_not_found' });
  });

  it('names the version at which the state is too large, and returns earlier states', async () => {
    const answer = await state('large');
    expect(answer.json()).toMatchObject({ code: 'entity_state_too_large', status: 422 });
    expect(answer.json<{ detail: string }>().detail).toContain('version 2');
    expect((await state('large', '&as_of=2026-11-21T04:00:00Z')).statusCode).toBe(200);
    const snapshot = await make({ stream: 'orders', entity_id: 'large' });
    expect(snapshot.json()).toMatchObject({ code: 'entity_state_too_large' });
  });

  it('waits for a position', async () => {
    expect((await state('two', '&wait_for=orders:1:3')).json()).toMatchObject({
      code: 'not_yet_materialized',
    });
    commitMaterialized(gateway, 'orders', { partition: 1, offset: 4 });
    expect((await state('two', '&wait_for=orders:1:3')).statusCode).toBe(200);
  });

  it.each([
    ['two', '', 'stream'],
    ['two', '?stream=a/b', 'stream'],
    ['two', '?stream=orders&as_of=yesterday', 'as_of'],
    ['two', '?stream=orders&as_of=', 'as_of'],
    ['two', '?stream=orders&wait_for=orders', 'wait_for'],
    ['two', '?stream=orders&colour=red', 'colour'],
    ['%00', '?stream=orders', 'entity_id'],
    ['x'.repeat(257), '?stream=orders', 'entity_id'],
  ])('names the invalid parameter: %s%s', async (entity, query, pointer) => {
    const answer = await get(`/api/v1/entities/${entity}/state${query}`);
    expect(answer.json()).toMatchObject({ code: 'invalid_request', errors: [{ pointer }] });
  });
});

describe('snapshots', () => {
  interface Snapshot {
    snapshot_id: string;
    created_at: string;
  }

  it('are created once per version, and states are computed from them', async () => {
    const wanted = { stream: 'orders', entity_id: 'two' };
    const made = await make(wanted);
    expect(made.statusCode, made.body).toBe(201);
    expect(made.json()).toMatchObject({
      ...wanted,
      ...{ version: 4, timestamp: '2026-11-21T04:03:00.000000Z', reason: 'requested' },
      state: { status: 'shipped', lines: { b: 2 } },
    });
    expect(made.body).toContain('"big":12345678901234567890');
    const again = await make(wanted);
    expect(again.statusCode).toBe(200);
    expect(again.json()).toEqual(made.json());
    const from = (await state('two')).json<{ from_snapshot: number }>();
    expect(from).toMatchObject({ version: 4, from_snapshot: 4 });
    expect((await state('two', '&as_of=2026-11-21T04:01:00Z')).json()).toMatchObject({ from_snapshot: null });
    expect((await get('/api/v1/snapshots?entity_id=two')).json()).toEqual({
      ...{ snapshots: [made.json<Snapshot>()], total: 1, has_more: false, next_cursor: null },
    });
  });

  it('can be created by a key that may only write, without the state in the answer', async () => {
    const makeWith = (authorization: string) =>
      gateway.query.instance.inject({
        ...{ method: 'POST', url: '/api/v1/snapshots', payload: { stream: 'orders', entity_id: 'two' } },
        headers: { 'content-type': 'application/json', authorization },
      });
    const issued = await gateway.core.instance.inject({
      ...{ method: 'POST', url: '/api/v1/keys' },
      payload: { name: 'both', scopes: ['events:write', 'events:read'] },
    });
    const { key: both } = issued.json<{ key: string }>();
    const writer = await makeWith(gateway.bearer['events:write']);
    const reader = await makeWith(`Bearer ${both}`);
    expect(writer.json()).toMatchObject({ entity_id: 'two', version: 4 });
    expect(writer.json()).not.toHaveProperty('state');
    expect(reader.json()).toMatchObject({ version: 4, state: { status: 'shipped' } });
  });

  it('are listed by stream, by entity, or by both, page by page', async () => {
    await make({ stream: 'orders', entity_id: 'order/1' });
    const list = async (query: string) =>
      (await get(`/api/v1/snapshots?${query}`)).json<{
        snapshots: { entity_id: string }[];
        total: number;
        next_cursor: string;
      }>();
    expect((await list('stream=orders')).snapshots.map(({ entity_id }) => entity_id)).toEqual([
      'order/1',
      'two',
    ]);
    const first = await list('stream=orders&limit=1');
    expect([first.snapshots.length, first.total]).toEqual([1, 2]);
    const second = await list(`stream=orders&limit=1&cursor=${first.next_cursor}`);
    expect(second.snapshots.map(({ entity_id }) => entity_id)).toEqual(['two']);
    expect((await list('stream=orders&entity_id=order%2F1')).total).toBe(1);
    expect((await list('stream=other&entity_id=order%2F1')).total).toBe(0);
    const broken = await get(`/api/v1/snapshots?stream=other&cursor=${first.next_cursor}`);
    expect(broken.json()).toMatchObject({ code: 'invalid_cursor' });
  });

  it('cannot be listed without a stream or an entity', async () => {
    for (const query of ['', '?limit=5'])
      expect((await get(`/api/v1/snapshots${query}`)).json()).toMatchObject({
        ...{ code: 'invalid_request', errors: [{ pointer: 'stream' }, { pointer: 'entity_id' }] },
      });
  });

  it.each([
    ['stream=orders&limit=0', 'limit'],
    ['stream=orders&limit=10001', 'limit'],
    ['entity_id=', 'entity_id'],
    [`entity_id=${'x'.repeat(257)}`, 'entity_id'],
    ['stream=../x', 'stream'],
    ['stream=orders&version=1', 'version'],
  ])('are not listed with invalid parameters: %s', async (query, pointer) => {
    const answer = await get(`/api/v1/snapshots?${query}`);
    expect(answer.json()).toMatchObject({ code: 'invalid_request', errors: [{ pointer }] });
  });

  it.each([
    [{ stream: 'orders' }, 'invalid_request', '/entity_id'],
    [{ stream: 'orders', entity_id: '' }, 'invalid_request', '/entity_id'],
    [{ stream: 'orders', entity_id: 'a\u0000' }, 'invalid_request', '/entity_id'],
    [{ stream: 'orders', entity_id: 5 }, 'invalid_request', '/entity_id'],
    [{ stream: 'a/b', entity_id: 'two' }, 'invalid_request', '/stream'],
    [{ stream: 'orders', entity_id: 'two', version: 1 }, 'invalid_request', '/version'],
    [{ stream: auditStream, entity_id: 'two' }, 'stream_reserved', '/stream'],
    [{ stream: 'nowhere', entity_id: 'two' }, 'stream_not_found', '/stream'],
  ])('are not created from %j: %s', async (payload, code, pointer) => {
    expect((await make(payload)).json()).toMatchObject({ code, errors: [{ pointer }] });
  });

  it('are not created for an entity without events', async () => {
    const nobody = await make({ stream: 'orders', entity_id: 'nobody' });
    expect(nobody.json()).toMatchObject({ code: 'entity_not_found' });
    expect((await make('{')).json()).toMatchObject({ code: 'invalid_json' });
    const query = await make({ stream: 'orders', entity_id: 'two' }, '/api/v1/snapshots?x=1');
    expect(query.json()).toMatchObject({ code: 'invalid_request', errors: [{ pointer: 'x' }] });
  });

  it('are not created from events that are erased meanwhile', async () => {
    await gateway.store.writer.appendRowBatches(rowBatchesOf(rows('gone', 40)), 't');
    const { snapshots, eraser } = gateway.store;
    const save = snapshots.save.bind(snapshots);
    const late: EntitySnapshotStore['save'] = async (snapshot) => {
      await eraser.truncate({ stream: gateway.definitions.stream('orders')!.id, partition: 0, before: 99 });
      await save(snapshot);
    };
    Object.assign(snapshots, { save: late });
    const answer = await make({ stream: 'orders', entity_id: 'gone' });
    Object.assign(snapshots, { save });
    expect(answer.json()).toMatchObject({ code: 'snapshot_impossible', status: 409 });
    expect((await get('/api/v1/snapshots?entity_id=gone')).json()).toMatchObject({ total: 0 });
  });
});
