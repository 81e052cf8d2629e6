import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { systemActor } from '#registry';
import { type ProjectionGeneration } from '#features/projections/definition';
import { compileFold, foldEvent, type FoldState } from '#dataflow';
import type { EventFromKafka } from '#event';
import { stateRow } from '../../../../core/store/keyed-states.fixture.js';
import { givenGateway, type GivenGateway } from '../../../../../apps/gateway/src/gateway.fixture.js';
import { nowServing } from './serving.fixture.js';

const path = '/api/v1/projections';
const fields = {
  orders: { op: 'count' },
  revenue: { op: 'sum', value: 'event.data.amount' },
  last: { op: 'last', value: 'event.data.note' },
  all: { op: 'collect', value: 'event.data.amount' },
};
const fold = compileFold(fields);

interface Page {
  states: { key: string; version: number; updated_at: string; state: Record<string, unknown> }[];
  total: number;
  has_more: boolean;
  next_cursor: string | null;
}

let gateway: GivenGateway;
let count = 0;
let name: string;

beforeAll(async () => {
  gateway = await givenGateway();
  for (const stream of ['orders', 'refunds', 'other'])
    await gateway.definitions.createStream({ stream, partitions: 2 }, systemActor);
});
afterAll(() => gateway.close());
beforeEach(() => void (name = `states-${++count}`));

const get = (url: string) => gateway.core.instance.inject({ url });
const read = async (query = '') => (await get(`${path}/${name}/state${query}`)).json<Page>();
const keysOf = ({ states }: Page) => states.map(({ key }) => key);

async function define(more: object = {}): Promise<void> {
  const payload = {
    name,
    source: { streams: ['orders', 'refunds'] },
    key: 'event.data.currency',
    fields,
    ...more,
  };
  const answer = await gateway.core.instance.inject({ method: 'POST', url: path, payload });
  expect(answer.statusCode, answer.body).toBe(201);
}

/** Returns a projection whose first generation has caught up. */
async function serving(more: object = {}): Promise<ProjectionGeneration> {
  await define(more);
  return nowServing(gateway, name);
}

interface Given {
  stream?: string;
  partition?: number;
  /** Data of the events, each folded a second after the previous one. */
  data: string[];
}

/** Saves the state of a key like a processor. */
async function saved({ id: generation }: ProjectionGeneration, key: string, given: Given): Promise<void> {
  const { stream = 'orders', partition = 0, data } = given;
  let state: FoldState = fold.empty;
  for (const [offset, text] of data.entries()) {
    const event: EventFromKafka = {
      ...{ stream, partition, offset, event_id: 'e', event_type: 't', entity_id: null },
      ...{ timestamp: offset * 1_000_000, ingested_at: offset * 1_000_000, schema_version: null },
      ...{ metadata: '{}', data: text },
    };
    state = fold.add(state, foldEvent(event)).state!;
  }
  const position = data.length - 1;
  const row = stateRow({
    ...{ owner: generation, key, stream, partition, state: JSON.stringify(state), events: data.length },
    ...{ position, updated_at: position * 1_000_000 },
  });
  await gateway.store.projections.save([row], []);
}

const amounts = (...all: (number | string)[]): string[] =>
  all.map((amount) => `{"amount":${amount},"note":null}`);

async function expectProblem(url: string, status: number, problem: object): Promise<void> {
  const answer = await get(url);
  expect(answer.json(), url).toMatchObject(problem);
  expect(answer.statusCode, url).toBe(status);
}

