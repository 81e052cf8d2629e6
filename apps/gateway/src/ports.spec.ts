import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { generateKey, isAlwaysAnswered, isScope, type RouteAccessRule } from '#http';
import { metricsText } from '#telemetry';
import { givenGateway, commitMaterialized, type GivenGateway } from './gateway.fixture.js';

let gateway: GivenGateway;

beforeAll(async () => {
  gateway = await givenGateway();
});
afterAll(() => gateway.close());

const get = (url: string, headers: Record<string, string> = {}) =>
  gateway.query.instance.inject({ url, headers });

describe('the query port', () => {
  it("requires a scope on every route, except GET /health/live, ClickHouse's ping and the console's files", async () => {
    const routes = routesOf('query');
    expect(routes.length).toBeGreaterThan(15);
    const open = routes.filter(({ access }) => access.public).map(({ method, url }) => `${method} ${url}`);
    expect(open.filter((route) => route.startsWith('GET ')).sort()).toEqual([
      'GET /clickhouse/ping',
      'GET /console',
      'GET /console/',
      'GET /console/*',
      'GET /console/settings.json',
      'GET /health/live',
      'GET /ping',
    ]);
    const undeclared = routes.filter(({ access }) => !access.public && !isScope(access.scope ?? ''));
    expect(undeclared).toEqual([]);
  });

  it('answers every route that changes something, even while too many bytes of answers wait', async () => {
    const changing = routesOf('query').filter(({ method }) => !['GET', 'HEAD'].includes(method));
    const refusable = changing.filter(({ access }) => !isAlwaysAnswered(access));
    expect(
      refusable.map(({ method, url }) => `${method} ${url}`).sort(),
      'Add `@AlwaysAnswered()` to a method that changes something. Add a route that only reads to the list in apps/gateway/src/ports.spec.ts.',
    ).toEqual([
      // A SQL statement only reads.
      'POST /',
      'POST /api/v1/pipelines/dry-run',
      'POST /api/v1/schemas/:stream/:event_type/check',
      'POST /api/v1/schemas/:stream/:event_type/validate',
      // A repeated request gets the existing snapshot.
      'POST /api/v1/snapshots',
      'POST /clickhouse',
    ]);
  });

  it('has the same routes as the core port, and SQL', async () => {
    const [core, query] = [routesOf('core'), routesOf('query')];
    const names = (routes: typeof core) => routes.map(({ method, url }) => `${method} ${url}`).sort();
    const sql = /^(GET|HEAD|POST) (\/|\/ping|\/clickhouse|\/clickhouse\/ping)$/;
    const others = (routes: typeof core) => names(routes).filter((route) => !sql.test(route));
    expect(others(query)).toEqual(others(core));
    expect(names(query).filter((route) => sql.test(route))).toHaveLength(10);
  });

  it.each([
    '/api/v1/events/query',
    '/api/v1/events/count',
    '/api/v1/events/stream',
    '/api/v1/events/019aa4e2-7d53-7c1e-9a3e-0d6a1f0b2c11',
    '/api/v1/streams',
    '/api/v1/entities',
    '/api/v1/entities/order-1/state?stream=orders',
    '/api/v1/snapshots?stream=orders',
    '/api/v1/projections/revenue/changes',
    '/api/v1/projections/revenue/state',
    '/api/v1/projections/revenue/state/EUR',
    '/api/v1/dead-letters',
    '/api/v1/health-history',
    '/api/v1/job-history',
    '/api/v1/scrubs/019aa4e2-7d53-7c1e-9a3e-0d6a1f0b2c11',
    '/health',
    '/health/ready',
    '/metrics',
    '/openapi.json',
    '/docs',
    '/docs/swagger-ui.css',
    '/',
    '/nowhere',
    '/api/v1/events/query?limit=NaN',
    '/%zz',
  ])('requires a key at %s', async (url) => {
    const answer = await get(url);
    if (url === '/%zz') return expect(answer.statusCode).toBe(400);
    expect(answer.statusCode).toBe(401);
    expect(answer.headers['www-authenticate']).toBe('Bearer realm="tributary"');
    expect(answer.json()).toMatchObject({ code: 'unauthenticated' });
  });

  it('answers the liveness check without a key', async () => {
    expect((await get('/health/live')).statusCode).toBe(200);
  });

  it('accepts a key with the scope, and no other', async () => {
    const url = '/api/v1/events/query';
    expect((await get(url, { authorization: gateway.bearer['events:read'] })).statusCode).toBe(200);
    for (const scope of ['events:write', 'definitions:read', 'definitions:write', 'admin'] as const) {
      const answer = await get(url, { authorization: gateway.bearer[scope] });
      expect(answer.statusCode).toBe(403);
      expect(answer.headers['www-authenticate']).toBe(
        'Bearer realm="tributary", error="insufficient_scope", scope="events:read"',
      );
    }
    expect((await get('/nowhere', { authorization: gateway.bearer.admin })).statusCode).toBe(404);
  });

  it('accepts no key in the query string or in another header', async () => {
    const key = gateway.bearer['events:read'].slice('Bearer '.length);
    for (const name of ['access_token', 'api_key', 'key', 'authorization']) {
      expect((await get(`/api/v1/streams?${name}=${key}`)).statusCode).toBe(401);
    }
    expect((await get('/api/v1/streams', { 'x-api-key': key, cookie: `key=${key}` })).statusCode).toBe(401);
  });

  it('gives the same answer for a wrong key whether its id exists or not', async () => {
    const [, knownId = ''] = gateway.bearer['events:read'].split('_');
    const unknown = generateKey();
    const other = unknown.key.replace(unknown.keyId, knownId);
    const answers = await Promise.all(
      [unknown.key, other].map((key) =>
        get('/api/v1/streams', { authorization: `Bearer ${key}`, 'x-request-id': 'r' }),
      ),
    );
    expect(answers[0]?.statusCode).toBe(401);
    expect(answers[0]?.headers['www-authenticate']).toBe('Bearer realm="tributary", error="invalid_token"');
    expect(answers[1]?.json()).toEqual(answers[0]?.json());
  });

  it('counts refused requests', async () => {
    const count = async () =>
      Number(/auth_refused_total\{code="invalid_token"\} (\d+)/.exec(await metricsText())?.[1] ?? 0);
    const before = await count();
    await get('/api/v1/streams', { authorization: 'Bearer x' });
    expect(await count()).toBe(before + 1);
  });

  it('answers an upload without a key before the body has arrived', async () => {
    await gateway.query.instance.listen({ host: '127.0.0.1', port: 0 });
    const { port } = gateway.query.instance.server.address() as AddressInfo;
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const headers = { 'content-type': 'application/json', 'content-length': 16 * 1024 * 1024 };
      const upload = request({ port, method: 'POST', path: '/api/v1/events/batch', headers }, (answer) => {
        upload.destroy();
        resolve(answer.statusCode);
      });
      upload.on('error', reject);
      upload.write('{"events":[');
    });
    expect(status).toBe(401);
  });
});

