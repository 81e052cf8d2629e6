import { describe, expect, it } from 'vitest';
import { systemActor } from '#registry';
import { partitionProgress, stateRow } from '../../../core/store/keyed-states.fixture.js';
import { ProjectionGatewayFixture, path, spec } from './projection-gateway.fixture.js';

const given = new ProjectionGatewayFixture();

interface Answer {
  status: string;
  version: number;
  errors: { pointer: string; detail: string }[];
}

async function expectRefused(payload: object, code: string, pointers: string[]): Promise<Answer> {
  const answer = await given.send('POST', path, { name: given.name, ...spec, ...payload });
  expect(answer.json(), answer.body).toMatchObject({ code });
  const body = answer.json<Answer>();
  expect(body.errors.map(({ pointer }) => pointer)).toEqual(pointers);
  expect(given.definition).toBeUndefined();
  return body;
}

describe('defining a projection', () => {
  it('answers 201 with its location, and the projection is being built', async () => {
    const answer = await given.define();
    expect(answer.statusCode, answer.body).toBe(201);
    expect(answer.headers.location).toBe(given.at());
    const created_at = expect.any(String) as string;
    const shown = {
      ...{ name: given.name, version: 1, status: 'building', ...spec, from: 'beginning', created_at },
      ...{ serving_version: null, failure: null },
    };
    expect(answer.json()).toEqual(shown);
    expect(await given.get()).toEqual({
      ...{ ...shown, processed: 0, failed: 0, lag: 0, lag_seconds: 0, updated_at: null },
      progress: {
        version: 1,
        started_at: expect.any(String) as string,
        processed: 0,
        failed: 0,
        lag: 0,
        fraction: 1,
      },
    });
    expect(given.definition?.building).toMatchObject({
      id: expect.stringMatching(/^[0-9a-f]{24}$/) as string,
      sources: { orders: { id: given.gateway.definitions.stream('orders')?.id } },
    });
  });

  it('again with the same definition changes nothing, in any order', async () => {
    const source = { streams: ['orders', 'refunds'], event_types: ['a', 'b'] };
    await given.define({ source });
    const before = given.definition;
    const same = { source: { event_types: ['b', 'a'], streams: ['refunds', 'orders'] }, from: 'beginning' };
    const answer = await given.define(same);
    expect([answer.statusCode, answer.headers.location]).toEqual([200, given.at()]);
    expect(given.definition).toBe(before);
  });

  it('under a name that is taken is a conflict', async () => {
    await given.define();
    const answer = await given.define({ key: 'event.entity_id' });
    expect([answer.statusCode, answer.json<{ code: string }>().code]).toEqual([409, 'projection_exists']);
  });

  it('without a key uses the entity id as the key', async () => {
    await given.define({ key: undefined });
    expect(await given.get()).toMatchObject({ key: 'event.entity_id' });
    expect((await given.define({ key: 'event.entity_id' })).statusCode).toBe(200);
    expect((await given.define({ key: null })).statusCode).toBe(200);
  });

  it('from now on starts at the ends of its streams', async () => {
    const { admin } = given.gateway.log;
    const record = (key: string) => ({ topic: given.gateway.topicOf('refunds'), key, value: '{}' });
    const producer = await given.gateway.log.producer();
    await producer.append(['a', 'b', 'c', 'd', 'e'].map(record));
    await given.define({ source: { streams: ['refunds'] }, from: 'now' });
    const ends = (await admin.offsets(given.gateway.topicOf('refunds'))).map(({ end }) => end);
    expect(given.definition?.building?.sources['refunds']?.starts).toEqual(ends);
    expect(await given.get()).toMatchObject({ from: 'now', lag: 0 });
    await producer.append(['a', 'b'].map(record));
    await expect
      .poll(() => given.get(), { timeout: 3000 })
      .toMatchObject({ lag: 2, progress: { lag: 2, fraction: 0 } });
  });

  it.each<[object, string[]]>([
    [{ name: 'a.b' }, ['/name']],
    [{ name: undefined }, ['/name']],
    [{ colour: 'red' }, ['/colour']],
    [{ from: 'yesterday' }, ['/from']],
    [{ source: undefined }, ['/source']],
    [{ source: { streams: [] } }, ['/source/streams']],
    [{ source: { streams: ['orders', 'orders'] } }, ['/source/streams']],
    [{ source: { streams: ['../x'] } }, ['/source/streams']],
    [{ source: { streams: Array.from({ length: 21 }, (_, i) => `s${i}`) } }, ['/source/streams']],
    [{ source: { streams: ['orders'], event_types: [] } }, ['/source/event_types']],
    [{ source: { streams: ['orders'], since: 'now' } }, ['/source/since']],
    [{ key: 7 }, ['/key']],
    [{ fields: [] }, ['/fields']],
    [{ fields: {} }, ['/fields']],
    [{ fields: { n: 'count' } }, ['/fields/n']],
    [{ fields: { n: { op: 'count', as: 'x' } } }, ['/fields/n/as']],
    [{ fields: { n: { op: 'median', value: 'event.data.x' } } }, ['/fields/n/op']],
    [
      { fields: { n: { op: 'sum' }, m: { op: 'count', value: '1' } } },
      ['/fields/n/value', '/fields/m/value'],
    ],
    [{ fields: { n: { op: 'sum', value: 7 } } }, ['/fields/n/value']],
    [{ fields: { n: { op: 'count', value: '1' } } }, ['/fields/n/value']],
    [{ fields: { 'a/b': 7 } }, ['/fields/a~1b']],
    [{ fields: { 'a/b': { op: 'count' } } }, ['/fields/a~1b']],
    [
      { fields: JSON.parse('{"n":{"op":"count"},"__proto__":{"op":"count"}}') as object },
      ['/fields/__proto__'],
    ],
  ])('that is invalid is refused: %j', async (more, pointers) => {
    await expectRefused(more, 'invalid_request', pointers);
  });

  it('names every invalid expression and where it is', async () => {
    const where = 'event.data.amount >';
    const source = { streams: ['orders'], where };
    const wrong = { sum: { op: 'sum', value: 'event.data.a + nothing' }, ok: { op: 'count' } };
    const pointers = ['/source/where', '/key', '/fields/sum/value'];
    const { errors } = await expectRefused(
      { source, key: 'event.data.', fields: wrong },
      'invalid_expression',
      pointers,
    );
    for (const { detail } of errors) expect(detail).toMatch(/\(at character \d+\)$/);
    await expectRefused({ key: 'event.data.', fields: { n: { op: 'sum' } } }, 'invalid_request', [
      ...['/key', '/fields/n/value'],
    ]);
  });

  it('of an unknown stream is refused, and the problem names it', async () => {
    const source = { streams: ['orders', 'oders'] };
    const { errors } = await expectRefused({ source }, 'stream_not_found', ['/source/streams/1']);
    expect(errors[0]?.detail).toContain('oders');
    await given.gateway.definitions.createStream({ stream: 'going' }, systemActor);
    await given.gateway.definitions.beginDeletion('going', systemActor);
    await expectRefused({ source: { streams: ['going'] } }, 'stream_not_found', ['/source/streams/0']);
  });
});

