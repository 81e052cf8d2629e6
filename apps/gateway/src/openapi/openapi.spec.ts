import { Ajv, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemActor } from '#definitions';
import { eventRow, givenGateway, type GivenGateway } from '../gateway.fixture.js';
import { nowServing, savedState } from '../projections/states/serving.fixture.js';

interface Operation {
  summary?: string;
  parameters?: { name: string; in: string; description?: string; schema: object }[];
  responses: Record<string, { content?: Record<string, { schema: { $ref?: string } }> }>;
  requestBody?: object;
}

interface Document {
  openapi: string;
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, object>; securitySchemes: object };
}

let gateway: GivenGateway;
let document: Document;

beforeAll(async () => {
  gateway = await givenGateway();
  await gateway.definitions.createStream({ stream: 'orders' }, systemActor);
  await gateway.store.writer.append(
    [eventRow({ offset: 0 }), eventRow({ offset: 1, entity_id: null, version: null })],
    't',
  );
  const body = { stream: 'orders', event_type: 'order.placed', schema: { type: 'object' } };
  await gateway.core.instance.inject({ method: 'POST', url: '/api/v1/schemas', payload: body });
  const projection = {
    ...{ name: 'revenue', source: { streams: ['orders'], event_types: ['order.placed'], where: 'true' } },
    fields: { revenue: { op: 'sum', value: 'event.data.price' } },
  };
  await gateway.core.instance.inject({ method: 'POST', url: '/api/v1/projections', payload: projection });
  const build = await nowServing(gateway, 'revenue');
  await savedState(gateway, build, { key: 'order-0', state: [[150, 2]] });
  const snapshot = { stream: 'orders', entity_id: 'order-0' };
  await gateway.core.instance.inject({ method: 'POST', url: '/api/v1/snapshots', payload: snapshot });
  const limited = {
    streams: ['orders'],
    rate_limit: { events_per_second: 5 },
    expires_at: '2099-01-01T00:00:00Z',
  };
  for (const more of [{}, limited]) {
    const payload = { name: 'k', scopes: ['events:read'], ...more };
    await gateway.core.instance.inject({ method: 'POST', url: '/api/v1/keys', payload });
  }
  document = (await gateway.core.instance.inject({ url: '/openapi.json' })).json<Document>();
});
afterAll(() => gateway.close());

const operations = () =>
  Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
  );

