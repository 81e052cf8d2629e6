import { describe, expect, it } from 'vitest';
import { auditStream } from '#api';
import { systemActor } from '#registry';
import { between, PipelineGatewayFixture, path, spec, type HttpMethod } from './pipeline-gateway.fixture.js';

const given = new PipelineGatewayFixture();

describe('access to pipelines: a key', () => {
  const bearerOf = async (streams: string[] | undefined, scopes: string[]) => {
    const answer = await given.send('POST', '/api/v1/keys', {
      name: 'k',
      scopes,
      ...(streams && { streams }),
    });
    return `Bearer ${answer.json<{ key: string }>().key}`;
  };
  const withKey = (authorization: string, [method, url, payload]: [HttpMethod, string, object?]) =>
    given.gateway.query.instance.inject({
      method,
      url,
      headers: { authorization },
      ...(payload && { payload }),
    });
  const changes = (): [HttpMethod, string, object?][] => [
    ['PUT', given.at(), spec],
    ['POST', given.at('/pause')],
    ['POST', given.at('/resume')],
    ['POST', given.at('/reset')],
    ['DELETE', given.at()],
  ];
  const both = ['definitions:read', 'definitions:write'];

  it('needs definitions:write to change a pipeline, and definitions:read to see one', async () => {
    await given.define();
    const { bearer } = given.gateway;
    for (const one of [
      ['POST', path, { name: given.name, ...spec }] as [HttpMethod, string, object],
      ...changes(),
    ]) {
      const answer = await withKey(bearer['definitions:read'], one);
      expect(answer.json(), `${one[0]} ${one[1]}`).toMatchObject({ code: 'insufficient_scope' });
    }
    const seen = async (key: string) => (await withKey(key, ['GET', given.at()])).statusCode;
    expect([await seen(bearer['definitions:write']), await seen(bearer['definitions:read'])]).toEqual([
      403, 200,
    ]);
  });

  it('with a stream limit changes and sees only pipelines that read and write its streams', async () => {
    const limited = await bearerOf(['refunds', 'large', 'mine-*'], both);
    await given.define();
    const held = given.definition;
    const mine = between(['refunds'], 'mine-1');
    const ofName = ([method, url, payload]: [HttpMethod, string, object?]) =>
      [method, url, payload, 'pipeline_not_found'] as const;
    const all: (readonly [HttpMethod, string, object | undefined, string])[] = [
      ['POST', path, { ...spec, name: 'other' }, 'stream_not_found'],
      ['POST', path, { ...between(['refunds'], 'huge'), name: 'other' }, 'stream_forbidden'],
      ['POST', path, { ...mine, name: given.name }, 'pipeline_exists'],
      ...changes().map(ofName),
      ofName(['PUT', given.at(), mine]),
      ofName(['GET', given.at()]),
    ];
    for (const [method, url, payload, code] of all) {
      const answer = await withKey(limited, [method, url, payload]);
      expect(answer.json(), `${method} ${url}`).toMatchObject({ code });
      expect(answer.body).not.toContain('PUT changes');
    }
    expect(given.definition).toBe(held);
    expect(given.gateway.definitions.stream('huge')).toBeUndefined();
    expect((await withKey(limited, ['GET', path])).body).not.toContain(`"${given.name}"`);
    const answer = await withKey(limited, ['POST', path, { ...mine, name: `${given.name}-mine` }]);
    expect(answer.statusCode, answer.body).toBe(201);
    expect((await withKey(limited, ['GET', path])).body).toContain(`"${given.name}-mine"`);
  });

  it('gets a pointer to each stream that it may not write, including a stream for late events', async () => {
    const limited = await bearerOf(['orders', 'mine-*'], both);
    const window = { tumbling: '1m', key: 'event.event_type', lateness: '0s', late: { stream: 'late' } };
    const operators = [{ window }, { reduce: { n: { op: 'count' } } }, { emit: { stream: 'mine-1' } }];
    const answer = await withKey(limited, ['POST', path, { ...spec, operators, name: given.name }]);
    expect(answer.json()).toMatchObject({
      code: 'stream_forbidden',
      errors: [{ pointer: '/operators/0/window/late/stream' }],
    });
  });

  it('may only look up projections of which it covers every stream', async () => {
    const limited = await bearerOf(['orders', 'mine-*'], both);
    const fields = { n: { op: 'count' } };
    const projection = (name: string, stream: string) =>
      given.send('POST', '/api/v1/projections', { name, source: { streams: [stream] }, fields });
    await projection('of_refunds', 'refunds');
    await projection('of_orders', 'orders');
    const asking = (name: string) => ({
      ...{ name: given.name, source: spec.source },
      operators: [
        { enrich: { from: { projection: name }, key: 'event.entity_id', as: 'x' } },
        { emit: { stream: 'mine-1' } },
      ],
    });
    expect((await withKey(limited, ['POST', path, asking('of_refunds')])).json()).toMatchObject({
      code: 'projection_not_found',
      errors: [{ pointer: '/operators/0/enrich/from/projection' }],
    });
    expect((await withKey(limited, ['POST', path, asking('of_orders')])).statusCode).toBe(201);
  });

  it('sees and changes only pipelines whose lookups use projections that fold streams it covers', async () => {
    const limited = await bearerOf(['orders', 'mine-*'], both);
    const fields = { n: { op: 'count' } };
    const ofHidden = { name: `of_hidden_${given.name}`, source: { streams: ['refunds'] }, fields };
    await given.send('POST', '/api/v1/projections', ofHidden);
    const enrich = { from: { projection: ofHidden.name }, key: 'event.entity_id', as: 'x' };
    await given.define({ source: spec.source, operators: [{ enrich }, { emit: { stream: 'mine-1' } }] });
    const seen = async () => {
      for (const [method, url, payload] of [['GET', given.at()] as [HttpMethod, string], ...changes()])
        expect((await withKey(limited, [method, url, payload])).json(), `${method} ${url}`).toMatchObject({
          code: 'pipeline_not_found',
        });
      expect((await withKey(limited, ['GET', path])).body).not.toContain(`"${given.name}"`);
    };
    await seen();
    // A pipeline that looks up a deleted projection is hidden from keys limited to streams, because nobody knows which
    // streams the projection read.
    await given.gateway.definitions.projections.change(ofHidden.name, () => undefined, systemActor);
    await seen();
    expect((await given.send('GET', given.at())).statusCode).toBe(200);
  });

  it('gets only the visible part of a loop', async () => {
    const limited = await bearerOf(['mine-*'], both);
    for (const stream of ['mine-a', 'mine-b']) await given.send('POST', '/api/v1/streams', { stream });
    await given.send('POST', path, { name: 'secret-1', ...between(['mine-b'], 'secret-s') });
    await given.send('POST', path, { name: 'secret-2', ...between(['secret-s'], 'mine-a') });
    const answer = await withKey(limited, [
      'POST',
      path,
      { name: given.name, ...between(['mine-a'], 'mine-b') },
    ]);
    expect(answer.json()).toMatchObject({ code: 'pipeline_loop' });
    expect(answer.body).not.toContain('secret');
    expect(answer.json<{ detail: string }>().detail).toBe(
      `The pipeline would feed itself: mine-a → (${given.name}) → mine-b → (a pipeline of others) → a stream of ` +
        'others → (a pipeline of others) → mine-a.',
    );
  });

  it("needs to be an admin key to process the system's own streams", async () => {
    const audit = { name: given.name, ...between([auditStream], 'copy') };
    const [ordinary, admin] = [
      await bearerOf(undefined, both),
      await bearerOf(undefined, [...both, 'admin']),
    ];
    expect((await withKey(ordinary, ['POST', path, audit])).json()).toMatchObject({
      code: 'stream_not_found',
    });
    expect((await withKey(admin, ['POST', path, audit])).statusCode).toBe(201);
    expect((await withKey(ordinary, ['GET', path])).body).not.toContain(`"${given.name}"`);
  });
});