describe('a projection', () => {
  it.each(['GET', 'PUT', 'DELETE'] as const)('that does not exist is a 404 for %s', async (method) => {
    const answer = await given.send(method, given.at(), method === 'PUT' ? spec : undefined);
    expect([answer.statusCode, answer.json<{ code: string }>().code]).toEqual([404, 'projection_not_found']);
  });

  it.each(['pause', 'resume', 'reset'])('that does not exist is a 404 for %s', async (action) => {
    expect((await given.send('POST', given.at(`/${action}`))).json()).toMatchObject({
      code: 'projection_not_found',
    });
    expect((await given.send('POST', `${path}/a.b/${action}`)).json()).toMatchObject({
      code: 'invalid_request',
    });
    expect((await given.send('POST', given.at(`/${action}?force=1`))).json()).toMatchObject({
      code: 'invalid_request',
    });
  });

  it('runs when its first generation has caught up', async () => {
    await given.define();
    await given.takenOver();
    expect(await given.get()).toMatchObject({ status: 'running', serving_version: 1, progress: null });
  });

  it('has a reason when it has failed, until it is reset', async () => {
    await given.define();
    const failed = { failure: 'too many keys' };
    for (const paused of [false, true]) {
      await given.changed((current) => ({ ...current, paused, ...failed }));
      expect(await given.get()).toMatchObject({ status: 'failed', ...failed });
      const resumed = await given.send('POST', given.at('/resume'));
      expect(resumed.json()).toMatchObject({ status: 'building', failure: null });
    }
    await given.changed((current) => ({ ...current, failure: 'too many keys' }));
    expect(await given.get()).toMatchObject({ status: 'failed', failure: 'too many keys' });
    const answer = await given.send('POST', given.at('/reset'));
    expect(answer.json()).toMatchObject({ status: 'building', failure: null });
  });

  it('is paused and resumed; repeating either changes nothing', async () => {
    await given.define();
    await given.takenOver();
    for (const [action, status] of [
      ['pause', 'paused'],
      ['resume', 'running'],
    ] as const) {
      const answer = await given.send('POST', given.at(`/${action}`));
      expect([answer.statusCode, answer.json<Answer>().status]).toEqual([200, status]);
      const held = given.definition;
      expect((await given.send('POST', given.at(`/${action}`))).statusCode).toBe(200);
      expect(given.definition).toBe(held);
    }
  });

  it('that is changed is built as a new version beside the generation that is serving', async () => {
    await given.define();
    await given.takenOver();
    const { serving } = given.definition!;
    const changed = { ...spec, key: 'event.entity_id' };
    const answer = await given.send('PUT', given.at(), { name: given.name, ...changed });
    expect(answer.statusCode, answer.body).toBe(200);
    expect(answer.json()).toMatchObject({
      version: 2,
      serving_version: 1,
      status: 'running',
      key: 'event.entity_id',
    });
    expect(given.definition).toMatchObject({ version: 2, serving, building: { version: 2 } });
    expect(await given.get()).toMatchObject({ progress: { version: 2 } });
    const held = given.definition;
    expect((await given.send('PUT', given.at(), changed)).json()).toMatchObject({ version: 2 });
    expect(given.definition).toBe(held);
    expect((await given.send('PUT', given.at(), spec)).json()).toMatchObject({ version: 3 });
  });

  it('cannot be changed to another name, or to an invalid one', async () => {
    await given.define();
    const other = await given.send('PUT', given.at(), { ...spec, name: 'other' });
    expect(other.json()).toMatchObject({ code: 'invalid_request', errors: [{ pointer: '/name' }] });
    const wrong = await given.send('PUT', given.at(), { ...spec, key: 'event.' });
    expect(wrong.json()).toMatchObject({ code: 'invalid_expression', errors: [{ pointer: '/key' }] });
    expect(given.definition?.version).toBe(1);
  });

  it('that is reset is rebuilt with the same version beside the generation that is serving', async () => {
    await given.define();
    await given.takenOver();
    const { serving } = given.definition!;
    const answer = await given.send('POST', given.at('/reset'));
    expect([answer.statusCode, answer.json<Answer>().version]).toEqual([200, 1]);
    expect(given.definition).toMatchObject({ serving, building: { version: 1, spec: serving?.spec } });
    expect(given.definition?.building?.id).not.toBe(serving?.id);
  });

  it('cannot be rebuilt without one of its streams, and is bound to a new stream of that name', async () => {
    const { definitions } = given.gateway;
    await definitions.createStream({ stream: 'short' }, systemActor);
    await given.define({ source: { streams: ['orders', 'short'] } });
    await definitions.deleteStream('short', () => Promise.resolve(), systemActor);
    const refused = await given.send('POST', given.at('/reset'));
    const errors = [{ pointer: '/source/streams/1' }];
    expect(refused.json()).toMatchObject({ code: 'stream_not_found', errors });
    expect((await given.send('POST', given.at('/pause'))).statusCode).toBe(200);
    const { definition } = await definitions.createStream({ stream: 'short' }, systemActor);
    expect((await given.send('POST', given.at('/reset'))).statusCode).toBe(200);
    const { id } = definition;
    expect(given.definition?.building?.sources).toMatchObject({ short: { id } });
  });

  it('is deleted with its states', async () => {
    await given.define();
    await given.takenOver();
    await given.send('POST', given.at('/reset'));
    const { serving, building } = given.definition!;
    const generations = [serving!.id, building!.id];
    await given.gateway.store.projections.save(
      generations.map((generation) => stateOf(generation)),
      generations.map((generation) => progressOf(generation)),
    );
    expect((await given.gateway.store.projections.owners()).length).toBeGreaterThanOrEqual(2);
    expect((await given.send('DELETE', given.at())).statusCode).toBe(204);
    expect(given.definition).toBeUndefined();
    const left = await given.gateway.store.projections.owners();
    expect(left.filter((generation) => generations.includes(generation))).toEqual([]);
    expect((await given.send('DELETE', given.at())).statusCode).toBe(404);
  });

  it('is deleted even if its states cannot be removed now: a processor removes them', async () => {
    await given.define();
    const { projections } = given.gateway.store;
    const remove = projections.remove.bind(projections);
    projections.remove = () => Promise.reject(new Error('down'));
    expect((await given.send('DELETE', given.at())).statusCode).toBe(204);
    projections.remove = remove;
    expect(given.definition).toBeUndefined();
  });

  it('has the statistics of the generation that is serving, and of the one being built', async () => {
    await given.define();
    await given.takenOver();
    await given.send('POST', given.at('/reset'));
    const { serving, building } = given.definition!;
    const progress = [
      { ...progressOf(serving!.id), processed: 5, failed: 1, updated_at: 3_000_000 },
      { ...progressOf(serving!.id), partition: 1, processed: 2, failed: 0, updated_at: 1_000_000 },
      { ...progressOf(building!.id), processed: 3, failed: 4, updated_at: 9_000_000 },
    ];
    await given.gateway.store.projections.save([], progress);
    expect(await given.get()).toMatchObject({
      ...{ processed: 7, failed: 1, updated_at: '1970-01-01T00:00:03.000000Z' },
      progress: { processed: 3, failed: 4 },
    });
  });
});

describe('the list of projections', () => {
  it('has them sorted by name, in pages, with their total number', async () => {
    const all = given.gateway.definitions.projections.all().map((one) => one.name);
    interface List {
      projections: { name: string; lag: number }[];
      total: number;
      next_cursor: string | null;
    }
    const names: string[] = [];
    let cursor: string | null = null;
    do {
      const more: string = cursor === null ? '' : `&cursor=${cursor}`;
      const page: List = (await given.send('GET', `${path}?limit=4${more}`)).json<List>();
      expect(page.total).toBe(all.length);
      names.push(...page.projections.map((one) => one.name));
      cursor = page.next_cursor;
    } while (cursor !== null);
    expect(names).toEqual(all.sort());
  });
});

const stateOf = (owner: string) => stateRow({ owner, key: 'EUR', updated_at: 1 });
const progressOf = (owner: string) => partitionProgress({ owner, processed: 1, updated_at: 1 });
