import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ProblemCode } from '#api';
import { systemActor } from '#registry';
import { rowBatchesOf } from '../../../libs/core/store/row-batch/row-batches-of.fixture.js';
import { eventRow, givenGateway, type GivenGateway } from './gateway.fixture.js';
import { nowServing, savedState } from '../../../libs/features/projections/gateway/states/serving.fixture.js';
import { HealthHistory } from '#features/health';
import { routesOfQueryPort } from './routes.fixture.js';

/** The expected answer to a request with a key for the stream `mine`, while a stream `secret` exists too. */
interface Case {
  url: string;
  payload?: object;
  /**
   * The problem code, or an answer with data of `mine` (`shown`) or with no data (`empty`), and never with data of
   * `secret`.
   */
  becomes: ProblemCode | 'shown' | 'empty' | 'nothing';
}

const secretId = '019aa4e2-7d53-7c1e-9a3e-000000000002';
const refused =
  (becomes: ProblemCode) =>
  (...urls: string[]): Case[] =>
    urls.map((url) => ({ url, becomes }));
const noStream = refused('stream_not_found');
const noSchema = refused('schema_not_found');
const noProjection = refused('projection_not_found');
const filtered = (path: string): Case[] => [
  { url: path, becomes: 'shown' },
  { url: `${path}?stream=mine`, becomes: 'shown' },
  { url: `${path}?where=true`, becomes: 'shown' },
  { url: `${path}?where=event.stream%20%3D%3D%20%22secret%22`, becomes: 'empty' },
  { url: `${path}?entity_id=secret-entity`, becomes: 'empty' },
  { url: `${path}?event_type=secret.type`, becomes: 'empty' },
  ...noStream(
    `${path}?stream=secret`,
    `${path}?stream=mine&stream=secret`,
    `${path}?stream=tributary.audit`,
    `${path}?stream=not-there`,
    `${path}?wait_for=secret:0:0`,
  ),
];

/** Returns the cases of an export, where an empty body means that nothing was found. */
const exported = (path: string): Case[] =>
  filtered(path).map((one) => (one.becomes === 'empty' ? { ...one, becomes: 'nothing' } : one));

