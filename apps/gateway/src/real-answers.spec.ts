import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemActor } from '#registry';
import { rowBatchesOf } from '../../../libs/core/store/row-batch/row-batches-of.fixture.js';
import { eventRow, givenGateway, type GivenGateway } from './gateway.fixture.js';
import { nowServing, savedState } from '../../../libs/features/projections/gateway/states/serving.fixture.js';

interface Schema {
  properties?: object;
  additionalProperties?: unknown;
}

interface Document {
  paths: Record<string, Record<string, { responses: Record<string, { content?: Record<string, unknown> }> }>>;
  components: { schemas: Record<string, Schema> };
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

let gateway: GivenGateway;
let document: Document;
/** Id of a key that the requests may change. */
let keyId: string;

const projection = {
  name: 'revenue',
  source: { streams: ['orders'], event_types: ['order.placed'], where: 'true' },
  fields: { revenue: { op: 'sum', value: 'event.data.price' } },
};
const pipeline = {
  name: 'minutes',
  source: { streams: ['orders'], event_types: ['order.placed'], where: 'true', idle_after: '10s' },
  operators: [
    { map: { data: { n: 'event.data.n' } } },
    { window: { tumbling: '1m', key: 'event.event_type', lateness: '0s' } },
    { reduce: { n: { op: 'sum', value: 'event.data.n' } } },
    { emit: { stream: 'minutes' } },
  ],
};
const subscription = { source: { streams: ['orders'], event_types: ['order.placed'], where: 'true' } };
const given = [1, 'x', 2].map((n) => ({ stream: 'orders', event_type: 'order.placed', data: { n } }));
const send = (method: Method, url: string, ...[payload, type = 'application/json']: [object?, string?]) =>
  gateway.core.instance.inject({
    ...{ method, url },
    ...(payload && { payload, headers: { 'content-type': type } }),
  });

beforeAll(async () => {
  gateway = await givenGateway();
  await gateway.definitions.createStream({ stream: 'orders' }, systemActor);
  const rows = [eventRow({ offset: 0 }), eventRow({ offset: 1, entity_id: null, version: null })];
  await gateway.store.writer.appendRowBatches(rowBatchesOf(rows), 't');
  const schema = { type: 'object', properties: { n: { type: 'number' } } };
  await send('POST', '/api/v1/schemas', { stream: 'strict', event_type: 'x', schema });
  const limited = { streams: ['orders'], rate_limit: { events_per_second: 5 } };
  await send('POST', '/api/v1/keys', { name: 'k', scopes: ['events:read'], ...limited });
  const issued = await send('POST', '/api/v1/keys', { name: 'k', scopes: ['events:read'] });
  keyId = issued.json<{ key_id: string }>().key_id;
  await send('POST', '/api/v1/projections', projection);
  const build = await nowServing(gateway, 'revenue');
  await savedState(gateway, build, { key: 'order-0', state: [[150, 2]] });
  document = (await send('GET', '/openapi.json')).json<Document>();
});
afterAll(() => gateway.close());

/** Returns the path of the document that a URL belongs to. */
function pathOf(url: string): string {
  const path = url.split('?')[0] ?? '';
  const found = Object.keys(document.paths)
    .filter((one) => new RegExp(`^${one.replace(/\{[^}]+\}/g, '[^/]+')}$`).test(path))
    .sort((a, b) => a.split('{').length - b.split('{').length);
  return found[0] ?? '';
}

/** Returns what the document says about an answer: the schema of its body, undefined for an answer without one. */
function documented(
  method: Method,
  url: string,
  answer: { status: number; type: string },
): object | undefined {
  const { status, type } = answer;
  const template = pathOf(url);
  const response = document.paths[template]?.[method.toLowerCase()]?.responses[status];
  expect(response, `${method} ${template} ${status}`).toBeDefined();
  const content = response?.content?.[type] as { schema: object } | undefined;
  expect(content === undefined, `a body of ${type}`).toBe(type === '');
  return content?.schema;
}

/** Returns the schema violations of a body, also with schemas that forbid undocumented members. */
function misfits(schema: object, body: unknown): unknown[] {
  const { schemas } = document.components;
  const closed = Object.entries(schemas).map(([name, one]) => [
    name,
    one.properties ? { additionalProperties: false, ...one } : one,
  ]);
  return [schemas, Object.fromEntries(closed) as object].flatMap((all) => errorsOf(schema, all, body));
}

function errorsOf(schema: object, schemas: object, body: unknown): unknown[] {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  const validate = ajv.compile({ $id: 'document', components: { schemas }, ...schema });
  return validate(body) ? [] : (validate.errors ?? []);
}

const good = { stream: 'orders', event_type: 'order.placed', data: { n: 1 } };
const bad = { ...good, event_type: '' };
const strict = { stream: 'strict', event_type: 'x', data: { n: 'one' } };
const batch = '/api/v1/events/batch';
const schema = { type: 'object', properties: { a: { type: 'string' } } };
const stricter = { ...schema, required: ['a'] };

const cloudEvent = { specversion: '1.0', id: 'a', source: '/s', type: 't' };

/** Status, method and URL of each request, and its body with its media type; default: application/json. */
const requests: [number, Method, string, object?, string?][] = [
  [201, 'POST', '/api/v1/events', good],
  [201, 'POST', '/api/v1/events', { ...good, entity_id: 'order-1' }],
  [400, 'POST', '/api/v1/events', bad],
  [422, 'POST', '/api/v1/events', strict],
  [201, 'POST', batch, { events: [good, good] }],
  [207, 'POST', batch, { events: [good, bad, strict] }],
  [400, 'POST', batch, { events: [strict, strict] }],
  [400, 'POST', batch, { events: [] }],
  [201, 'POST', '/api/v1/streams', { stream: 'plain' }],
  [201, 'POST', '/api/v1/streams', { stream: 'bounded', retention: { time: '7d', bytes: 1000 } }],
  [409, 'POST', '/api/v1/streams', { stream: 'plain' }],
  [200, 'POST', '/api/v1/streams/plain/raw?event_type=seen', { user: 'ann' }],
  [200, 'POST', '/api/v1/streams/plain/raw?event_type=/kind', { user: 'ann' }],
  [204, 'POST', '/api/v1/streams/plain/cloudevents', cloudEvent, 'application/cloudevents+json'],
  [200, 'POST', '/v1/logs', { resourceLogs: [] }],
  [200, 'GET', '/api/v1/streams'],
  [200, 'GET', '/api/v1/streams/orders'],
  [404, 'GET', '/api/v1/streams/oders'],
  [200, 'PATCH', '/api/v1/streams/plain', { retention: { time: '1d' } }],
  [400, 'DELETE', '/api/v1/streams/plain'],
  [204, 'DELETE', '/api/v1/streams/plain?confirm=plain'],
  [200, 'GET', '/api/v1/events/query'],
  [200, 'GET', '/api/v1/events/query?limit=1'],
  [400, 'GET', '/api/v1/events/query?limit=0&colour=red'],
  [400, 'GET', '/api/v1/events/query?cursor=x'],
  [200, 'GET', '/api/v1/events/count'],
  [200, 'GET', '/api/v1/events/count?group_by=entity_id&interval=1h'],
  [400, 'GET', '/api/v1/events/count?quantile=0.5'],
  [200, 'GET', '/api/v1/events/019aa4e2-7d53-7c1e-9a3e-000000000000'],
  [404, 'GET', '/api/v1/events/019aa4e2-7d53-7c1e-9a3e-999999999999'],
  [200, 'GET', '/api/v1/entities'],
  [200, 'GET', '/api/v1/entities/order-0/state?stream=orders'],
  [201, 'POST', '/api/v1/snapshots', { stream: 'orders', entity_id: 'order-0' }],
  [200, 'GET', '/api/v1/snapshots?stream=orders'],
  [202, 'DELETE', '/api/v1/entities/order-0?stream=orders&confirm=order-0'],
  [200, 'GET', '/api/v1/dead-letters'],
  [200, 'POST', '/api/v1/dead-letters/replay', { source: 'materializer' }],
  [200, 'GET', '/api/v1/keys'],
  [201, 'POST', '/api/v1/keys', { name: 'k', scopes: ['admin'], expires_at: '2099-01-01T00:00:00Z' }],
  [400, 'POST', '/api/v1/keys', { name: 'k', scopes: ['admin'], rate_limit: { events_per_second: 1.5 } }],
  [201, 'POST', '/api/v1/schemas', { stream: 'orders', event_type: 'order.placed', schema }],
  [200, 'GET', '/api/v1/schemas'],
  [200, 'GET', '/api/v1/schemas/orders/order.placed'],
  [200, 'GET', '/api/v1/schemas/orders/order.placed/versions'],
  [200, 'GET', '/api/v1/schemas/orders/order.placed/versions/1'],
  [200, 'POST', '/api/v1/schemas/orders/order.placed/check', { schema: stricter }],
  [200, 'POST', '/api/v1/schemas/orders/order.placed/validate', { amount: 'x' }],
  [200, 'POST', '/api/v1/schemas/orders/order.placed/validate?version=1', { amount: 1 }],
  [204, 'DELETE', '/api/v1/schemas/orders/order.placed'],
  [200, 'POST', '/api/v1/projections', projection],
  [200, 'GET', '/api/v1/projections'],
  [200, 'GET', '/api/v1/projections/revenue'],
  [200, 'GET', '/api/v1/projections/revenue/state'],
  [200, 'GET', '/api/v1/projections/revenue/state?order_by=revenue&order=desc'],
  [200, 'GET', '/api/v1/projections/revenue/state/order-0'],
  [404, 'GET', '/api/v1/projections/revenue/state/nobody'],
  [200, 'PUT', '/api/v1/projections/revenue', { ...projection, key: 'event.event_type' }],
  [200, 'POST', '/api/v1/projections/revenue/pause'],
  [200, 'POST', '/api/v1/projections/revenue/resume'],
  [200, 'POST', '/api/v1/projections/revenue/reset'],
  [204, 'DELETE', '/api/v1/projections/revenue'],
  [201, 'POST', '/api/v1/pipelines', pipeline],
  [200, 'POST', '/api/v1/pipelines', pipeline],
  [409, 'POST', '/api/v1/pipelines', { ...pipeline, from: 'now' }],
  [400, 'POST', '/api/v1/pipelines', { ...pipeline, operators: [{ filter: 'event.' }] }],
  [200, 'GET', '/api/v1/pipelines'],
  [200, 'GET', '/api/v1/pipelines/minutes'],
  [200, 'PUT', '/api/v1/pipelines/minutes?from=beginning', pipeline],
  [200, 'POST', '/api/v1/pipelines/dry-run', { definition: pipeline, events: given }],
  [200, 'POST', '/api/v1/pipelines/minutes/pause'],
  [200, 'POST', '/api/v1/pipelines/minutes/resume'],
  [200, 'POST', '/api/v1/pipelines/minutes/reset'],
  [204, 'DELETE', '/api/v1/pipelines/minutes'],
  [201, 'PUT', '/api/v1/subscriptions/billing', subscription],
  [200, 'PUT', '/api/v1/subscriptions/billing', { ...subscription, ack_within: '1m' }],
  [409, 'PUT', '/api/v1/subscriptions/billing', { ...subscription, from: 'beginning' }],
  [200, 'GET', '/api/v1/subscriptions'],
  [200, 'GET', '/api/v1/subscriptions/billing'],
  [200, 'POST', '/api/v1/subscriptions/billing/pause'],
  [200, 'POST', '/api/v1/subscriptions/billing/resume'],
  [200, 'POST', '/api/v1/subscriptions/billing/receive', {}],
  [400, 'POST', '/api/v1/subscriptions/billing/receive', { wait: '61s' }],
  [200, 'POST', '/api/v1/subscriptions/billing/ack', { ack: ['x'], nack: [{ token: 'y', delay: '1s' }] }],
  [200, 'GET', '/api/v1/subscriptions/billing/parked'],
  [200, 'POST', '/api/v1/subscriptions/billing/parked/replay', { all: true }],
  [200, 'POST', '/api/v1/subscriptions/billing/parked/discard', { ids: ['orders:0:1'] }],
  [204, 'POST', '/api/v1/subscriptions/billing/seek', { to: 'now' }],
  [204, 'DELETE', '/api/v1/subscriptions/billing'],
  [200, 'GET', '/health'],
  [200, 'GET', '/health/live'],
  [200, 'GET', '/health/ready'],
  [200, 'GET', '/api/v1/health-history'],
  [200, 'GET', '/api/v1/job-history?span=1d'],
  [404, 'GET', '/api/v1/job-history?job=pipeline:none'],
  [202, 'POST', '/api/v1/scrubs'],
  [200, 'GET', '/api/v1/scrubs/019aa4e2-7d53-7c1e-9a3e-0d6a1f0b2c11'],
  [200, 'GET', '/api/v1/keys/{key_id}'],
  [200, 'POST', '/api/v1/keys/{key_id}/rotate', { overlap: '1h' }],
  [204, 'DELETE', '/api/v1/keys/{key_id}'],
];

/** Operations without a request here, with the reason. */
const without: Record<string, string> = {
  'get /api/v1/events/export': 'The answer is lines or a file.',
  'get /api/v1/events/stream': 'The answer does not end.',
  'get /api/v1/projections/{name}/changes': 'The answer does not end.',
  'get /metrics': 'The answer is text.',
};

describe('every operation of the document', () => {
  it('has a request here', () => {
    const asked = requests.map(([, method, url]) => `${method.toLowerCase()} ${pathOf(url)}`);
    const all = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method} ${path}`),
    );
    expect(
      all.sort(),
      'apps/gateway/src/real-answers.spec.ts: add a request to `requests`, with its status, method and URL, or the reason to `without`.',
    ).toEqual([...new Set([...asked, ...Object.keys(without)])].sort());
  });
});

describe('real answers match the OpenAPI document', () => {
  it.each(requests)('status %d for %s %s with %j', async (...row) => {
    const [status, method, address, payload, sent] = row;
    const url = address.replace('{key_id}', keyId);
    const answer = await send(method, url, payload, sent);
    expect(answer.statusCode, answer.body).toBe(status);
    const type = String(answer.headers['content-type'] ?? '').split(';')[0] ?? '';
    const described = documented(method, url, { status, type });
    if (described) expect(misfits(described, answer.json()), answer.body).toEqual([]);
    else expect(answer.body).toBe('');
  });

  it('each event of a batch matches exactly one of the documented forms', () => {
    const position = { event_id: '019aa4e2-7d53-7c1e-9a3e-000000000000', partition: 0, offset: 1 };
    const rejected = { error: { code: 'invalid_request', status: 400, detail: 'x' } };
    const form = { $ref: '#/components/schemas/BatchWritten' };
    const body = (event: object) => ({ accepted: 1, rejected: 0, events: [event] });
    expect(misfits(form, body(position))).toEqual([]);
    expect(misfits(form, body(rejected))).toEqual([]);
    for (const event of [{}, { ...position, ...rejected }])
      expect(misfits(form, body(event))).not.toEqual([]);
  });

  it('the answer for an unknown path matches too', async () => {
    const answer = await send('GET', '/nowhere');
    expect(misfits({ $ref: '#/components/schemas/Problem' }, answer.json())).toEqual([]);
  });
});