describe('both ports', () => {
  it('write through the same module, and return what was written once it is stored', async () => {
    for (const port of ['core', 'query'] as const) {
      const { instance } = gateway[port];
      const event = { stream: `on-${port}`, event_type: 't', data: { n: 1 } };
      const write = {
        method: 'POST',
        url: '/api/v1/events',
        headers: { authorization: gateway.bearer['events:write'] },
      } as const;
      const written = await instance.inject({ ...write, payload: event });
      expect(written.statusCode, written.body).toBe(201);
      const { partition, offset } = written.json<{ partition: number; offset: number }>();
      const read = () =>
        instance.inject({
          url: `/api/v1/events/count?wait_for=${event.stream}:${partition}:${offset}`,
          headers: { authorization: gateway.bearer['events:read'] },
        });
      expect((await read()).statusCode).toBe(504);
      commitMaterialized(gateway, event.stream, { partition, offset: offset + 1 });
      expect((await read()).statusCode).toBe(200);
    }
  });
});

describe('a query port without configured keys', () => {
  it('refuses every request except those with a key that was issued on the core port', async () => {
    const closed = await givenGateway({ apiKeys: 'none' });
    const read = async (key: string) => {
      const headers = { authorization: `Bearer ${key}` };
      return (await closed.query.instance.inject({ url: '/api/v1/streams', headers })).statusCode;
    };
    expect(await read(generateKey().key)).toBe(401);
    const payload = { name: 'first', scopes: ['events:read'] };
    const issued = await closed.core.instance.inject({ method: 'POST', url: '/api/v1/keys', payload });
    expect(await read(issued.json<{ key: string }>().key)).toBe(200);
    await closed.close();
  });
});