/** Every route that reads. If a route is in neither list, the first spec fails: add the cases that it must hide. */
const reads: Record<string, Case[]> = {
  'GET /api/v1/events/query': filtered('/api/v1/events/query'),
  'GET /api/v1/events/count': [
    ...filtered('/api/v1/events/count').filter(({ url }) => url.includes('=')),
    { url: '/api/v1/events/count?group_by=stream', becomes: 'shown' },
    { url: '/api/v1/events/count?group_by=entity_id', becomes: 'shown' },
    { url: '/api/v1/events/count?group_by=event_type&interval=1h', becomes: 'shown' },
  ],
  'GET /api/v1/events/export': exported('/api/v1/events/export'),
  // Live streams do not end. Other specs read what they send.
  'GET /api/v1/events/stream': noStream(
    '/api/v1/events/stream?stream=secret',
    '/api/v1/events/stream?stream=mine&stream=secret',
    '/api/v1/events/stream?stream=not-there',
    '/api/v1/events/stream?stream=secret&delivery=accepted',
  ),
  'GET /api/v1/events/:event_id': [
    { url: '/api/v1/events/019aa4e2-7d53-7c1e-9a3e-000000000001', becomes: 'shown' },
    { url: `/api/v1/events/${secretId}`, becomes: 'event_not_found' },
    ...noStream(`/api/v1/events/${secretId}?wait_for=secret:0:0`),
  ],
  'GET /api/v1/streams': [{ url: '/api/v1/streams', becomes: 'shown' }],
  'GET /api/v1/streams/:stream': [
    { url: '/api/v1/streams/mine', becomes: 'shown' },
    ...noStream('/api/v1/streams/secret', '/api/v1/streams/tributary.audit', '/api/v1/streams/not-there'),
  ],
  'GET /api/v1/entities': [
    { url: '/api/v1/entities', becomes: 'shown' },
    { url: '/api/v1/entities?stream=mine', becomes: 'shown' },
    ...noStream('/api/v1/entities?stream=secret'),
  ],
  'GET /api/v1/entities/:entity_id/state': [
    { url: '/api/v1/entities/mine-entity/state?stream=mine', becomes: 'shown' },
    ...noStream(
      '/api/v1/entities/secret-entity/state?stream=secret',
      '/api/v1/entities/mine-entity/state?stream=not-there',
    ),
  ],
  'GET /api/v1/snapshots': [
    { url: '/api/v1/snapshots?stream=mine', becomes: 'shown' },
    { url: '/api/v1/snapshots?entity_id=mine-entity', becomes: 'shown' },
    { url: '/api/v1/snapshots?entity_id=secret-entity', becomes: 'empty' },
    ...noStream('/api/v1/snapshots?stream=secret', '/api/v1/snapshots?stream=not-there&entity_id=e'),
  ],
  'POST /api/v1/snapshots': [
    { url: '/api/v1/snapshots', payload: { stream: 'mine', entity_id: 'mine-entity' }, becomes: 'shown' },
    {
      url: '/api/v1/snapshots',
      payload: { stream: 'secret', entity_id: 'secret-entity' },
      becomes: 'stream_not_found',
    },
  ],
  'GET /api/v1/dead-letters': [
    { url: '/api/v1/dead-letters', becomes: 'shown' },
    { url: '/api/v1/dead-letters?source=materializer', becomes: 'shown' },
  ],
  'POST /api/v1/dead-letters/replay': [
    {
      url: '/api/v1/dead-letters/replay?dry_run=true',
      payload: { source: 'materializer' },
      becomes: 'shown',
    },
  ],
  'GET /api/v1/schemas': [
    { url: '/api/v1/schemas', becomes: 'shown' },
    { url: '/api/v1/schemas?event_type=secret.type', becomes: 'empty' },
    { url: '/api/v1/schemas?stream=secret', becomes: 'empty' },
  ],
  'GET /api/v1/schemas/:stream/:event_type': [
    { url: '/api/v1/schemas/mine/mine.type', becomes: 'shown' },
    ...noSchema('/api/v1/schemas/secret/secret.type', '/api/v1/schemas/not-there/t'),
  ],
  'GET /api/v1/schemas/:stream/:event_type/versions': [
    { url: '/api/v1/schemas/mine/mine.type/versions', becomes: 'shown' },
    ...noSchema('/api/v1/schemas/secret/secret.type/versions'),
  ],
  'GET /api/v1/schemas/:stream/:event_type/versions/:version': [
    { url: '/api/v1/schemas/mine/mine.type/versions/1', becomes: 'shown' },
    ...noSchema('/api/v1/schemas/secret/secret.type/versions/1'),
  ],
  'POST /api/v1/schemas/:stream/:event_type/check': [
    {
      url: '/api/v1/schemas/secret/secret.type/check',
      payload: { schema: true },
      becomes: 'stream_forbidden',
    },
  ],
  'POST /api/v1/schemas/:stream/:event_type/validate': [
    { url: '/api/v1/schemas/mine/mine.type/validate', payload: {}, becomes: 'empty' },
    {
      url: '/api/v1/schemas/secret/secret.type/validate',
      payload: {},
      becomes: 'schema_not_found',
    },
  ],
  'GET /api/v1/projections': [{ url: '/api/v1/projections', becomes: 'shown' }],
  'GET /api/v1/projections/:name': [
    { url: '/api/v1/projections/of-mine', becomes: 'shown' },
    ...noProjection('/api/v1/projections/of-secret'),
  ],
  // Live streams do not end. Other specs read what they send.
  'GET /api/v1/projections/:name/changes': noProjection('/api/v1/projections/of-secret/changes'),
  'GET /api/v1/projections/:name/state': [
    { url: '/api/v1/projections/of-mine/state', becomes: 'shown' },
    { url: '/api/v1/projections/of-mine/state?order_by=n', becomes: 'shown' },
    ...noProjection('/api/v1/projections/of-secret/state', '/api/v1/projections/of-secret/state?prefix=a'),
  ],
  'GET /api/v1/projections/:name/state/:key': [
    { url: '/api/v1/projections/of-mine/state/mine-entity', becomes: 'shown' },
    ...noProjection(
      '/api/v1/projections/of-secret/state/secret-entity',
      '/api/v1/projections/of-secret/state/not-there',
    ),
  ],
  // It has totals of all streams only.
  'GET /api/v1/health-history': [{ url: '/api/v1/health-history', becomes: 'empty' }],
  'GET /api/v1/job-history': [
    { url: '/api/v1/job-history', becomes: 'shown' },
    ...noProjection('/api/v1/job-history?job=projection:of-secret'),
    ...refused('stream_forbidden')('/api/v1/job-history?job=materializer'),
  ],
  'GET /api/v1/scrubs/:scrub_id': refused('stream_forbidden')(
    '/api/v1/scrubs/019aa4e2-7d53-7c1e-9a3e-0d6a1f0b2c11',
  ),
  'GET /api/v1/keys': refused('stream_forbidden')('/api/v1/keys'),
  'GET /api/v1/keys/:key_id': refused('stream_forbidden')('/api/v1/keys/abcdefghijkl'),
};

