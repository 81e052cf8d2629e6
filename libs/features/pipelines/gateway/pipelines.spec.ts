import { describe, expect, it } from 'vitest';
import { systemActor } from '#registry';
import { partitionProgress } from '../../../core/store/keyed-states.fixture.js';
import { between, PipelineGatewayFixture, minutes, path, spec } from './pipeline-gateway.fixture.js';

const given = new PipelineGatewayFixture();
const noEvents = { in: 0, out: 0, dropped: 0, late: 0, failed: 0 };

interface Answer {
  status: string;
  version: number;
  started_at: string;
  errors: { pointer: string; detail: string }[];
}

async function expectRefused(payload: object, code: string, pointers: string[]): Promise<Answer> {
  const answer = await given.define(payload);
  expect(answer.json(), answer.body).toMatchObject({ code });
  const body = answer.json<Answer>();
  expect(body.errors.map(({ pointer }) => pointer)).toEqual(pointers);
  expect(given.definition).toBeUndefined();
  return body;
}

describe('defining a pipeline', () => {
  it('answers 201 with its location, and the pipeline runs', async () => {
    const answer = await given.define();
    expect(answer.statusCode, answer.body).toBe(201);
    expect(answer.headers.location).toBe(given.at());
    const anyTime = expect.any(String) as string;
    const shown = {
      ...{ name: given.name, version: 1, status: 'running', ...spec, from: 'beginning', failure: null },
      ...{ created_at: anyTime, started_at: anyTime },
    };
    expect(answer.json()).toEqual(shown);
    expect(await given.get()).toEqual({
      ...{
        ...shown,
        processed: 0,
        emitted: 0,
        dropped: 0,
        late: 0,
        failed: 0,
        lag: 0,
        lag_seconds: 0,
        watermark: null,
      },
      ...{ retrying: null, internal_topics: [], updated_at: null },
      steps: [
        { path: '/operators/0', operator: 'filter', ...noEvents },
        { path: '/operators/1', operator: 'emit', ...noEvents },
      ],
    });
    expect(given.definition?.run).toMatchObject({
      id: expect.stringMatching(/^[0-9a-f]{24}$/) as string,
      sources: { orders: { id: given.gateway.definitions.stream('orders')?.id } },
    });
  });

  it('creates its target streams, so that they can be read at once', async () => {
    const late = { stream: `${given.name}-late` };
    const window = { ...minutes[0]?.window, late };
    const answer = await given.define({
      operators: [{ emit: { stream: given.name } }, { window }, ...minutes.slice(1)],
    });
    expect(answer.statusCode, answer.body).toBe(201);
    for (const stream of [given.name, late.stream, 'minutes'])
      expect(given.gateway.definitions.stream(stream)).toMatchObject({ state: 'live' });
  });

  it('again with the same definition changes nothing, in any order of streams and types', async () => {
    await given.define({ source: { streams: ['orders', 'refunds'], event_types: ['a', 'b'] } });
    const before = given.definition;
    const source = { event_types: ['b', 'a'], streams: ['refunds', 'orders'], where: null };
    const answer = await given.define({ source, from: 'beginning' });
    expect([answer.statusCode, answer.headers.location]).toEqual([200, given.at()]);
    expect(given.definition).toBe(before);
  });

  it('under a name that is taken is a conflict', async () => {
    await given.define();
    const answer = await given.define({ operators: spec.operators.toReversed() });
    expect([answer.statusCode, answer.json<{ code: string }>().code]).toEqual([409, 'pipeline_exists']);
  });

  it('from now on starts at the ends of its streams', async () => {
    const producer = await given.gateway.log.producer();
    const topic = given.gateway.topicOf('refunds');
    const records = ['a', 'b', 'c', 'd', 'e'].map((key) => ({ topic, key, value: '{}' }));
    await producer.append(records);
    await given.define({ source: { streams: ['refunds'] }, from: 'now' });
    const ends = (await given.gateway.log.admin.offsets(topic)).map(({ end }) => end);
    expect(given.definition?.run.sources['refunds']?.starts).toEqual(ends);
    expect(await given.get()).toMatchObject({ from: 'now', lag: 0 });
    await producer.append(records.slice(3));
    await expect.poll(() => given.get(), { timeout: 3000 }).toMatchObject({ lag: 2 });
  });

  it.each<[object, string[]]>([
    [{ name: 'a.b' }, ['/name']],
    [{ name: undefined }, ['/name']],
    [{ colour: 'red' }, ['/colour']],
    [{ from: 'yesterday' }, ['/from']],
    [{ source: undefined }, ['/source']],
    [{ source: { streams: [] } }, ['/source/streams']],
    [{ source: { streams: ['orders'], since: 'now' } }, ['/source/since']],
    [{ source: { streams: ['orders'], idle_after: '1y' } }, ['/source/idle_after']],
    [{ operators: undefined }, ['/operators']],
    [{ operators: {} }, ['/operators']],
    [{ operators: [] }, ['/operators']],
    [{ operators: ['filter'] }, ['/operators/0']],
    [{ operators: [{ filter: 7 }, { emit: { stream: 's' } }] }, ['/operators/0/filter']],
    [{ operators: [{ emit: { stream: '../x' } }] }, ['/operators/0/emit/stream']],
    [{ operators: [{ __proto__: null, constructor: {} }] }, ['/operators/0/constructor']],
  ])('with %j is refused, and the problem names where: %j', async (more, pointers) => {
    await expectRefused(more, 'invalid_request', pointers);
  });

  it('names every invalid expression and where it is', async () => {
    const source = { streams: ['orders'], where: 'event.data.amount >' };
    const operators = [
      { filter: 'event.data.' },
      { map: { data: { 'a/b': { c: 'nothing' } }, event_type: '"x" +' } },
      {
        branch: [
          { when: '1 + 1', operators: [{ emit: { stream: 'a' } }] },
          { otherwise: true, operators: [{ filter: 'also' }, { emit: { stream: 'b' } }] },
        ],
      },
    ];
    const { errors } = await expectRefused({ source, operators }, 'invalid_expression', [
      ...[
        '/source/where',
        '/operators/0/filter',
        '/operators/1/map/data/a~1b/c',
        '/operators/1/map/event_type',
      ],
      ...['/operators/2/branch/0/when', '/operators/2/branch/1/operators/0/filter'],
    ]);
    for (const { detail } of errors) expect(detail).toMatch(/\(at character \d+\)$/);
  });

  it('is not reported as an invalid expression if anything else is wrong too', async () => {
    const reduce = { n: { op: 'count', value: 'event.data.x' } };
    await expectRefused({ operators: [minutes[0], { reduce }, minutes[2]] }, 'invalid_request', [
      '/operators/1/reduce/n/value',
    ]);
    await expectRefused({ operators: [{ filter: 'event.' }, { emit: {} }] }, 'invalid_request', [
      ...['/operators/0/filter', '/operators/1/emit/stream'],
    ]);
  });

  it('with an unknown stream or projection is refused, and the problem names it', async () => {
    const source = { streams: ['orders', 'oders'] };
    const { errors } = await expectRefused({ source }, 'stream_not_found', ['/source/streams/1']);
    expect(errors[0]?.detail).toContain('oders');
    const enrich = { from: { projection: 'custmers' }, key: 'event.entity_id', as: 'customer' };
    await expectRefused({ operators: [{ enrich }, ...spec.operators] }, 'projection_not_found', [
      '/operators/0/enrich/from/projection',
    ]);
    expect(given.gateway.definitions.stream('oders')).toBeUndefined();
  });

  it("that writes to the system's own streams is refused for every caller", async () => {
    const into = (stream: string) => ({ operators: [{ emit: { stream } }] });
    await expectRefused(into('tributary.audit'), 'stream_reserved', ['/operators/0/emit/stream']);
    await expectRefused(into('tributary_audit'), 'stream_reserved', ['/operators/0/emit/stream']);
  });

  it('that writes to a stream whose name collides is refused', async () => {
    await given.gateway.definitions.createStream({ stream: 'a.b' }, systemActor);
    await expectRefused({ operators: [{ emit: { stream: 'a_b' } }] }, 'stream_name_collision', [
      '/operators/0/emit/stream',
    ]);
  });

  it.each(['https://10.0.0.1/', 'https://[::1]/', 'https://169.254.169.254/'])(
    'that posts to %s is refused when only public addresses are allowed',
    async (url) => {
      const operators = [{ webhook: { url, secret_ref: 'shop' } }];
      await expectRefused({ operators }, 'invalid_request', ['/operators/0/webhook/url']);
    },
  );

  it('that is larger than the limit is refused', async () => {
    const table = Object.fromEntries(Array.from({ length: 900 }, (_, i) => [`k${i}`, 'x'.repeat(80)]));
    const enrich = { from: { table }, key: 'event.entity_id', as: 'x' };
    const answer = await given.define({ operators: [{ enrich }, ...spec.operators] });
    expect([answer.statusCode, answer.json<{ code: string }>().code]).toEqual([413, 'payload_too_large']);
  });
});

