import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { auditStream } from '#api';
import { systemActor } from '#registry';
import type { KeyScope } from '#http';
import type { DeadLetter } from '#store';
import { rowBatchesOf } from '../../../libs/core/store/row-batch/row-batches-of.fixture.js';
import { eventRow, givenGateway, type GivenGateway } from './gateway.fixture.js';
import { nowServing, savedState } from '../../../libs/features/projections/gateway/states/serving.fixture.js';
import { routesOfQueryPort } from './routes.fixture.js';

/** The names that a request of this spec can contain, such as a stream name or a pipeline name. */
interface Names {
  stream: string;
  projection: string;
  pipeline: string;
  subscription: string;
  event: string;
  letter: string;
}

/** Names that exist but are hidden from the key, and names of the same length that do not exist. */
interface Pair {
  hidden: Names;
  absent: Names;
}

interface Ask {
  url: string;
  payload?: object;
  /** The media type of the body; default: application/json. */
  type?: string;
}

const fields = { n: { op: 'count' } };
const api = '/api/v1';
const eventId = (n: number) => `019aa4e2-7d53-7c1e-9a3e-00000000000${n}`;
const letterOf = (name: string, stream: string, offset: number): DeadLetter => ({
  ...{ source: `pipeline:pl-${name}`, stream, partition: 0, offset, reason: 'operator_failed' },
  ...{ error: 'no', event: '{}', created_at: 1 },
});
/** Returns the id of a dead letter as the store computes it. */
const idOf = ({ source: of, stream, partition, offset }: DeadLetter) =>
  Buffer.from(JSON.stringify([of, stream, partition, offset])).toString('base64url');
const namesOf = (name: string, stream: string, event: string): Names => ({
  ...{ stream, projection: `of-${name}`, pipeline: `pl-${name}`, subscription: `sub-${name}`, event },
  letter: idOf(letterOf(name, stream, 1)),
});
const ofStream: Pair = {
  hidden: namesOf('hidden', 'hidden', eventId(1)),
  absent: namesOf('absent', 'absent', eventId(2)),
};
const ofSystem: Pair = {
  hidden: namesOf('audit', auditStream, eventId(3)),
  absent: namesOf('other', 'tributary.other', eventId(4)),
};

const filters = (path: string) => (names: Names) => [
  { url: `${path}?stream=${names.stream}` },
  { url: `${path}?stream=mine&stream=${names.stream}` },
  { url: `${path}?wait_for=${names.stream}:0:0` },
];
const source = (stream: string) => ({ source: { streams: [stream] } });
const emit = (stream: string) => ({ emit: { stream } });
const asking = (projection: string) => ({
  enrich: { from: { projection }, key: 'event.entity_id', as: 'x' },
});
/** Pipelines that contain a name at each position where a definition may have one. */
const pipelinesOf = ({ stream, projection }: Names) => [
  { ...source(stream), operators: [emit('mine')] },
  { ...source('mine'), operators: [emit(stream)] },
  { ...source('mine'), operators: [asking(projection), emit('mine-2')] },
];
const write = ({ stream }: Names) => ({ stream, event_type: 't', data: {} });

const conditional = (names: Names) => ({ ...write(names), entity_id: 'e', expected_version: 5 });

const cloudEvent = { specversion: '1.0', id: 'a', source: '/s', type: 't' };