describe('the state of a key', () => {
  it('is merged from all partitions, with every digit', async () => {
    const generation = await serving();
    await saved(generation, 'EUR', { data: amounts('12345678901234567890.10', 1) });
    await saved(generation, 'EUR', { partition: 1, data: amounts(0.2, 0.3, 0.5) });
    await saved(generation, 'EUR', { stream: 'refunds', data: amounts(-1) });
    await saved(generation, 'USD', { data: amounts(7) });
    const answer = await get(`${path}/${name}/state/EUR`);
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(answer.body).toBe(
      '{"key":"EUR","version":6,"updated_at":"1970-01-01T00:00:02.000000Z","state":{"orders":6,' +
        '"revenue":12345678901234567891.1,"last":null,' +
        '"all":[12345678901234567890.1,-1,0.2,1,0.3,0.5]}}',
    );
    expect((await read()).states[0]).toEqual(JSON.parse(answer.body));
  });

  it.each(['a/b', 'ü "%"', '🎉', '...', '?x=1', '\\', '__proto__'])('is found by the key %s', async (key) => {
    const generation = await serving();
    await saved(generation, key, { data: amounts(1) });
    const answer = await get(`${path}/${name}/state/${encodeURIComponent(key)}`);
    expect(answer.json(), answer.body).toMatchObject({ key, version: 1, state: { orders: 1 } });
  });

  it('that does not exist is a 404', async () => {
    await serving();
    await expectProblem(`${path}/${name}/state/EUR`, 404, { code: 'projection_key_not_found' });
    await expectProblem(`${path}/nowhere/state/EUR`, 404, { code: 'projection_not_found' });
    await expectProblem(`${path}/nowhere/state`, 404, { code: 'projection_not_found' });
    await expectProblem(`${path}/a.b/state`, 400, { code: 'invalid_request' });
  });
});

describe('the states of a projection', () => {
  it('are empty when no event has been folded', async () => {
    await serving();
    expect(await read()).toEqual({ states: [], total: 0, has_more: false, next_cursor: null });
  });

  it('are sorted by the bytes of the key, page by page, with their total number', async () => {
    const generation = await serving();
    const keys = ['a', 'a1', 'a2', 'b', 'é', '\uffee', '🎉'];
    for (const key of keys.toReversed()) await saved(generation, key, { data: amounts(1) });
    const seen: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const page: Page = await read(`?limit=3${cursor && `&cursor=${cursor}`}`);
      expect([page.total, page.has_more]).toEqual([7, page.next_cursor !== null]);
      seen.push(...keysOf(page));
      cursor = page.next_cursor;
    }
    expect(seen).toEqual(keys);
    const some = await read('?prefix=a&limit=2');
    expect([keysOf(some), some.total, some.has_more]).toEqual([['a', 'a1'], 3, true]);
    expect(keysOf(await read(`?prefix=a&limit=2&cursor=${some.next_cursor}`))).toEqual(['a2']);
    await expectProblem(`${path}/${name}/state?prefix=b&cursor=${some.next_cursor}`, 400, {
      code: 'invalid_cursor',
    });
  });

  it('are sorted by a field with exact numbers, nulls last, then by key', async () => {
    const generation = await serving();
    const revenue = { a: '9007199254740993', b: '9007199254740992', c: '10', d: '9', e: '10', f: '-1.5' };
    for (const [key, amount] of Object.entries(revenue))
      await saved(generation, key, { data: amounts(amount) });
    const ascending = ['f', 'd', 'c', 'e', 'b', 'a'];
    expect(keysOf(await read('?order_by=revenue'))).toEqual(ascending);
    const seen: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const page: Page = await read(`?order_by=revenue&order=desc&limit=2${cursor && `&cursor=${cursor}`}`);
      expect(page.total).toBe(6);
      seen.push(...keysOf(page));
      cursor = page.next_cursor;
    }
    expect(seen).toEqual(['a', 'b', 'c', 'e', 'd', 'f']);
    for (const [key, note] of [
      ['t1', '"z"'],
      ['t2', '"é"'],
      ['t3', '5'],
      ['t4', '[1]'],
    ]) {
      await saved(generation, key!, { data: [`{"amount":0,"note":${note}}`] });
    }
    const byNote = keysOf(await read('?order_by=last'));
    expect(byNote.slice(0, 3)).toEqual(['t3', 't1', 't2']);
    expect(byNote.slice(3)).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 't4']);
    expect(keysOf(await read('?order_by=last&order=desc')).slice(0, 4)).toEqual(['t2', 't1', 't3', 'a']);
    expect(keysOf(await read('?order_by=last&prefix=t&limit=1'))).toEqual(['t3']);
  });

  it('are sorted only by fields that have an order', async () => {
    await serving();
    for (const field of ['nothing', 'all', '__proto__', 'constructor']) {
      const errors = [{ pointer: 'order_by' }];
      await expectProblem(`${path}/${name}/state?order_by=${field}`, 400, {
        code: 'invalid_request',
        errors,
      });
    }
    const errors = [{ pointer: 'order' }];
    await expectProblem(`${path}/${name}/state?order=desc`, 400, { code: 'invalid_request', errors });
  });

  it('are sorted up to a limit of keys, and with a prefix beyond it', async () => {
    const generation = await serving();
    const state = JSON.stringify(fold.empty);
    const rows = Array.from({ length: 20_001 }, (_, i) =>
      stateRow({ owner: generation.id, key: i < 5000 ? `a${i}` : `b${i}`, state, position: i }),
    );
    await gateway.store.projections.save(rows, []);
    const errors = [{ pointer: 'order_by' }];
    await expectProblem(`${path}/${name}/state?order_by=revenue`, 422, {
      code: 'query_too_expensive',
      errors,
    });
    const page = await read('?order_by=revenue&prefix=a&limit=3&order=desc');
    expect([keysOf(page), page.total]).toEqual([['a0', 'a1', 'a10'], 5000]);
  });

  it('have cursors that are valid for the same list only', async () => {
    const generation = await serving();
    for (const key of ['a', 'b', 'c']) await saved(generation, key, { data: amounts(1) });
    const byKey = (await read('?limit=1')).next_cursor;
    const byRevenue = (await read('?limit=1&order_by=revenue')).next_cursor;
    for (const query of [
      ...[`order_by=revenue&cursor=${byKey}`, `cursor=${byRevenue}`, `order_by=orders&cursor=${byRevenue}`],
      ...[`order_by=revenue&order=desc&cursor=${byRevenue}`, 'cursor=x', 'order_by=revenue&cursor=x'],
    ]) {
      await expectProblem(`${path}/${name}/state?${query}`, 400, { code: 'invalid_cursor' });
    }
  });
});

