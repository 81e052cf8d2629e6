import { afterAll, beforeAll, expect, it } from 'vitest';
import { problemClasses, Tributary } from '#client';
import { givenGateway, type GivenGateway } from '../../apps/gateway/src/gateway.fixture.js';
import { problemsOfEveryApp } from '../problems-of-every-app.js';

let gateway: GivenGateway;
beforeAll(async () => void (gateway = await givenGateway()));
afterAll(() => gateway.close());

const event = { stream: 's', event_type: 't', data: {} };
const source = { streams: ['s'] };
const entity = { stream: 's', entity_id: 'e' };
const schema = { stream: 's', event_type: 't' };

/** Calls each method that sends a request once. The arguments are the names in braces of the document's paths. */
function everyCall(client: Tributary): Promise<unknown>[] {
  const { streams, schemas, projections, pipelines, subscriptions, entities, snapshots, deadLetters, keys } =
    client;
  const projection = { name: 'name', source, fields: {} };
  return [
    ...[client.write(event), client.writeBatch([event]), client.producer().send(event)],
    client.raw({ stream: 'stream', event_type: 't' }, '{}'),
    client.cloudEvents('stream', { specversion: '1.0', id: 'a', source: '/s', type: 't' }),
    ...[
      client.events().first(),
      client.event('event_id'),
      client.count(),
      client.export(),
      client.state({ stream: 's', entity_id: 'entity_id' }),
    ],
    ...[client.tail()[Symbol.asyncIterator]().next(), client.audit().first()],
    ...[
      client.health(),
      client.health('live'),
      client.health('ready'),
      client.healthHistory(),
      client.jobHistory({ span: '1d' }),
      client.scrub(),
      client.scrubProgress('scrub_id'),
      client.metrics(),
    ],
    ...[streams.list().first(), streams.get('stream'), streams.create({ stream: 's' })],
    ...[streams.change('stream', {}), streams.delete('stream', { confirm: 'stream' })],
    ...[schemas.list().first(), schemas.register({ ...schema, schema: true })],
    ...[schemas.get({ stream: 'stream', event_type: 'event_type' })],
    ...[schemas.versions({ stream: 'stream', event_type: 'event_type' }).first()],
    ...[schemas.version({ stream: 'stream', event_type: 'event_type' }, 1)],
    ...[schemas.check({ stream: 'stream', event_type: 'event_type' }, { schema: true })],
    ...[schemas.validate({ stream: 'stream', event_type: 'event_type' }, { data: {} })],
    ...[schemas.retire({ stream: 'stream', event_type: 'event_type' })],
    ...[projections.list().first(), projections.get('name'), projections.define(projection)],
    ...[projections.replace('name', projection), projections.delete('name'), projections.pause('name')],
    ...[projections.resume('name'), projections.reset('name'), projections.state('name', 'key')],
    ...[projections.states('name').first(), projections.changes('name')[Symbol.asyncIterator]().next()],
    ...[
      pipelines.list().first(),
      pipelines.get('name'),
      pipelines.define({ name: 'name', source, operators: [] }),
    ],
    ...[
      pipelines.replace('name', { source, operators: [] }),
      pipelines.delete('name'),
      pipelines.pause('name'),
    ],
    ...[pipelines.resume('name'), pipelines.reset('name')],
    ...[pipelines.dryRun({ definition: { source, operators: [] }, events: [event] })],
    ...[subscriptions.list().first(), subscriptions.get('name'), subscriptions.define('name', { source })],
    ...[subscriptions.pause('name'), subscriptions.resume('name'), subscriptions.delete('name')],
    ...[client.subscription('name').parked().first(), client.subscription('name').seek('now')],
    ...[
      client.subscription('name').replay({ all: true }),
      client.subscription('name').discard({ all: true }),
    ],
    ...[entities.list().first(), entities.erase({ stream: 's', entity_id: 'entity_id' }, { confirm: 'e' })],
    ...[snapshots.list({}).first(), snapshots.make(entity)],
    ...[deadLetters.list().first(), deadLetters.replay({})],
    ...[keys.list().first(), keys.get('key_id'), keys.issue({ name: 'k', scopes: [] })],
    ...[keys.rotate('key_id'), keys.revoke('key_id')],
  ];
}

it('the client has a method for every operation of the API', async () => {
  const called = new Set<string>();
  const fetch = async (url: string, { method = 'GET' }: RequestInit) => {
    called.add(
      `${method.toLowerCase()} ${new URL(url).pathname.replace('/versions/1', '/versions/version')}`,
    );
    const problem = { type: 't', title: 't', status: 400, detail: 'd', code: 'not_found', request_id: 'r' };
    return new Response(JSON.stringify(problem), { status: 400 });
  };
  await Promise.allSettled(everyCall(new Tributary({ url: 'http://tributary', fetch })));
  const answer = await gateway.core.instance.inject({ url: '/openapi.json' });
  const { paths } = answer.json<{ paths: Record<string, object> }>();
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.keys(item).map((method) => `${method} ${path.replaceAll(/[{}]/g, '')}`),
  );
  // The clients of this route are exporters of OpenTelemetry.
  called.add('post /v1/logs');
  expect(
    [...called].sort(),
    'Add the method to its class in packages/client/src/resources, and its call to `everyCall` in test/client/routes.spec.ts.',
  ).toEqual(operations.sort());
});

it('the client has a class for every problem code of the catalogue', () => {
  expect(
    Object.keys(problemClasses).sort(),
    'Add a class named after the code, and its entry in `problemClasses`, to packages/client/src/errors/problem-classes.ts.',
  ).toEqual(problemsOfEveryApp);
});