/** Requests for every route that contains names. If a route is missing here, the first spec fails. */
const asks: Record<string, (names: Names) => Ask[]> = {
  'GET /events/query': filters(`${api}/events/query`),
  'GET /events/count': filters(`${api}/events/count`),
  'GET /events/export': filters(`${api}/events/export`),
  'GET /events/stream': ({ stream }) => [
    { url: `${api}/events/stream?stream=${stream}` },
    { url: `${api}/events/stream?stream=${stream}&delivery=accepted` },
  ],
  'GET /events/:event_id': ({ event, stream }) => [
    { url: `${api}/events/${event}` },
    { url: `${api}/events/${event}?wait_for=${stream}:0:0` },
  ],
  'POST /events': (names) => [
    { url: `${api}/events`, payload: write(names) },
    { url: `${api}/events`, payload: conditional(names) },
  ],
  'POST /events/batch': (names) => [
    { url: `${api}/events/batch`, payload: { events: [write(names)] } },
    { url: `${api}/events/batch`, payload: { events: [conditional(names)] } },
    {
      url: `${api}/events/batch?atomic=true`,
      payload: { events: [write({ ...names, stream: 'mine' }), write(names)] },
    },
  ],
  'POST /streams/:stream/raw': ({ stream }) => [
    { url: `${api}/streams/${stream}/raw?event_type=t`, payload: {} },
    { url: `${api}/streams/${stream}/raw?event_type=/none`, payload: {} },
  ],
  'POST /streams/:stream/cloudevents': ({ stream }) => [
    {
      url: `${api}/streams/${stream}/cloudevents`,
      payload: cloudEvent,
      type: 'application/cloudevents+json',
    },
    { url: `${api}/streams/${stream}/cloudevents`, payload: {} },
  ],
  'POST /streams': ({ stream }) => [{ url: `${api}/streams`, payload: { stream } }],
  'GET /streams/:stream': ({ stream }) => [{ url: `${api}/streams/${stream}` }],
  'PATCH /streams/:stream': ({ stream }) => [
    { url: `${api}/streams/${stream}`, payload: { snapshot_every: 7 } },
  ],
  'DELETE /streams/:stream': ({ stream }) => [{ url: `${api}/streams/${stream}?confirm=${stream}` }],
  'GET /entities': ({ stream }) => [{ url: `${api}/entities?stream=${stream}` }],
  'GET /entities/:entity_id/state': ({ stream }) => [
    { url: `${api}/entities/e/state?stream=${stream}` },
    { url: `${api}/entities/e/state?stream=mine&wait_for=${stream}:0:0` },
  ],
  'DELETE /entities/:entity_id': ({ stream }) => [{ url: `${api}/entities/e?stream=${stream}&confirm=e` }],
  'GET /snapshots': ({ stream }) => [{ url: `${api}/snapshots?stream=${stream}` }],
  'POST /snapshots': ({ stream }) => [{ url: `${api}/snapshots`, payload: { stream, entity_id: 'e' } }],
  'GET /dead-letters': ({ pipeline, projection }) => [
    { url: `${api}/dead-letters?source=pipeline:${pipeline}` },
    { url: `${api}/dead-letters?source=projection:${projection}` },
  ],
  'POST /dead-letters/replay': ({ pipeline, letter }) => [
    { url: `${api}/dead-letters/replay`, payload: { source: `pipeline:${pipeline}` } },
    { url: `${api}/dead-letters/replay`, payload: { ids: [letter] } },
  ],
  'GET /schemas': ({ stream }) => [{ url: `${api}/schemas?stream=${stream}` }],
  'POST /schemas': ({ stream }) => [
    { url: `${api}/schemas`, payload: { stream, event_type: 't', schema: { title: 'other' } } },
  ],
  'GET /schemas/:stream/:event_type': ({ stream }) => [{ url: `${api}/schemas/${stream}/t` }],
  'DELETE /schemas/:stream/:event_type': ({ stream }) => [{ url: `${api}/schemas/${stream}/t` }],
  'GET /schemas/:stream/:event_type/versions': ({ stream }) => [
    { url: `${api}/schemas/${stream}/t/versions` },
  ],
  'GET /schemas/:stream/:event_type/versions/:version': ({ stream }) => [
    { url: `${api}/schemas/${stream}/t/versions/1` },
  ],
  'POST /schemas/:stream/:event_type/check': ({ stream }) => [
    { url: `${api}/schemas/${stream}/t/check`, payload: { schema: { type: 'string' } } },
  ],
  'POST /schemas/:stream/:event_type/validate': ({ stream }) => [
    { url: `${api}/schemas/${stream}/t/validate`, payload: {} },
  ],
  'POST /projections': ({ stream }) => [
    { url: `${api}/projections`, payload: { name: 'new', ...source(stream), fields } },
  ],
  'GET /projections/:name': ({ projection }) => [{ url: `${api}/projections/${projection}` }],
  'PUT /projections/:name': ({ projection, stream }) => [
    { url: `${api}/projections/${projection}`, payload: { ...source('mine'), fields } },
    { url: `${api}/projections/of-mine`, payload: { ...source(stream), fields } },
  ],
  'DELETE /projections/:name': ({ projection }) => [{ url: `${api}/projections/${projection}` }],
  'POST /projections/:name/pause': ({ projection }) => [{ url: `${api}/projections/${projection}/pause` }],
  'POST /projections/:name/resume': ({ projection }) => [{ url: `${api}/projections/${projection}/resume` }],
  'POST /projections/:name/reset': ({ projection }) => [{ url: `${api}/projections/${projection}/reset` }],
  'GET /projections/:name/changes': ({ projection }) => [{ url: `${api}/projections/${projection}/changes` }],
  'GET /projections/:name/state': ({ projection, stream }) => [
    { url: `${api}/projections/${projection}/state` },
    { url: `${api}/projections/of-mine/state?wait_for=${stream}:0:0` },
  ],
  'GET /projections/:name/state/:key': ({ projection }) => [
    { url: `${api}/projections/${projection}/state/e` },
  ],
  'POST /pipelines': (names) =>
    pipelinesOf(names).map((spec) => ({ url: `${api}/pipelines`, payload: { name: 'new', ...spec } })),
  'POST /pipelines/dry-run': (names) =>
    pipelinesOf(names).map((definition) => ({
      url: `${api}/pipelines/dry-run`,
      payload: { definition, events: [write({ ...names, stream: definition.source.streams[0] as string })] },
    })),
  'GET /pipelines/:name': ({ pipeline }) => [{ url: `${api}/pipelines/${pipeline}` }],
  'PUT /pipelines/:name': (names) => [
    {
      url: `${api}/pipelines/${names.pipeline}`,
      payload: { ...source('mine'), operators: [emit('mine-2')] },
    },
    ...pipelinesOf(names).map((payload) => ({ url: `${api}/pipelines/pl-mine`, payload })),
  ],
  'DELETE /pipelines/:name': ({ pipeline }) => [{ url: `${api}/pipelines/${pipeline}` }],
  'POST /pipelines/:name/pause': ({ pipeline }) => [{ url: `${api}/pipelines/${pipeline}/pause` }],
  'POST /pipelines/:name/resume': ({ pipeline }) => [{ url: `${api}/pipelines/${pipeline}/resume` }],
  'POST /pipelines/:name/reset': ({ pipeline }) => [{ url: `${api}/pipelines/${pipeline}/reset` }],
  'GET /subscriptions/:name': ({ subscription }) => [{ url: `${api}/subscriptions/${subscription}` }],
  // `subscription-access.spec.ts` tests that a hidden name is taken.
  'PUT /subscriptions/:name': ({ stream }) => [
    { url: `${api}/subscriptions/new`, payload: source(stream) },
    { url: `${api}/subscriptions/sub-mine`, payload: source(stream) },
  ],
  'DELETE /subscriptions/:name': ({ subscription }) => [{ url: `${api}/subscriptions/${subscription}` }],
  'POST /subscriptions/:name/pause': ({ subscription }) => [
    { url: `${api}/subscriptions/${subscription}/pause` },
  ],
  'POST /subscriptions/:name/resume': ({ subscription }) => [
    { url: `${api}/subscriptions/${subscription}/resume` },
  ],
  'GET /subscriptions/:name/parked': ({ subscription }) => [
    { url: `${api}/subscriptions/${subscription}/parked` },
  ],
  'POST /subscriptions/:name/receive': ({ subscription }) => [
    { url: `${api}/subscriptions/${subscription}/receive`, payload: {} },
  ],
  'POST /subscriptions/:name/ack': ({ subscription }) => [
    { url: `${api}/subscriptions/${subscription}/ack`, payload: { ack: ['x'] } },
  ],
  'POST /subscriptions/:name/parked/replay': ({ subscription }) => [
    { url: `${api}/subscriptions/${subscription}/parked/replay`, payload: { all: true } },
  ],
  'POST /subscriptions/:name/parked/discard': ({ subscription }) => [
    { url: `${api}/subscriptions/${subscription}/parked/discard`, payload: { all: true } },
  ],
  'POST /subscriptions/:name/seek': ({ subscription }) => [
    { url: `${api}/subscriptions/${subscription}/seek`, payload: { to: 'now' } },
  ],
};