describe('a loop', () => {
  const s = (n: number) => `${given.name}-${n}`;

  it('of one pipeline is refused', async () => {
    const operators = between([], 'large', 'orders').operators;
    const { errors } = await expectRefused({ operators }, 'pipeline_loop', ['/operators']);
    expect(errors[0]?.detail).toBe(`would feed itself: orders → (${given.name}) → orders`);
  });

  it('over several pipelines is refused, and the problem names its path', async () => {
    const { name } = given;
    const define = (part: string, body: object) => given.send('POST', path, { name: name + part, ...body });
    await given.gateway.definitions.createStream({ stream: s(1) }, systemActor);
    expect((await define('a', between([s(1)], s(2)))).statusCode).toBe(201);
    expect((await define('b', between([s(2)], s(3)))).statusCode).toBe(201);
    const way = `${s(3)} → (${name}c) → ${s(1)} → (${name}a) → ${s(2)} → (${name}b) → ${s(3)}`;
    const answer = await define('c', between([s(3)], s(1)));
    expect(answer.statusCode).toBe(409);
    expect(answer.json()).toMatchObject({
      code: 'pipeline_loop',
      detail: `The pipeline would feed itself: ${way}.`,
    });
    const changed = await given.send('PUT', `${path}/${name}b`, between([s(2)], s(1)));
    expect(changed.json()).toMatchObject({ code: 'pipeline_loop' });
    expect((await given.send('DELETE', `${path}/${name}b`)).statusCode).toBe(204);
    expect((await define('c', between([s(3)], s(1)))).statusCode).toBe(201);
  });
});