describe('the OpenAPI document', () => {
  it('has every route of the API', () => {
    expect(
      operations()
        .map(({ path, method }) => `${method} ${path}`)
        .sort(),
    ).toEqual([
      'delete /api/v1/entities/{entity_id}',
      'delete /api/v1/keys/{key_id}',
      'delete /api/v1/projections/{name}',
      'delete /api/v1/schemas/{stream}/{event_type}',
      'delete /api/v1/streams/{stream}',
      'get /api/v1/dead-letters',
      'get /api/v1/entities',
      'get /api/v1/entities/{entity_id}/state',
      'get /api/v1/events/count',
      'get /api/v1/events/query',
      'get /api/v1/events/stream',
      'get /api/v1/events/{event_id}',
      'get /api/v1/keys',
      'get /api/v1/keys/{key_id}',
      'get /api/v1/projections',
      'get /api/v1/projections/{name}',
      'get /api/v1/projections/{name}/state',
      'get /api/v1/projections/{name}/state/{key}',
      'get /api/v1/schemas',
      'get /api/v1/schemas/{stream}/{event_type}',
      'get /api/v1/schemas/{stream}/{event_type}/versions',
      'get /api/v1/schemas/{stream}/{event_type}/versions/{version}',
      'get /api/v1/snapshots',
      'get /api/v1/streams',
      'get /api/v1/streams/{stream}',
      'get /health',
      'get /health/live',
      'get /health/ready',
      'get /metrics',
      'patch /api/v1/streams/{stream}',
      'post /api/v1/dead-letters/replay',
      'post /api/v1/events',
      'post /api/v1/events/batch',
      'post /api/v1/keys',
      'post /api/v1/keys/{key_id}/rotate',
      'post /api/v1/projections',
      'post /api/v1/projections/{name}/pause',
      'post /api/v1/projections/{name}/reset',
      'post /api/v1/projections/{name}/resume',
      'post /api/v1/schemas',
      'post /api/v1/schemas/{stream}/{event_type}/check',
      'post /api/v1/snapshots',
      'post /api/v1/streams',
      'put /api/v1/projections/{name}',
    ]);
  });

  it('says of every route what it does, what it answers, and that it answers problems', () => {
    for (const { path, method, operation } of operations()) {
      const name = `${method} ${path}`;
      expect(operation.summary, name).toBeTruthy();
      expect(
        Object.keys(operation.responses).some((status) => status.startsWith('2')),
        name,
      ).toBe(true);
      expect(Object.keys(operation.responses.default?.content ?? {}), name).toEqual([
        'application/problem+json',
      ]);
      const hasBody = ['post', 'patch', 'put'].includes(method) && !/\/(pause|resume|reset)$/.test(path);
      expect(operation.requestBody !== undefined, name).toBe(hasBody);
    }
  });

  it('describes every parameter', () => {
    const query = document.paths['/api/v1/events/query']?.get?.parameters ?? [];
    expect(query.map(({ name }) => name).sort()).toEqual(
      [
        ...['stream', 'event_type', 'entity_id', 'event_type_prefix', 'since', 'until', 'where'],
        ...['order', 'limit', 'cursor', 'wait_for'],
      ].sort(),
    );
    for (const { operation } of operations()) {
      for (const parameter of operation.parameters ?? []) {
        if (parameter.in === 'query') expect(parameter.description, parameter.name).toBeTruthy();
      }
    }
    expect(query.find(({ name }) => name === 'limit')?.schema).toMatchObject({
      minimum: 1,
      maximum: 10_000,
      default: 100,
    });
    expect(query.find(({ name }) => name === 'since')?.schema).toMatchObject({ format: 'date-time' });
  });

  it('refers only to schemas that it has, and shows none of the configuration', () => {
    const names = Object.keys(document.components.schemas);
    for (const [, name] of JSON.stringify(document).matchAll(/#\/components\/schemas\/([^"]+)/g)) {
      expect(names).toContain(name);
    }
    expect(names.filter((name) => name.endsWith('Config'))).toEqual([]);
  });

  it.each([
    '/api/v1/events/query',
    '/api/v1/events/count',
    '/api/v1/events/count?group_by=entity_id&interval=1h',
    '/api/v1/streams',
    '/api/v1/entities',
    '/api/v1/entities/order-0/state?stream=orders',
    '/api/v1/snapshots?stream=orders',
    '/api/v1/dead-letters',
    '/health/live',
    '/api/v1/keys',
    '/api/v1/streams/orders',
    '/api/v1/projections',
    '/api/v1/projections/revenue',
    '/api/v1/projections/revenue/state',
    '/api/v1/projections/revenue/state?order_by=revenue&order=desc',
    '/api/v1/projections/revenue/state/order-0',
    '/api/v1/schemas',
    '/api/v1/schemas/orders/order.placed',
    '/api/v1/schemas/orders/order.placed/versions',
    '/api/v1/schemas/orders/order.placed/versions/1',
  ])('describes what GET %s really answers', async (url) => {
    const answer = await gateway.core.instance.inject({ url });
    expect(answer.statusCode).toBe(200);
    const path = url
      .split('?')[0]
      ?.replace('/revenue', '/{name}')
      .replace('/state/order-0', '/state/{key}')
      .replace('/streams/orders', '/streams/{stream}')
      .replace('/orders/order.placed', '/{stream}/{event_type}')
      .replace('/versions/1', '/versions/{version}')
      .replace('/order-0/', '/{entity_id}/');
    const schema = document.paths[path ?? '']?.get?.responses[200]?.content?.['application/json']?.schema;
    const validate = validator(schema?.$ref ?? '');
    expect(validate(answer.json()), JSON.stringify(validate.errors)).toBe(true);
  });

  it('describes the problems that are really answered', async () => {
    const validate = validator('#/components/schemas/Problem');
    for (const url of [
      '/api/v1/events/query?limit=0&colour=red',
      '/nowhere',
      '/api/v1/events/query?cursor=x',
    ]) {
      const answer = await gateway.core.instance.inject({ url });
      expect(validate(answer.json()), JSON.stringify(validate.errors)).toBe(true);
    }
  });

  it('is shown at /docs with files of our own only', async () => {
    const page = await gateway.core.instance.inject({ url: '/docs' });
    expect(page.statusCode).toBe(200);
    expect(page.body).not.toMatch(/(src|href)="(https?:)?\/\//);
    expect((await gateway.core.instance.inject({ url: '/docs/swagger-ui-bundle.js' })).statusCode).toBe(200);
  });
});

/** OpenAPI 3.0 schemas are close enough to JSON Schema for Ajv, which knows `nullable`. */
function validator(ref: string): ValidateFunction {
  const ajv = new Ajv({ strict: false });
  addFormats.default(ajv);
  return ajv.compile({ $id: 'document', components: document.components, $ref: ref });
}