/** Lists without a name in the request. `limited-reads.spec.ts` checks what they return. Keys belong to no stream. */
const without = [
  ...[
    'streams',
    'projections',
    'pipelines',
    'subscriptions',
    'keys',
    'keys/:key_id',
    'health-history',
    'job-history',
    'scrubs/:scrub_id',
  ].map((path) => `GET /${path}`),
  ...['POST /scrubs', 'POST /keys', 'DELETE /keys/:key_id', 'POST /keys/:key_id/rotate'],
];

const all: KeyScope[] = ['events:read', 'events:write', 'definitions:read', 'definitions:write', 'admin'];
const kinds: [string, { scopes: KeyScope[]; streams?: string[] }, Pair][] = [
  ['that covers a name', { scopes: all, streams: ['mine', 'mine-2'] }, ofStream],
  ['that covers a prefix', { scopes: all, streams: ['min*'] }, ofStream],
  ['that reads', { scopes: ['events:read', 'definitions:read'], streams: ['mine*'] }, ofStream],
  ['that writes', { scopes: ['events:write', 'definitions:write'], streams: ['mine*'] }, ofStream],
  ['that is limited, and an admin', { scopes: ['admin'], streams: ['mine*'] }, ofStream],
  ['that is no admin, for the streams of the system', { scopes: all.slice(0, 4) }, ofSystem],
];

