import { describe, expect, it } from 'vitest';
import { auditStream } from '#api';
import { ProjectionGatewayFixture, path, spec, type HttpMethod } from './projection-gateway.fixture.js';

const given = new ProjectionGatewayFixture();

describe('access to projections: a key', () => {
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

  it('needs definitions:write to change a projection, and definitions:read to see one', async () => {
    await given.define();
    const all: [HttpMethod, string, object?][] = [
      ['POST', path, { name: given.name, ...spec }],
      ...changes(),
    ];
    for (const one of all) {
      const answer = await withKey(given.gateway.bearer['definitions:read'], one);
      expect(answer.json(), `${one[0]} ${one[1]}`).toMatchObject({ code: 'insufficient_scope' });
    }
    const seen = await withKey(given.gateway.bearer['definitions:write'], ['GET', given.at()]);
    expect(seen.statusCode).toBe(403);
    expect((await withKey(given.gateway.bearer['definitions:read'], ['GET', given.at()])).statusCode).toBe(
      200,
    );
  });

  it('with a stream limit changes and sees only projections that fold its streams', async () => {
    const limited = await bearerOf(['refunds'], ['definitions:read', 'definitions:write']);
    await given.define({ source: { streams: ['orders', 'refunds'] } });
    const held = given.definition;
    const mine = { ...spec, source: { streams: ['refunds'] } };
    const ofName = ([method, url, payload]: [HttpMethod, string, object?]) =>
      [method, url, payload, 'projection_not_found'] as const;
    const all: (readonly [HttpMethod, string, object | undefined, string])[] = [
      ['POST', path, { ...spec, name: 'other' }, 'stream_not_found'],
      ['POST', path, { ...mine, name: given.name }, 'projection_exists'],
      ...changes().map(ofName),
      ofName(['PUT', given.at(), mine]),
      ofName(['GET', given.at()]),
    ];
    for (const [method, url, payload, code] of all) {
      const answer = await withKey(limited, [method, url, payload]);
      expect(answer.json(), `${method} ${url}`).toMatchObject({ code });
    }
    expect(given.definition).toBe(held);
    expect((await withKey(limited, ['GET', path])).body).not.toContain(`"${given.name}"`);
    expect((await withKey(limited, ['POST', path, { ...mine, name: `${given.name}-mine` }])).statusCode).toBe(
      201,
    );
    expect((await withKey(limited, ['GET', path])).body).toContain(`"${given.name}-mine"`);
  });

  it('sees a projection only if it also covers the streams of the generation that is still serving', async () => {
    const limited = await bearerOf(['refunds'], ['definitions:read']);
    await given.define();
    await given.takenOver();
    await given.send('PUT', given.at(), { ...spec, source: { streams: ['refunds'] } });
    const seen = async () => (await withKey(limited, ['GET', given.at()])).statusCode;
    expect(await seen()).toBe(404);
    await given.takenOver();
    expect(await seen()).toBe(200);
  });

  it("needs to be an admin key to fold the system's own streams", async () => {
    const audit = { name: given.name, source: { streams: [auditStream] }, fields: { n: { op: 'count' } } };
    const ordinary = await bearerOf(undefined, ['definitions:read', 'definitions:write']);
    const admin = await bearerOf(undefined, ['definitions:read', 'definitions:write', 'admin']);
    expect((await withKey(ordinary, ['POST', path, audit])).json()).toMatchObject({
      code: 'stream_not_found',
    });
    expect((await withKey(admin, ['POST', path, audit])).statusCode).toBe(201);
    expect((await withKey(ordinary, ['GET', path])).body).not.toContain(`"${given.name}"`);
  });
});