describe('a projection that is being built', () => {
  it('for the first time has no states yet, and reports its progress', async () => {
    await define();
    const producer = await gateway.log.producer();
    await producer.append(['a', 'b'].map((key) => ({ topic: gateway.topicOf('orders'), key, value: '{}' })));
    for (const url of [`${path}/${name}/state`, `${path}/${name}/state/EUR`]) {
      const answer = await get(url);
      expect([answer.statusCode, answer.headers['retry-after']]).toEqual([503, '2']);
      expect(answer.json()).toMatchObject({
        code: 'projection_building',
        detail: expect.stringMatching(/0 of 2 records/) as string,
      });
    }
  });

  it('again is read from the previous generation, even if the fields have changed', async () => {
    const generation = await serving();
    await saved(generation, 'EUR', { data: amounts(5) });
    const payload = { source: { streams: ['orders', 'refunds'] }, fields: { n: { op: 'count' } } };
    await gateway.core.instance.inject({ method: 'PUT', url: `${path}/${name}`, payload });
    expect((await read()).states).toMatchObject([{ key: 'EUR', state: { revenue: 5 } }]);
  });

  it('gives the reason why it does not continue', async () => {
    await define();
    const change = (more: object) =>
      gateway.definitions.projections.change(name, (current) => ({ ...current!, ...more }), systemActor);
    await change({ paused: true });
    await expectProblem(`${path}/${name}/state`, 503, { detail: expect.stringMatching(/resume/) as string });
    await change({ failure: 'too many keys' });
    await expectProblem(`${path}/${name}/state`, 503, {
      detail: expect.stringMatching(/too many keys/) as string,
    });
  });
});