describe('a pipeline', () => {
  it.each(['GET', 'PUT', 'DELETE'] as const)('that does not exist is a 404 for %s', async (method) => {
    const answer = await given.send(method, given.at(), method === 'PUT' ? spec : undefined);
    expect([answer.statusCode, answer.json<{ code: string }>().code]).toEqual([404, 'pipeline_not_found']);
  });

  it.each(['pause', 'resume', 'reset'])('that does not exist is a 404 for %s', async (action) => {
    const codeOf = async (url: string) => (await given.send('POST', url)).json<{ code: string }>().code;
    expect(await codeOf(given.at(`/${action}`))).toBe('pipeline_not_found');
    expect(await codeOf(`${path}/a.b/${action}`)).toBe('invalid_request');
    expect(await codeOf(given.at(`/${action}?force=1`))).toBe('invalid_request');
  });

  it('is paused and resumed; repeating either changes nothing', async () => {
    await given.define();
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

  it('has a reason when it has failed, until it is reset', async () => {
    await given.define();
    await given.changed((current) => ({ ...current, failure: 'why' }));
    expect(await given.get()).toMatchObject({ status: 'failed', failure: 'why' });
    const answer = await given.send('POST', given.at('/reset'));
    expect(answer.json()).toMatchObject({ status: 'running', failure: null, version: 1 });
  });

  it('that has failed is tried again at its position when it is resumed, paused or not', async () => {
    await given.define();
    const run = given.definition?.run;
    for (const paused of [false, true]) {
      await given.changed((current) => ({ ...current, paused, failure: 'why' }));
      expect(await given.get()).toMatchObject({ status: 'failed', failure: 'why' });
      const answer = await given.send('POST', given.at('/resume'));
      expect(answer.json()).toMatchObject({ status: 'running', failure: null, version: 1 });
      expect(given.definition?.run).toEqual(run);
    }
  });

  it('that is changed has a new version and the same job', async () => {
    await given.define();
    const before = given.definition!;
    const changed = { ...spec, source: { streams: ['refunds', 'orders'] } };
    const answer = await given.send('PUT', given.at(), { name: given.name, ...changed });
    expect(answer.json(), answer.body).toMatchObject({ version: 2, status: 'running', ...changed });
    const { run } = given.definition!;
    expect(run).toMatchObject({ id: before.run.id, started_at: before.run.started_at });
    expect(run.sources['orders']).toEqual(before.run.sources['orders']);
    const held = given.definition;
    expect((await given.send('PUT', given.at(), changed)).json()).toMatchObject({ version: 2 });
    expect(given.definition).toBe(held);
    await given.send('PUT', given.at(), spec);
    expect(given.definition).toMatchObject({ version: 3, run: before.run });
  });

  it('that is changed from the beginning has a new job, even with the same definition', async () => {
    await given.define({ from: 'now' });
    const before = given.definition!;
    expect(before.run.sources['orders']?.starts).toBeDefined();
    const same = { ...spec, from: 'now' };
    const answer = await given.send('PUT', given.at('?from=beginning'), same);
    expect(answer.json(), answer.body).toMatchObject({ version: 1 });
    const { run } = given.definition!;
    expect(run.id).not.toBe(before.run.id);
    expect(run.sources['orders']?.starts).toBeUndefined();
    const other = between(['orders'], 'other');
    expect((await given.send('PUT', given.at('?from=beginning'), other)).json()).toMatchObject({
      version: 2,
    });
    expect((await given.send('PUT', given.at('?from=now'), other)).statusCode).toBe(400);
  });

  it('that is reset has a new job and the same version', async () => {
    await given.define();
    const { run } = given.definition!;
    const answer = await given.send('POST', given.at('/reset'));
    expect([answer.statusCode, answer.json<Answer>().version]).toEqual([200, 1]);
    expect(given.definition?.run.id).not.toBe(run.id);
  });

  it('cannot continue with a stream that was deleted and created again: it must restart', async () => {
    const { definitions } = given.gateway;
    await definitions.createStream({ stream: 'short' }, systemActor);
    await given.define({ source: { streams: ['orders', 'short'] } });
    await definitions.deleteStream('short', () => Promise.resolve(), systemActor);
    const other = between(['orders', 'short'], 'other');
    const gone = { code: 'stream_not_found', errors: [{ pointer: '/source/streams/1' }] };
    expect((await given.send('POST', given.at('/reset'))).json()).toMatchObject(gone);
    const { definition } = await definitions.createStream({ stream: 'short' }, systemActor);
    expect((await given.send('PUT', given.at(), other)).json()).toMatchObject(gone);
    expect((await given.send('PUT', given.at('?from=beginning'), other)).statusCode).toBe(200);
    expect(given.definition?.run.sources).toMatchObject({ short: { id: definition.id } });
  });

  it('cannot add back a stream that was deleted and created again meanwhile, but can add back an unchanged one', async () => {
    const { definitions, store } = given.gateway;
    await definitions.createStream({ stream: 'brief' }, systemActor);
    const both = between(['orders', 'brief'], 'large');
    await given.define(both);
    const { run } = given.definition!;
    const { id } = run.sources['brief']!;
    const read = { owner: run.id, stream: 'brief', state: id, processed: 5, next: 5 };
    await store.pipelines.save([], [partitionProgress(read)]);
    await given.send('PUT', given.at(), between(['orders'], 'large'));
    expect((await given.send('PUT', given.at(), both)).statusCode).toBe(200);
    expect(given.definition!.run).toEqual(run);

    await given.send('PUT', given.at(), between(['orders'], 'large'));
    await definitions.deleteStream('brief', () => Promise.resolve(), systemActor);
    await definitions.createStream({ stream: 'brief' }, systemActor);
    const gone = { code: 'stream_not_found', errors: [{ pointer: '/source/streams/1' }] };
    expect((await given.send('PUT', given.at(), both)).json()).toMatchObject(gone);
    expect((await given.send('PUT', given.at('?from=beginning'), both)).statusCode).toBe(200);
  });

  it('cannot be changed to another name, or to an invalid one', async () => {
    await given.define();
    const other = await given.send('PUT', given.at(), { ...spec, name: 'other' });
    expect(other.json()).toMatchObject({ code: 'invalid_request', errors: [{ pointer: '/name' }] });
    const wrong = await given.send('PUT', given.at(), { ...spec, operators: [{ filter: 'event.' }] });
    expect(wrong.json()).toMatchObject({ code: 'invalid_expression' });
    expect(given.definition?.version).toBe(1);
  });

  it('that is deleted no longer exists, and its emitted events remain', async () => {
    await given.define();
    expect((await given.send('DELETE', given.at())).statusCode).toBe(204);
    expect(given.definition).toBeUndefined();
    expect(given.gateway.definitions.stream('large')).toMatchObject({ state: 'live' });
    expect((await given.send('DELETE', given.at())).statusCode).toBe(404);
  });
});

describe('the list of pipelines', () => {
  it('has them sorted by name, in pages, with their total number', async () => {
    const all = given.gateway.definitions.pipelines.all().map((one) => one.name);
    interface List {
      pipelines: { name: string; lag: number }[];
      total: number;
      next_cursor: string | null;
    }
    const names: string[] = [];
    let cursor: string | null = null;
    do {
      const more: string = cursor === null ? '' : `&cursor=${cursor}`;
      const page: List = (await given.send('GET', `${path}?limit=4${more}`)).json<List>();
      expect(page.total).toBe(all.length);
      names.push(...page.pipelines.map((one) => one.name));
      cursor = page.next_cursor;
    } while (cursor !== null);
    expect(names).toEqual(all.sort());
    expect(names.length).toBeGreaterThan(4);
  });
});
