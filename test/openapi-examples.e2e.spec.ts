import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { until } from '#testkit';
import { openApiFile } from './client/openapi-document.js';
import { useSharedStack } from './use-stack.js';

const system = useSharedStack();
const json = { 'content-type': 'application/json' };

interface Schema {
  $ref?: string;
  example?: unknown;
}

interface Operation {
  parameters?: {
    name: string;
    in: 'path' | 'query';
    required?: boolean;
    example?: unknown;
    schema: Schema;
  }[];
  requestBody?: { content: Record<string, { schema: Schema; example?: unknown }> };
}

const document = JSON.parse(readFileSync(openApiFile, 'utf8')) as {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
};

/** Returns the example of a body or a parameter, as /docs shows it. */
function exampleOf({ example, schema }: { example?: unknown; schema: Schema }): unknown {
  const name = schema.$ref?.split('/').at(-1);
  return (
    example ?? schema.example ?? (name === undefined ? undefined : document.components.schemas[name]?.example)
  );
}

const text = (example: unknown) => (typeof example === 'string' ? example : JSON.stringify(example));

/** A request with the examples of the document. */
interface ExampleRequest {
  method: string;
  path: string;
  body?: string;
  headers: Record<string, string>;
}

/** Returns the requests of an operation, one for each media type; undefined if a required parameter has no example. */
function examplesOf(path: string, method: string, operation: Operation): ExampleRequest[] | undefined {
  const query = new URLSearchParams();
  let filled = path;
  for (const parameter of operation.parameters ?? []) {
    // /docs fills in every parameter that has an example.
    const example = exampleOf(parameter);
    if (example === undefined && parameter.required) return undefined;
    if (example === undefined) continue;
    if (parameter.in === 'query') query.set(parameter.name, text(example));
    else filled = filled.replace(`{${parameter.name}}`, encodeURIComponent(text(example)));
  }
  const target = query.size > 0 ? `${filled}?${query.toString()}` : filled;
  const contents = Object.entries(operation.requestBody?.content ?? {}).filter(([type]) => !isBinary(type));
  if (contents.length === 0) return [{ method, path: target, headers: {} }];
  return contents.map(([type, content]) => {
    const example = exampleOf(content);
    expect(example, `${method} ${path} with ${type} has an example`).toBeDefined();
    return { method, path: target, body: text(example), headers: { 'content-type': type } };
  });
}

const isBinary = (type: string) => type === '*/*' || type === 'application/x-protobuf';

/** Creations come first, the deletion of a stream comes last, and that of what is in it before. */
const order = (method: string, path: string): number =>
  method === 'DELETE'
    ? 10 - path.split('/').length / 10 + (path.includes('/streams/') ? 1 : 0)
    : method === 'POST'
      ? 1
      : 2;

it('the examples of the OpenAPI document work after the tour', async () => {
  const { core } = system();
  const write = (body: object) =>
    core.send('POST', '/api/v1/events', { body: JSON.stringify(body), headers: json });
  for (const entity_id of ['order-17', 'order-18'])
    await write({
      stream: 'orders',
      event_type: 'order.placed',
      entity_id,
      data: { amount: 99, currency: 'EUR' },
    });
  const source = { streams: ['orders'], event_types: ['order.placed'] };
  const projection = {
    name: 'revenue',
    source,
    key: 'event.data.currency',
    fields: { orders: { op: 'count' } },
  };
  const operators = [{ emit: { stream: 'big_orders', event_type: 'order.big' } }];
  const pipeline = { name: 'big_orders', source, operators };
  for (const [kind, body] of Object.entries({ projections: projection, pipelines: pipeline }))
    expect(
      (await core.send('POST', `/api/v1/${kind}`, { body: JSON.stringify(body), headers: json })).status,
    ).toBe(201);
  const subscription = { body: JSON.stringify({ source, from: 'beginning' }), headers: json };
  expect((await core.send('PUT', '/api/v1/subscriptions/billing', subscription)).status).toBe(201);
  await until(async () => (await core.get('/api/v1/projections/revenue/state/EUR')).status === 200, {
    what: 'the projection is built',
  });
  await until(async () => (await core.get('/api/v1/entities/order-17/state?stream=orders')).status === 200, {
    what: 'the entity is stored',
  });

  const without: string[] = [];
  const requests = Object.entries(document.paths)
    .flatMap(([path, operations]) =>
      Object.entries(operations).map(([method, operation]) => ({
        path,
        method: method.toUpperCase(),
        operation,
      })),
    )
    // A list of snapshots needs one of two parameters.
    .filter(({ path, method }) => path !== '/api/v1/snapshots' || method !== 'GET')
    // A scrub compares everything, also what other specs write meanwhile. A live stream has no end.
    .filter(({ path }) => !path.startsWith('/api/v1/scrubs') && !/\/(events\/stream|changes)$/.test(path))
    .toSorted((a, b) => order(a.method, a.path) - order(b.method, b.path));
  for (const { path, method, operation } of requests) {
    const examples = examplesOf(path, method, operation);
    if (!examples) without.push(`${method} ${path}`);
    for (const { path: target, ...request } of examples ?? []) {
      const answer = await core.send(request.method, target, request);
      expect(answer.status, `${method} ${target} ${request.body}\n${answer.text}`).toBeLessThan(400);
    }
  }

  expect(without.toSorted()).toEqual([
    'DELETE /api/v1/keys/{key_id}',
    'GET /api/v1/events/{event_id}',
    'GET /api/v1/keys/{key_id}',
    'POST /api/v1/keys/{key_id}/rotate',
  ]);
});