/** Routes that change definitions or data. The specs of each route test what a key may change. */
const changes = [
  'POST /api/v1/scrubs',
  'POST /api/v1/events',
  'POST /api/v1/events/batch',
  'POST /api/v1/streams',
  'POST /api/v1/streams/:stream/cloudevents',
  'POST /api/v1/streams/:stream/raw',
  'PATCH /api/v1/streams/:stream',
  'DELETE /api/v1/streams/:stream',
  'DELETE /api/v1/entities/:entity_id',
  'POST /api/v1/schemas',
  'DELETE /api/v1/schemas/:stream/:event_type',
  'POST /api/v1/projections',
  'PUT /api/v1/projections/:name',
  'DELETE /api/v1/projections/:name',
  'POST /api/v1/projections/:name/pause',
  'POST /api/v1/projections/:name/resume',
  'POST /api/v1/projections/:name/reset',
  'POST /api/v1/pipelines',
  'POST /api/v1/pipelines/dry-run',
  'PUT /api/v1/pipelines/:name',
  'DELETE /api/v1/pipelines/:name',
  'POST /api/v1/pipelines/:name/pause',
  'POST /api/v1/pipelines/:name/resume',
  'POST /api/v1/pipelines/:name/reset',
  'PUT /api/v1/subscriptions/:name',
  'DELETE /api/v1/subscriptions/:name',
  'POST /api/v1/subscriptions/:name/pause',
  'POST /api/v1/subscriptions/:name/resume',
  'POST /api/v1/subscriptions/:name/receive',
  'POST /api/v1/subscriptions/:name/ack',
  'POST /api/v1/subscriptions/:name/parked/replay',
  'POST /api/v1/subscriptions/:name/parked/discard',
  'POST /api/v1/subscriptions/:name/seek',
  'POST /api/v1/keys',
  'DELETE /api/v1/keys/:key_id',
  'POST /api/v1/keys/:key_id/rotate',
];

/** `pipeline-access.spec.ts` and `subscription-access.spec.ts` test these. */
const testedElsewhere = [
  ...['pipelines', 'subscriptions'].flatMap((path) => [`GET /api/v1/${path}`, `GET /api/v1/${path}/:name`]),
  'GET /api/v1/subscriptions/:name/parked',
];

let gateway: GivenGateway;
const bearers: Record<'exact' | 'prefix', string> = { exact: '', prefix: '' };

beforeAll(async () => {
  gateway = await givenGateway({ where: true });
  await givenStream('mine', 1);
  await givenStream('secret', 2);
  bearers.exact = await givenKey(['mine']);
  bearers.prefix = await givenKey(['min*', 'other']);
});
afterAll(() => gateway.close());

describe('a key that is limited to one stream', () => {
  it('is tested here on every route of the API', async () => {
    const routes = routesOfQueryPort(gateway);
    expect(
      routes.filter((route) => ![...changes, ...testedElsewhere].includes(route)).sort(),
      'apps/gateway/src/limited-reads.spec.ts: add a new route to `reads` with its cases, or to `changes` if it changes something.',
    ).toEqual(Object.keys(reads).sort());
  });

  const cases = Object.values(reads).flat();
  it.each(cases)('gets the expected answer at $url: $becomes', async ({ url, payload, becomes }) => {
    for (const authorization of Object.values(bearers)) {
      const method = payload ? 'POST' : 'GET';
      const answer = await gateway.query.instance.inject({
        method,
        url,
        headers: { authorization },
        ...(payload && { payload }),
      });
      if (!['shown', 'empty', 'nothing'].includes(becomes)) {
        expect(answer.json(), answer.body).toMatchObject({ code: becomes });
        for (const word of ['secret-entity', 'secret.type', 'of-secret'])
          if (!url.includes(word)) expect(answer.body).not.toContain(word);
        continue;
      }
      expect(answer.statusCode, answer.body).toBe(200);
      expect(answer.body).not.toContain('secret');
      if (becomes === 'shown') expect(answer.body).toMatch(/mine|"total":1\b|"matched":1\b/);
      else if (becomes === 'nothing') expect(answer.body).toBe('');
      else expect(answer.body).toMatch(/"(events|buckets|schemas|snapshots|samples|errors)":\[\]/);
    }
  });

  it('gets the same data as a key without limits where nothing is hidden, so the specs above do hide data', async () => {
    for (const { url, payload } of cases) {
      const passedOver = ['wait_for', 'not-there', 'keys', 'events/stream', '/changes'];
      if (payload || passedOver.some((part) => url.includes(part))) continue;
      const answer = await gateway.core.instance.inject({ url });
      expect([url, answer.statusCode]).toEqual([url, 200]);
    }
    for (const url of [
      '/api/v1/events/query',
      '/api/v1/events/export',
      '/api/v1/entities',
      '/api/v1/dead-letters',
      '/api/v1/schemas',
      '/api/v1/projections',
      '/api/v1/projections/of-secret/state',
      '/api/v1/snapshots?entity_id=secret-entity',
    ]) {
      expect((await gateway.core.instance.inject({ url })).body).toContain('secret');
    }
  });
});

