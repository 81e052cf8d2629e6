import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { auditStream } from '#contracts';
import { systemActor } from '#definitions';
import { givenGateway, type GivenGateway } from '../gateway.fixture.js';

const path = '/api/v1/projections';
const fields = { orders: { op: 'count' }, revenue: { op: 'sum', value: 'event.data.amount' } };
const spec = { source: { streams: ['orders'] }, key: 'event.data.currency', fields };

interface Answer {
  status: string;
  version: number;
  errors: { pointer: string; detail: string }[];
}

let gateway: GivenGateway;

beforeAll(async () => {
  gateway = await givenGateway();
  for (const stream of ['orders', 'refunds'])
    await gateway.definitions.createStream({ stream, partitions: 2 }, systemActor);
});
afterAll(() => gateway.close());

let count = 0;
let name: string;
beforeEach(() => void (name = `p${++count}`));

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';
const send = (method: Method, url: string, payload?: object) =>
  gateway.core.instance.inject({ method, url, ...(payload && { payload }) });
const define = (more: object = {}) => send('POST', path, { name, ...spec, ...more });
const get = async () => (await send('GET', `${path}/${name}`)).json<Record<string, unknown>>();
const definition = () => gateway.definitions.projections.get(name);

/** What a processor does when a build has caught up. */
async function takenOver(): Promise<void> {
  const next = (current: ReturnType<typeof definition>) =>
    current && { ...current, serving: current.building, building: null };
  await gateway.definitions.projections.change(name, next, systemActor);
}

async function expectRefused(payload: object, code: string, pointers: string[]): Promise<Answer> {
  const answer = await send('POST', path, { name, ...spec, ...payload });
  expect(answer.json(), answer.body).toMatchObject({ code });
  const body = answer.json<Answer>();
  expect(body.errors.map(({ pointer }) => pointer)).toEqual(pointers);
  expect(definition()).toBeUndefined();
  return body;
}