describe('the OpenAPI document of a port', () => {
  interface Description {
    info: { title: string };
    security?: object[];
    components: { securitySchemes?: object };
    paths: Record<string, Record<string, { responses: object; security?: object[] }>>;
  }
  const describePort = async (port: 'core' | 'query') => {
    const headers = { authorization: gateway.bearer['events:read'] };
    return (await gateway[port].instance.inject({ url: '/openapi.json', headers })).json<Description>();
  };
  const operations = ({ paths }: Description) =>
    Object.values(paths)
      .flatMap((item) => Object.values(item))
      .filter(({ security }) => security?.length !== 0);

  it('requires keys on the query port, on each route except the public one', async () => {
    const description = await describePort('query');
    expect(description.info.title).toBe('Tributary (query port)');
    expect(description.security).toEqual([{ bearer: [] }]);
    expect(description.components.securitySchemes).toMatchObject({
      bearer: { type: 'http', scheme: 'bearer' },
      basic: { type: 'http', scheme: 'basic' },
    });
    const withBasic = Object.entries(description.paths).flatMap(([path, item]) =>
      Object.entries(item)
        .filter(([, { security }]) => JSON.stringify(security) === '[{"bearer":[]},{"basic":[]}]')
        .map(([method]) => `${method} ${path}`),
    );
    expect(withBasic.sort()).toEqual([
      ...['get /', 'get /clickhouse', 'post /', 'post /api/v1/events', 'post /api/v1/events/batch'],
      ...['post /api/v1/streams/{stream}/cloudevents', 'post /api/v1/streams/{stream}/raw'],
      ...['post /clickhouse', 'post /v1/logs'],
    ]);
    for (const { responses } of operations(description)) {
      expect(Object.keys(responses)).toEqual(expect.arrayContaining(['401', '403', '429']));
    }
    expect(description.paths['/health/live']?.get?.security).toEqual([]);
  });

  it('requires no keys on the core port', async () => {
    const description = await describePort('core');
    expect(description.info.title).toBe('Tributary (core port)');
    expect(description).not.toHaveProperty('security');
    expect(description.components).not.toHaveProperty('securitySchemes');
    for (const { responses } of operations(description)) expect(responses).not.toHaveProperty('401');
  });

  it('is linked from / on the core port', async () => {
    const headers = { authorization: gateway.bearer['events:read'] };
    for (const port of ['core', 'query'] as const) {
      const answer = await gateway[port].instance.inject({ url: '/', headers });
      if (port === 'core') expect([answer.statusCode, answer.headers.location]).toEqual([302, 'docs']);
      const page = await gateway[port].instance.inject({ url: '/docs', headers });
      expect(page.body).toContain('<title>Tributary</title>');
    }
  });
});

interface DeclaredRoute {
  method: string;
  url: string;
  access: RouteAccessRule;
}

/** Returns all routes of a port. */
function routesOf(port: 'core' | 'query'): DeclaredRoute[] {
  return gateway.routes[port].flatMap(({ method, url, config }) =>
    [method].flat().map((each) => ({ method: each, url, access: config ?? {} })),
  );
}