async function givenStream(stream: string, offset: number): Promise<void> {
  await gateway.definitions.createStream({ stream, partitions: 1 }, systemActor);
  const row = eventRow({
    ...{ stream, offset, event_type: `${stream}.type`, entity_id: `${stream}-entity` },
    data: JSON.stringify({ marker: stream }),
  });
  await gateway.store.writer.appendRowBatches(rowBatchesOf([row]), stream);
  const letter = { stream, offset: offset + 10, partition: 0, source: 'materializer', reason: 'unreadable' };
  const created_at = row.timestamp;
  await gateway.store.writer.appendDeadLetters([{ ...letter, created_at, error: 'no', event: `${stream}?` }]);
  const payload = { stream, event_type: `${stream}.type`, schema: { title: stream } };
  const projection = { name: `of-${stream}`, source: { streams: [stream] }, fields: { n: { op: 'count' } } };
  for (const [url, body] of [
    ['/api/v1/schemas', payload],
    ['/api/v1/projections', projection],
    ['/api/v1/snapshots', { stream, entity_id: `${stream}-entity` }],
  ] as const) {
    const answer = await gateway.core.instance.inject({ method: 'POST', url, payload: body });
    expect(answer.statusCode, answer.body).toBe(201);
  }
  const build = await nowServing(gateway, projection.name);
  await savedState(gateway, build, { key: `${stream}-entity`, state: [1] });
}

async function givenKey(streams: string[]): Promise<string> {
  const scopes = ['events:read', 'events:write', 'definitions:read', 'admin'];
  const payload = { name: 'limited', scopes, streams };
  const answer = await gateway.core.instance.inject({ method: 'POST', url: '/api/v1/keys', payload });
  expect(answer.statusCode, answer.body).toBe(201);
  return `Bearer ${answer.json<{ key: string }>().key}`;
}

describe('what a key that is limited to one stream reads of the health of the system', () => {
  const readAs = async (url: string, authorization: string) =>
    (await gateway.query.instance.inject({ url, headers: { authorization } })).json<object>();

  it.each(['/health', '/health/ready'])('is no count of streams, jobs or events: %s', async (url) => {
    const { health } = gateway.context;
    health.register('definitions', async () => ({ streams: 2, failed_pipelines: 1 }));
    health.register('queries', async () => ({ lag_events: 7, lag_seconds: 3 }));
    health.register('late', () => Promise.reject(new Error('queries are 61 s (3 events) behind the log')));
    const open = (await gateway.core.instance.inject({ url })).json<object>();
    expect(open).toMatchObject({ checks: { definitions: { streams: 2 }, queries: { lag_events: 7 } } });

    for (const authorization of Object.values(bearers))
      expect(await readAs(url, authorization)).toMatchObject({
        checks: {
          ...{ definitions: { status: 'ok' }, queries: { status: 'ok', lag_seconds: 3 } },
          late: { status: 'failing' },
        },
      });
    const { checks } = (await readAs(url, bearers.exact)) as { checks: object };
    expect(JSON.stringify(checks)).not.toMatch(/streams|failed|events|error/);
  });

  it.each(['/health', '/health/ready'])(
    'is the same whether jobs have failed or not, also in the statuses: %s',
    async (url) => {
      const { health } = gateway.context;
      health.register('definitions', async () => ({ status: 'degraded', failed_pipelines: 1 }));
      health.register('late', async () => undefined);
      const open = (await gateway.core.instance.inject({ url: '/health' })).json<object>();
      expect(open).toMatchObject({ status: 'degraded', checks: { definitions: { status: 'degraded' } } });

      for (const authorization of Object.values(bearers))
        expect(await readAs(url, authorization)).toMatchObject({
          status: 'ok',
          checks: { definitions: { status: 'ok' } },
        });
    },
  );

  it('has no samples of the last hour', async () => {
    const url = '/api/v1/health-history';
    gateway.nest.get(HealthHistory, { strict: false }).add({ failed_jobs: 1 });
    const whole = (await gateway.core.instance.inject({ url })).json<{ samples: unknown[] }>();
    expect(whole.samples).toHaveLength(1);

    for (const authorization of Object.values(bearers))
      expect(await readAs(url, authorization)).toMatchObject({ samples: [] });
  });
});