let gateway: GivenGateway;

beforeAll(async () => {
  gateway = await givenGateway({ where: true });
  for (const stream of ['mine', 'mine-2']) await gateway.definitions.createStream({ stream }, systemActor);
  await core('POST', '/projections', { name: 'of-mine', ...source('mine'), fields });
  await core('POST', '/pipelines', { name: 'pl-mine', ...source('mine'), operators: [emit('mine-2')] });
  await core('PUT', '/subscriptions/sub-mine', source('mine'));
  await savedState(gateway, await nowServing(gateway, 'of-mine'), { key: 'e', state: [1] });
  await gateway.definitions.createStream({ stream: 'hidden' }, systemActor);
  await core('POST', '/schemas', { stream: 'hidden', event_type: 't', schema: { title: 'hidden' } });
  for (const { hidden } of [ofStream, ofSystem]) {
    const { stream, projection, pipeline, subscription, event } = hidden;
    const row = eventRow({ stream, offset: 0, event_id: event, entity_id: 'e' });
    await gateway.store.writer.appendRowBatches(rowBatchesOf([row]), stream);
    await core('POST', '/projections', { name: projection, ...source(stream), fields });
    await core('POST', '/pipelines', { name: pipeline, ...source(stream), operators: [emit('copied')] });
    await core('PUT', `/subscriptions/${subscription}`, source(stream));
    await gateway.store.writer.appendDeadLetters([letterOf(pipeline.slice(3), stream, 1)]);
    await savedState(gateway, await nowServing(gateway, projection), { key: 'e', state: [1] });
  }
});
afterAll(() => gateway.close());