describe('waiting for a position', () => {
  const committed = ({ id }: ProjectionGeneration, partition: number, offset: number) => {
    const place = { topic: gateway.topicOf('orders'), partition };
    gateway.log.broker.group(gateway.topics.projectionGroup(id)).commit(place, offset);
  };

  it('ends when the generation that is serving has passed it', async () => {
    const generation = await serving();
    const url = `${path}/${name}/state?wait_for=orders:0:3&wait_for=orders:1:0`;
    committed(generation, 0, 4);
    await expectProblem(url, 504, { code: 'not_yet_materialized' });
    committed(generation, 1, 1);
    expect((await get(url)).statusCode).toBe(200);
    await saved(generation, 'EUR', { data: amounts(1) });
    expect((await get(`${path}/${name}/state/EUR?wait_for=orders:0:3`)).statusCode).toBe(200);
    await expectProblem(`${path}/${name}/state/EUR?wait_for=orders:0:4`, 504, {
      code: 'not_yet_materialized',
    });
  });

  it('needs a stream of the projection that has not been replaced since the generation started', async () => {
    await serving();
    const errors = [{ pointer: 'wait_for' }];
    await expectProblem(`${path}/${name}/state?wait_for=other:0:0`, 400, { code: 'invalid_request', errors });
    await expectProblem(`${path}/${name}/state?wait_for=nowhere:0:0`, 400, {
      code: 'invalid_request',
      errors,
    });
    await expectProblem(`${path}/${name}/state?wait_for=orders:7:0`, 400, {
      code: 'invalid_request',
      errors,
    });
    await gateway.definitions.projections.change(
      name,
      (current) => {
        const sources = {
          ...current!.serving!.sources,
          orders: { id: 'orders#0' as const },
        };
        return { ...current!, serving: { ...current!.serving!, sources } };
      },
      systemActor,
    );
    await expectProblem(`${path}/${name}/state?wait_for=orders:0:0`, 400, {
      code: 'invalid_request',
      errors,
    });
  });

  it('does not wait for positions before the start of a projection that starts now', async () => {
    const generation = await serving({ from: 'now' });
    const start = generation.sources['orders']?.starts?.[0] ?? 0;
    const end = generation.sources['orders']?.starts?.[1] ?? 0;
    expect(Math.max(start, end)).toBeGreaterThan(0);
    const partition = start > 0 ? 0 : 1;
    expect((await get(`${path}/${name}/state?wait_for=orders:${partition}:0`)).statusCode).toBe(200);
  });
});

describe('access to states: a key', () => {
  const withKey = (authorization: string, url: string) =>
    gateway.query.instance.inject({ url, headers: { authorization } });

  it('needs events:read', async () => {
    await serving();
    for (const url of [`${path}/${name}/state`, `${path}/${name}/state/EUR`]) {
      expect((await withKey(gateway.bearer['definitions:read'], url)).statusCode).toBe(403);
      expect((await withKey(gateway.bearer['events:read'], url)).statusCode).not.toBe(403);
    }
  });

  it('reads only projections of which it may see every stream', async () => {
    const bearerOf = async (streams: string[]) => {
      const payload = { name: 'k', scopes: ['events:read'], streams };
      const answer = await gateway.core.instance.inject({ method: 'POST', url: '/api/v1/keys', payload });
      return `Bearer ${answer.json<{ key: string }>().key}`;
    };
    const generation = await serving();
    await saved(generation, 'EUR', { data: amounts(1) });
    for (const url of [`${path}/${name}/state`, `${path}/${name}/state/EUR`, `${path}/${name}/state/none`]) {
      const refused = await withKey(await bearerOf(['orders']), url);
      expect(refused.json(), url).toMatchObject({ code: 'projection_not_found', status: 404 });
      const allowed = await withKey(await bearerOf(['orders', 'refunds']), url);
      expect(allowed.statusCode, url).toBe(url.endsWith('none') ? 404 : 200);
    }
  });
});
