import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { givenGateway, type GivenGateway } from './gateway.fixture.js';

interface Operation {
  summary?: string;
  parameters?: { name: string; in: string; required?: boolean; description?: string; schema: object }[];
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
      'Add a new endpoint to the list in apps/gateway/src/openapi.spec.ts, which is sorted.',
    ).toEqual([
      'delete /api/v1/entities/{entity_id}',
      'delete /api/v1/keys/{key_id}',
      'delete /api/v1/pipelines/{name}',
      'delete /api/v1/projections/{name}',
      'delete /api/v1/schemas/{stream}/{event_type}',
      'delete /api/v1/streams/{stream}',
      'delete /api/v1/subscriptions/{name}',
      'get /api/v1/dead-letters',
      'get /api/v1/entities',
      'get /api/v1/entities/{entity_id}/state',
      'get /api/v1/events/count',
      'get /api/v1/events/export',
      'get /api/v1/events/query',
      'get /api/v1/events/stream',
      'get /api/v1/events/{event_id}',
      'get /api/v1/health-history',
      'get /api/v1/job-history',
      'get /api/v1/keys',
      'get /api/v1/keys/{key_id}',
      'get /api/v1/pipelines',
      'get /api/v1/pipelines/{name}',
      'get /api/v1/projections',
      'get /api/v1/projections/{name}',
      'get /api/v1/projections/{name}/changes',
      'get /api/v1/projections/{name}/state',
      'get /api/v1/projections/{name}/state/{key}',
      'get /api/v1/schemas',
      'get /api/v1/schemas/{stream}/{event_type}',
      'get /api/v1/schemas/{stream}/{event_type}/versions',
      'get /api/v1/schemas/{stream}/{event_type}/versions/{version}',
      'get /api/v1/scrubs/{scrub_id}',
      'get /api/v1/snapshots',
      'get /api/v1/streams',
      'get /api/v1/streams/{stream}',
      'get /api/v1/subscriptions',
      'get /api/v1/subscriptions/{name}',
      'get /api/v1/subscriptions/{name}/parked',
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
      'post /api/v1/pipelines',
      'post /api/v1/pipelines/dry-run',
      'post /api/v1/pipelines/{name}/pause',
      'post /api/v1/pipelines/{name}/reset',
      'post /api/v1/pipelines/{name}/resume',
      'post /api/v1/projections',
      'post /api/v1/projections/{name}/pause',
      'post /api/v1/projections/{name}/reset',
      'post /api/v1/projections/{name}/resume',
      'post /api/v1/schemas',
      'post /api/v1/schemas/{stream}/{event_type}/check',
      'post /api/v1/schemas/{stream}/{event_type}/validate',
      'post /api/v1/scrubs',
      'post /api/v1/snapshots',
      'post /api/v1/streams',
      'post /api/v1/streams/{stream}/cloudevents',
      'post /api/v1/streams/{stream}/raw',
      'post /api/v1/subscriptions/{name}/ack',
      'post /api/v1/subscriptions/{name}/parked/discard',
      'post /api/v1/subscriptions/{name}/parked/replay',
      'post /api/v1/subscriptions/{name}/pause',
      'post /api/v1/subscriptions/{name}/receive',
      'post /api/v1/subscriptions/{name}/resume',
      'post /api/v1/subscriptions/{name}/seek',
      'post /v1/logs',
      'put /api/v1/pipelines/{name}',
      'put /api/v1/projections/{name}',
      'put /api/v1/subscriptions/{name}',
    ]);
  });

  it('documents for every route its purpose, its answers and its problems', () => {
    for (const { path, method, operation } of operations()) {
      const name = `${method} ${path}`;
      expect(operation.summary, name).toBeTruthy();
      expect(
        Object.keys(operation.responses).some((status) => status.startsWith('2')),
        name,
      ).toBe(true);
      // Exporters of OpenTelemetry read errors in the form of their protocol.
      const form =
        path === '/v1/logs' ? ['application/json', 'application/x-protobuf'] : ['application/problem+json'];
      expect(Object.keys(operation.responses.default?.content ?? {}), name).toEqual(form);
      const hasBody =
        ['post', 'patch', 'put'].includes(method) && !/\/(pause|resume|reset|scrubs)$/.test(path);
      expect(operation.requestBody !== undefined, name).toBe(hasBody);
    }
  });

  it('describes every parameter', () => {
    const query = document.paths['/api/v1/events/query']?.get?.parameters ?? [];
    expect(query.map(({ name }) => name).sort()).toEqual(
      [
        ...['stream', 'event_type', 'entity_id', 'event_type_prefix', 'since', 'until', 'where'],
        ...['order', 'limit', 'cursor', 'wait_for', 'partial'],
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
    const since = query.find(({ name }) => name === 'since');
    // A relative time has no standard format.
    expect(since?.schema).not.toHaveProperty('format');
    expect(since?.description).toContain('relative to the arrival of the request: `now`, `-15m`');
  });

  it('has no example that Swagger UI would send by default', () => {
    const optional = operations().flatMap(({ operation }) =>
      (operation.parameters ?? []).filter(({ required }) => !required),
    );
    expect(optional.filter((one) => 'example' in one || 'example' in one.schema)).toEqual([]);
    const waitFor = optional.find(({ name }) => name === 'wait_for');
    expect(waitFor?.description).toMatch(/ For example `orders:4:10234`\.$/);
  });

  it('marks the confirmation of a deletion as required, and says that a + in a time must be encoded', () => {
    const parameter = (path: string, method: string, name: string) =>
      document.paths[path]?.[method]?.parameters?.find((one) => one.name === name);
    for (const path of ['/api/v1/streams/{stream}', '/api/v1/entities/{entity_id}'])
      expect(parameter(path, 'delete', 'confirm'), path).toMatchObject({ required: true });
    for (const path of ['/api/v1/events/query', '/api/v1/events/count', '/api/v1/dead-letters'])
      for (const name of ['since', 'until'])
        expect(parameter(path, 'get', name)?.description, path).toContain(
          'write the `+` of an offset as `%2B`',
        );
  });

  it('says that a change of retention replaces the whole retention', () => {
    const { StreamChangeInput, StreamInput } = document.components.schemas as Record<
      string,
      { properties: Record<string, { description: string }> }
    >;
    expect(StreamInput?.properties.retention?.description).toBe('Default: unlimited.');
    expect(StreamChangeInput?.properties.retention?.description).toMatch(
      /Replaces the whole.*removes the limit by time/,
    );
  });

  it('refers only to schemas that it contains, and contains none of the configuration', () => {
    const names = Object.keys(document.components.schemas);
    for (const [, name] of JSON.stringify(document).matchAll(/#\/components\/schemas\/([^"]+)/g)) {
      expect(names).toContain(name);
    }
    expect(names.filter((name) => name.endsWith('Config'))).toEqual([]);
  });

  it('is shown at /docs with local files only', async () => {
    const page = await gateway.core.instance.inject({ url: '/docs' });
    expect(page.statusCode).toBe(200);
    expect(page.body).not.toMatch(/(src|href)="(https?:)?\/\//);
    expect((await gateway.core.instance.inject({ url: '/docs/swagger-ui-bundle.js' })).statusCode).toBe(200);
  });
});
