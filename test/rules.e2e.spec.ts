import { topicOf } from '#testkit';
import { describe, expect, it } from 'vitest';
import { expectProblem, freshStream, path, timePattern, writeEvent } from './api.js';
import { readTopic } from './read-topic.js';
import { useSharedStack } from './use-stack.js';

const system = useSharedStack();
const event = (stream: string, more: object = {}) => ({ stream, event_type: 't', data: {}, ...more });

describe.each(['core', 'query', 'write'] as const)('every endpoint of the %s port', (port) => {
  const client = () => system()[port];

  it('answers an unknown route with a problem', async () => {
    expectProblem(await client().get('/api/v1/nothing'), 'not_found');
    expectProblem(await client().post('/nothing', {}), 'not_found');
  });

  it('answers an unsupported method with 405 and the supported ones', async () => {
    const answer = await client().send('PUT', '/api/v1/events');
    expectProblem(answer, 'method_not_allowed');
    expect(answer.headers.allow).toContain('POST');
  });

  it('answers a body of an unknown type with 415 and the accepted types', async () => {
    for (const [route, type] of [
      ['/api/v1/events', 'application/json'],
      ['/api/v1/events/batch', 'application/x-ndjson'],
    ] as const) {
      const answer = await client().post(route, 'a=b', { headers: { 'content-type': 'text/plain' } });
      expectProblem(answer, 'unsupported_media_type');
      expect(answer.headers['accept-post']).toContain(type);
    }
  });

  it.each(['{"stream":', '', '{"stream":"a"}}', "{'a':1}", 'nul', '\u0000'])(
    'answers the broken JSON %j with 400',
    async (body) => {
      expectProblem(await client().post('/api/v1/events', body), 'invalid_json');
    },
  );

  it('answers a URL that cannot be decoded with 400', async () => {
    expectProblem(await client().get('/api/v1/%zz'), 'invalid_request');
  });

  it('names an unknown query parameter', async () => {
    const answer = await client().post('/api/v1/events?colour=red', event('rules'));
    const problem = expectProblem(answer, 'invalid_request');
    expect(problem.errors).toEqual([expect.objectContaining({ pointer: 'colour' })]);
  });

  it('names an unknown body field by its JSON pointer', async () => {
    const answer = await client().post('/api/v1/events', event('rules', { 'a/b~c': 1, entity: 'x' }));
    const pointers = expectProblem(answer, 'invalid_request').errors?.map(({ pointer }) => pointer);
    expect(pointers?.sort()).toEqual(['/a~1b~0c', '/entity']);
  });

  it('accepts a request id, and generates one if there is none', async () => {
    const given = await client().get('/nothing', { headers: { 'x-request-id': 'order-17.try-2' } });
    expect(expectProblem(given, 'not_found').request_id).toBe('order-17.try-2');
    const [first, second] = [await client().get('/nothing'), await client().get('/nothing')];
    expect(first.headers['x-request-id']).toMatch(/^\S{8,}$/);
    expect(first.headers['x-request-id']).not.toBe(second.headers['x-request-id']);
  });

  it('writes the request id and the trace context to Kafka', async () => {
    const stream = freshStream();
    const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
    const headers = { 'x-request-id': 'r-1', traceparent: `00-${trace}-00f067aa0ba902b7-01` };
    const answer = await client().post('/api/v1/events', event(stream), { headers });
    expect(answer.status).toBe(201);
    const [record] = await readTopic(system().brokers, await topicOf(system(), stream), 1);
    expect(record?.headers['x-request-id']).toBe('r-1');
    expect(record?.headers.traceparent).toMatch(new RegExp(`^00-${trace}-[0-9a-f]{16}-01$`));
  });

  it('starts a trace if the context is missing or invalid', async () => {
    const stream = freshStream();
    await client().post('/api/v1/events', event(stream, { entity_id: 'e' }));
    const broken = { traceparent: '00-zz-1-01' };
    await client().post('/api/v1/events', event(stream, { entity_id: 'e' }), { headers: broken });
    const records = await readTopic(system().brokers, await topicOf(system(), stream), 2);
    for (const { headers } of records)
      expect(headers.traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-0[01]$/);
  });
});

describe.each(['core', 'query'] as const)('every list of the %s port', (port) => {
  const client = () => system()[port];
  const lists = ['/api/v1/events/query', '/api/v1/streams', '/api/v1/entities', '/api/v1/dead-letters'];

  it.each(lists)('%s has a bounded limit', async (list) => {
    for (const limit of ['0', '-1', '10001', 'NaN', '1.5', '1e3', '', '99999999999999999999']) {
      const problem = expectProblem(await client().get(path(list, { limit })), 'invalid_request');
      expect(
        problem.errors?.map(({ pointer }) => pointer),
        limit,
      ).toEqual(['limit']);
    }
    expect((await client().get(path(list, { limit: '10000' }))).status).toBe(200);
  });

  it.each(lists)('%s refuses and names an unknown parameter, and one that is given twice', async (list) => {
    const unknown = expectProblem(await client().get(`${list}?colour=red`), 'invalid_request');
    expect(unknown.errors?.map(({ pointer }) => pointer)).toEqual(['colour']);
    const twice = expectProblem(await client().get(`${list}?limit=1&limit=2`), 'invalid_request');
    expect(twice.errors?.map(({ pointer }) => pointer)).toEqual(['limit']);
  });

  it.each(lists)('%s refuses a foreign cursor', async (list) => {
    for (const cursor of ['abc', '....', Buffer.from('{"a":1}').toString('base64url'), 'x'.repeat(2000)]) {
      expectProblem(await client().get(path(list, { cursor })), 'invalid_cursor');
    }
  });
});

describe('times', () => {
  it('are answered in UTC with microseconds, for any offset in the input', async () => {
    const stream = freshStream();
    const written = await writeEvent(
      system().core,
      event(stream, { timestamp: '2026-11-21T05:00:00.0001239+01:00' }),
    );
    expect(written.timestamp).toBe('2026-11-21T04:00:00.000123Z');
    const now = await writeEvent(system().core, event(stream));
    expect(now.timestamp).toMatch(timePattern);
    expect(Math.abs(Date.parse(now.timestamp) - Date.now())).toBeLessThan(60_000);
  });
});