describe('defining a projection', () => {
  it('is 201 with its place, and it is being built', async () => {
    const answer = await define();
    expect(answer.statusCode, answer.body).toBe(201);
    expect(answer.headers.location).toBe(`${path}/${name}`);
    const created_at = expect.any(String) as string;
    const shown = {
      ...{ name, version: 1, status: 'building', ...spec, from: 'beginning', created_at },
      ...{ serving_version: null, failure: null },
    };
    expect(answer.json()).toEqual(shown);
    expect(await get()).toEqual({
      ...{ ...shown, processed: 0, failed: 0, lag: 0, updated_at: null },
      progress: {
        version: 1,
        started_at: expect.any(String) as string,
        processed: 0,
        failed: 0,
        lag: 0,
        fraction: 1,
      },
    });
    expect(definition()?.building).toMatchObject({
      id: expect.stringMatching(/^[0-9a-f]{24}$/) as string,
      sources: { orders: { created_at: gateway.definitions.stream('orders')?.created_at } },
    });
  });

  it('again changes nothing when it is exactly the same, in whatever order', async () => {
    const source = { streams: ['orders', 'refunds'], event_types: ['a', 'b'] };
    await define({ source });
    const before = definition();
    const same = { source: { event_types: ['b', 'a'], streams: ['refunds', 'orders'] }, from: 'beginning' };
    const answer = await define(same);
    expect([answer.statusCode, answer.headers.location]).toEqual([200, `${path}/${name}`]);
    expect(definition()).toBe(before);
  });

  it('under a name that is taken is a conflict', async () => {
    await define();
    const answer = await define({ key: 'event.entity_id' });
    expect([answer.statusCode, answer.json<{ code: string }>().code]).toEqual([409, 'projection_exists']);
  });

  it('takes the entity for the key where none is named', async () => {
    await define({ key: undefined });
    expect(await get()).toMatchObject({ key: 'event.entity_id' });
    expect((await define({ key: 'event.entity_id' })).statusCode).toBe(200);
    expect((await define({ key: null })).statusCode).toBe(200);
  });

  it('from now on begins at the ends of its streams', async () => {
    const { admin } = gateway.log;
    const record = (key: string) => ({ topic: gateway.topics.ofStream('refunds'), key, value: '{}' });
    const producer = await gateway.log.producer();
    await producer.append(['a', 'b', 'c', 'd', 'e'].map(record));
    await define({ source: { streams: ['refunds'] }, from: 'now' });
    const ends = (await admin.offsets(gateway.topics.ofStream('refunds'))).map(({ end }) => end);
    expect(definition()?.building?.sources['refunds']?.starts).toEqual(ends);
    expect(await get()).toMatchObject({ from: 'now', lag: 0 });
    await producer.append(['a', 'b'].map(record));
    await expect.poll(get, { timeout: 3000 }).toMatchObject({ lag: 2, progress: { lag: 2, fraction: 0 } });
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
  ])('that is not one is refused: %j', async (more, pointers) => {
    await expectRefused(more, 'invalid_request', pointers);
  });

  it('names every expression that cannot be used, and the place in it', async () => {
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

  it('of a stream that is not there is refused, and told which one', async () => {
    const source = { streams: ['orders', 'oders'] };
    const { errors } = await expectRefused({ source }, 'stream_not_found', ['/source/streams/1']);
    expect(errors[0]?.detail).toContain('oders');
    await gateway.definitions.createStream({ stream: 'going' }, systemActor);
    await gateway.definitions.beginDeletion('going', systemActor);
    await expectRefused({ source: { streams: ['going'] } }, 'stream_not_found', ['/source/streams/0']);
  });
});

describe('a projection', () => {
  it.each(['GET', 'PUT', 'DELETE'] as const)('that is not there is a 404 for %s', async (method) => {
    const answer = await send(method, `${path}/${name}`, method === 'PUT' ? spec : undefined);
    expect([answer.statusCode, answer.json<{ code: string }>().code]).toEqual([404, 'projection_not_found']);
  });

  it.each(['pause', 'resume', 'reset'])('that is not there is a 404 for %s', async (action) => {
    expect((await send('POST', `${path}/${name}/${action}`)).json()).toMatchObject({
      code: 'projection_not_found',
    });
    expect((await send('POST', `${path}/a.b/${action}`)).json()).toMatchObject({ code: 'invalid_request' });
    expect((await send('POST', `${path}/${name}/${action}?force=1`)).json()).toMatchObject({
      code: 'invalid_request',
    });
  });

  it('runs when its first build has caught up', async () => {
    await define();
    await takenOver();
    expect(await get()).toMatchObject({ status: 'running', serving_version: 1, progress: null });
  });

  it('has a reason when it has failed, which a reset takes away', async () => {
    await define();
    const fail = (current: ReturnType<typeof definition>) =>
      current && { ...current, failure: 'too many keys' };
    await gateway.definitions.projections.change(name, fail, systemActor);
    expect(await get()).toMatchObject({ status: 'failed', failure: 'too many keys' });
    const answer = await send('POST', `${path}/${name}/reset`);
    expect(answer.json()).toMatchObject({ status: 'building', failure: null });
  });

  it('is paused and resumed, each time once', async () => {
    await define();
    await takenOver();
    for (const [action, status] of [
      ['pause', 'paused'],
      ['resume', 'running'],
    ] as const) {
      const answer = await send('POST', `${path}/${name}/${action}`);
      expect([answer.statusCode, answer.json<Answer>().status]).toEqual([200, status]);
      const held = definition();
      expect((await send('POST', `${path}/${name}/${action}`)).statusCode).toBe(200);
      expect(definition()).toBe(held);
    }
  });

  it('that is changed is built beside what is served, as another version', async () => {
    await define();
    await takenOver();
    const { serving } = definition()!;
    const changed = { ...spec, key: 'event.entity_id' };
    const answer = await send('PUT', `${path}/${name}`, { name, ...changed });
    expect(answer.statusCode, answer.body).toBe(200);
    expect(answer.json()).toMatchObject({
      version: 2,
      serving_version: 1,
      status: 'running',
      key: 'event.entity_id',
    });
    expect(definition()).toMatchObject({ version: 2, serving, building: { version: 2 } });
    expect(await get()).toMatchObject({ progress: { version: 2 } });
    const held = definition();
    expect((await send('PUT', `${path}/${name}`, changed)).json()).toMatchObject({ version: 2 });
    expect(definition()).toBe(held);
    expect((await send('PUT', `${path}/${name}`, spec)).json()).toMatchObject({ version: 3 });
  });

  it('cannot be changed to another name, or to what is none', async () => {
    await define();
    const other = await send('PUT', `${path}/${name}`, { ...spec, name: 'other' });
    expect(other.json()).toMatchObject({ code: 'invalid_request', errors: [{ pointer: '/name' }] });
    const wrong = await send('PUT', `${path}/${name}`, { ...spec, key: 'event.' });
    expect(wrong.json()).toMatchObject({ code: 'invalid_expression', errors: [{ pointer: '/key' }] });
    expect(definition()?.version).toBe(1);
  });

  it('that is reset is built anew beside what is served, under the same version', async () => {
    await define();
    await takenOver();
    const { serving } = definition()!;
    const answer = await send('POST', `${path}/${name}/reset`);
    expect([answer.statusCode, answer.json<Answer>().version]).toEqual([200, 1]);
    expect(definition()).toMatchObject({ serving, building: { version: 1, spec: serving?.spec } });
    expect(definition()?.building?.id).not.toBe(serving?.id);
  });

  it('is gone with its states', async () => {
    await define();
    await takenOver();
    await send('POST', `${path}/${name}/reset`);
    const { serving, building } = definition()!;
    const builds = [serving!.id, building!.id];
    await gateway.store.projections.save(
      builds.map((build) => stateOf(build)),
      builds.map((build) => progressOf(build)),
    );
    expect((await gateway.store.projections.builds()).length).toBeGreaterThanOrEqual(2);
    expect((await send('DELETE', `${path}/${name}`)).statusCode).toBe(204);
    expect(definition()).toBeUndefined();
    const left = await gateway.store.projections.builds();
    expect(left.filter((build) => builds.includes(build))).toEqual([]);
    expect((await send('DELETE', `${path}/${name}`)).statusCode).toBe(404);
  });

  it('is gone also when its states cannot be removed now: a processor does that', async () => {
    await define();
    const { projections } = gateway.store;
    const removeBuild = projections.removeBuild.bind(projections);
    projections.removeBuild = () => Promise.reject(new Error('down'));
    expect((await send('DELETE', `${path}/${name}`)).statusCode).toBe(204);
    projections.removeBuild = removeBuild;
    expect(definition()).toBeUndefined();
  });

  it('shows the figures of the build that is read from, and of the one in the making', async () => {
    await define();
    await takenOver();
    await send('POST', `${path}/${name}/reset`);
    const { serving, building } = definition()!;
    const progress = [
      { ...progressOf(serving!.id), processed: 5, failed: 1, updated_at: 3_000_000 },
      { ...progressOf(serving!.id), partition: 1, processed: 2, failed: 0, updated_at: 1_000_000 },
      { ...progressOf(building!.id), processed: 3, failed: 4, updated_at: 9_000_000 },
    ];
    await gateway.store.projections.save([], progress);
    expect(await get()).toMatchObject({
      ...{ processed: 7, failed: 1, updated_at: '1970-01-01T00:00:03.000000Z' },
      progress: { processed: 3, failed: 4 },
    });
  });
});

describe('many who change a projection at the same time', () => {
  const statuses = async (requests: readonly ReturnType<typeof send>[]) =>
    (await Promise.all(requests)).map(({ statusCode }) => statusCode).sort();

  it('make it once', async () => {
    const same = Array.from({ length: 5 }, () => define());
    expect(await statuses(same)).toEqual([200, 200, 200, 200, 201]);
    name = `${name}-other`;
    const others = [1, 2, 3].map((n) => define({ key: `event.data.k${n}` }));
    expect(await statuses(others)).toEqual([201, 409, 409]);
  });

  it('lose nothing: each change is made of what the one before has left', async () => {
    await define();
    await takenOver();
    const puts = [1, 2, 3, 4].map((n) =>
      send('PUT', `${path}/${name}`, { ...spec, key: `event.data.k${n}` }),
    );
    const pause = send('POST', `${path}/${name}/pause`);
    expect(await statuses([...puts, pause])).toEqual([200, 200, 200, 200, 200]);
    expect(definition()).toMatchObject({
      version: 5,
      paused: true,
      serving: { version: 1 },
      building: { version: 5 },
    });
  });

  it('delete it once', async () => {
    await define();
    const deletions = [1, 2, 3].map(() => send('DELETE', `${path}/${name}`));
    expect(await statuses(deletions)).toEqual([204, 404, 404]);
  });
});

describe('the list of projections', () => {
  it('has them by name, in pages, with the number of all', async () => {
    const all = gateway.definitions.projections.all().map((one) => one.name);
    interface List {
      projections: { name: string; lag: number }[];
      total: number;
      next_cursor: string | null;
    }
    const names: string[] = [];
    let cursor: string | null = null;
    do {
      const more: string = cursor === null ? '' : `&cursor=${cursor}`;
      const page: List = (await send('GET', `${path}?limit=4${more}`)).json<List>();
      expect(page.total).toBe(all.length);
      names.push(...page.projections.map((one) => one.name));
      cursor = page.next_cursor;
    } while (cursor !== null);
    expect(names).toEqual(all.sort());
  });
});

describe('a key', () => {
  const bearerOf = async (streams: string[] | undefined, scopes: string[]) => {
    const answer = await send('POST', '/api/v1/keys', { name: 'k', scopes, ...(streams && { streams }) });
    return `Bearer ${answer.json<{ key: string }>().key}`;
  };
  const withKey = (authorization: string, [method, url, payload]: [Method, string, object?]) =>
    gateway.query.instance.inject({ method, url, headers: { authorization }, ...(payload && { payload }) });
  const changes = (): [Method, string, object?][] => [
    ['PUT', `${path}/${name}`, spec],
    ['POST', `${path}/${name}/pause`],
    ['POST', `${path}/${name}/resume`],
    ['POST', `${path}/${name}/reset`],
    ['DELETE', `${path}/${name}`],
  ];

  it('needs definitions:write to change one, definitions:read to see one', async () => {
    await define();
    const all: [Method, string, object?][] = [['POST', path, { name, ...spec }], ...changes()];
    for (const one of all) {
      const answer = await withKey(gateway.bearer['definitions:read'], one);
      expect(answer.json(), `${one[0]} ${one[1]}`).toMatchObject({ code: 'insufficient_scope' });
    }
    const seen = await withKey(gateway.bearer['definitions:write'], ['GET', `${path}/${name}`]);
    expect(seen.statusCode).toBe(403);
    expect((await withKey(gateway.bearer['definitions:read'], ['GET', `${path}/${name}`])).statusCode).toBe(
      200,
    );
  });

  it('that is limited changes and sees only what folds its streams', async () => {
    const limited = await bearerOf(['refunds'], ['definitions:read', 'definitions:write']);
    await define({ source: { streams: ['orders', 'refunds'] } });
    const held = definition();
    const mine = { ...spec, source: { streams: ['refunds'] } };
    const all: [Method, string, object?][] = [
      ['POST', path, { ...spec, name: 'other' }],
      ['POST', path, { ...mine, name }],
      ['PUT', `${path}/${name}`, mine],
      ...changes(),
      ['GET', `${path}/${name}`],
    ];
    for (const one of all) {
      const answer = await withKey(limited, one);
      expect(answer.json(), `${one[0]} ${one[1]}`).toMatchObject({ code: 'stream_forbidden' });
    }
    expect(definition()).toBe(held);
    expect((await withKey(limited, ['GET', path])).body).not.toContain(`"${name}"`);
    expect((await withKey(limited, ['POST', path, { ...mine, name: `${name}-mine` }])).statusCode).toBe(201);
    expect((await withKey(limited, ['GET', path])).body).toContain(`"${name}-mine"`);
  });

  it('sees one only when it covers what is served still, too', async () => {
    const limited = await bearerOf(['refunds'], ['definitions:read']);
    await define();
    await takenOver();
    await send('PUT', `${path}/${name}`, { ...spec, source: { streams: ['refunds'] } });
    const seen = async () => (await withKey(limited, ['GET', `${path}/${name}`])).statusCode;
    expect(await seen()).toBe(403);
    await takenOver();
    expect(await seen()).toBe(200);
  });

  it("folds the system's own streams as an admin only", async () => {
    const audit = { name, source: { streams: [auditStream] }, fields: { n: { op: 'count' } } };
    const ordinary = await bearerOf(undefined, ['definitions:read', 'definitions:write']);
    const admin = await bearerOf(undefined, ['definitions:read', 'definitions:write', 'admin']);
    expect((await withKey(ordinary, ['POST', path, audit])).json()).toMatchObject({
      code: 'stream_forbidden',
    });
    expect((await withKey(admin, ['POST', path, audit])).statusCode).toBe(201);
    expect((await withKey(ordinary, ['GET', path])).body).not.toContain(`"${name}"`);
  });
});

const place = (build: string) => ({ build, stream: 'orders', partition: 0 });

function stateOf(build: string) {
  return { ...place(build), key: 'EUR', state: '[1]', events: 1, last_offset: 0, updated_at: 1 };
}

function progressOf(build: string) {
  return { ...place(build), next: 1, processed: 1, failed: 0, updated_at: 1 };
}