describe('names that are hidden from a key', () => {
  it('are tested here for every route of the API', async () => {
    const routes = routesOfQueryPort(gateway).map((route) => route.replace(' /api/v1', ' '));
    expect(
      routes.sort(),
      'apps/gateway/src/hidden-streams.spec.ts: add a new route to `asks`, or to `without` if its request names nothing of a stream.',
    ).toEqual([...Object.keys(asks), ...without].sort());
  });

  it('exist: without API keys, the answer differs from that for a name that does not exist', async () => {
    const paths = [
      ...['/streams/hidden', '/projections/of-hidden', '/pipelines/pl-hidden', '/schemas/hidden/t'],
      '/subscriptions/sub-hidden',
    ];
    const statuses = await Promise.all(paths.map(async (path) => (await core('GET', path)).statusCode));
    expect(statuses).toEqual([200, 200, 200, 200, 200]);
  });

  it.each(['projections', 'pipelines'])(
    'are still reserved: creating one of the %s under a hidden name only reports that the name is taken',
    async (kind) => {
      const authorization = await bearerOf({ scopes: all, streams: ['mine*'] });
      const name = kind === 'projections' ? 'of-hidden' : 'pl-hidden';
      const payload = {
        name,
        ...source('mine'),
        ...(kind === 'projections' ? { fields } : { operators: [emit('mine-2')] }),
      };
      const { status, body } = await answerOf(
        'POST',
        { url: `${api}/${kind}`, payload },
        { port: 'query', authorization },
      );
      expect(status).toBe(409);
      expect(JSON.stringify(body).replaceAll(name, '')).not.toContain('hidden');
    },
  );
});

describe.each(kinds)('a limited key %s', (_what, key, { hidden, absent }) => {
  let authorization: string;
  beforeAll(async () => void (authorization = await bearerOf(key)));

  const requests = Object.entries(asks).flatMap(([route, ask]) =>
    ask(hidden).map((ofHidden, n) => ({ route, ofHidden, ofAbsent: ask(absent)[n]! })),
  );

  it.each(requests)(
    'gets the same answer for a hidden name as for one that does not exist: $route, $ofHidden.url',
    async ({ route, ofHidden, ofAbsent }) => {
      const method = route.split(' ')[0] as string;
      const told = await answerOf(method, ofHidden, { port: 'query', authorization });
      const expected = await answerOf(method, ofAbsent, { port: 'query', authorization });
      expect(renamed(told, hidden, absent)).toEqual(expected);
      const { code } = told.body as { code?: string };
      // The problems `insufficient_scope` and `stream_forbidden` depend on the key only, not on what exists. A batch
      // reports them for each event.
      const ofKey = code === 'insufficient_scope' || code === 'stream_forbidden';
      if (ofKey || route === 'POST /events/batch') return;
      // Without API keys nothing is hidden, and a name that does not exist is answered like this.
      const open = await answerOf(method, ofAbsent, { port: 'core' });
      expect({ status: told.status, code }).toEqual({
        status: open.status,
        code: (open.body as { code?: string }).code,
      });
    },
  );
});

interface Told {
  status: number;
  headers: Record<string, unknown>;
  body: unknown;
}

async function answerOf(
  method: string,
  { url, payload, type: sent }: Ask,
  { port, authorization }: { port: 'core' | 'query'; authorization?: string },
): Promise<Told> {
  const answer = await gateway[port].instance.inject({
    ...{
      method: method as 'GET',
      url,
      headers: { ...(authorization && { authorization }), ...(sent && { 'content-type': sent }) },
    },
    ...(payload && { payload }),
  });
  const { request_id: _, ...body } = answer.json<Record<string, unknown>>();
  const {
    'content-type': type,
    location,
    'www-authenticate': authenticate,
    'retry-after': retry,
  } = answer.headers;
  return {
    status: answer.statusCode,
    headers: {
      ...(type && { type }),
      ...(location && { location }),
      ...(authenticate && { authenticate }),
      ...(retry && { retry }),
    },
    body,
  };
}

/** Returns the answer with the hidden names replaced by those that do not exist. */
function renamed(told: Told, hidden: Names, absent: Names): unknown {
  let text = JSON.stringify(told);
  for (const of of Object.keys(hidden) as (keyof Names)[]) text = text.replaceAll(hidden[of], absent[of]);
  return JSON.parse(text) as unknown;
}

async function core(method: 'GET' | 'POST' | 'PUT', path: string, payload?: object) {
  const answer = await gateway.core.instance.inject({
    method,
    url: `${api}${path}`,
    ...(payload && { payload }),
  });
  expect(answer.statusCode, answer.body).toBeLessThan(300);
  return answer;
}

async function bearerOf(key: { scopes: KeyScope[]; streams?: string[] }): Promise<string> {
  return `Bearer ${(await core('POST', '/keys', { name: 'k', ...key })).json<{ key: string }>().key}`;
}
