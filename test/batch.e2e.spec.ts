import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { expectProblem, freshStream, queryEvents, waitFor, type BatchAnswer } from './api.js';
import { useSharedStack } from './use-stack.js';

const system = useSharedStack();

describe.each(['core', 'query', 'write'] as const)('POST /api/v1/events/batch on the %s port', (port) => {
  const client = () => system()[port];
  const batch = (stream: string, count: number) =>
    Array.from({ length: count }, (_, n) => ({
      stream,
      event_type: 't',
      entity_id: `e${n % 3}`,
      data: { n },
    }));

  it.each<[string, (events: object[]) => string | Buffer, Record<string, string>]>([
    ['JSON', (events) => JSON.stringify({ events }), {}],
    ['NDJSON', ndjson, { 'content-type': 'application/x-ndjson' }],
    ['JSON, gzip', (events) => gzipSync(JSON.stringify({ events })), { 'content-encoding': 'gzip' }],
    [
      'NDJSON, gzip',
      (events) => gzipSync(ndjson(events)),
      { 'content-type': 'application/x-ndjson', 'content-encoding': 'gzip' },
    ],
  ])('accepts %s and answers in the order of the request', async (_form, encode, headers) => {
    const stream = freshStream();
    const events = batch(stream, 300).map((event) => ({ ...event, event_id: randomUUID() }));
    const answer = await client().post('/api/v1/events/batch', encode(events), { headers });
    expect(answer.status, answer.text.slice(0, 300)).toBe(201);
    const body = answer.json<BatchAnswer>();
    expect(body).toMatchObject({ accepted: 300, rejected: 0 });
    expect(body.events.map(({ event_id }) => event_id)).toEqual(events.map(({ event_id }) => event_id));
    const page = await queryEvents(system().core, { stream, limit: '1000' }, waitFor(body.events, stream));
    const read = new Map(page.events.map((event) => [event.event_id, event]));
    body.events.forEach(({ event_id, partition, offset }, n) =>
      expect(read.get(event_id)).toMatchObject({ partition, offset, data: { n } }),
    );
    expect(page.count).toBe(300);
  });

  it('writes the valid events and reports the error of each invalid one', async () => {
    const stream = freshStream();
    const [a, b] = batch(stream, 2);
    const body = { events: [a, { ...b, event_type: '' }, { stream }, b, { ...b, stream: '..' }] };
    const answer = await client().post('/api/v1/events/batch', body);
    expect(answer.status).toBe(207);
    const { accepted, rejected, events } = answer.json<BatchAnswer>();
    expect({ accepted, rejected }).toEqual({ accepted: 2, rejected: 3 });
    expect(events.map(({ error }) => error?.code)).toEqual([
      undefined,
      'invalid_request',
      'invalid_request',
      undefined,
      'invalid_request',
    ]);
    const page = await queryEvents(system().core, { stream }, waitFor([events[0]!, events[3]!], stream));
    expect(page.count).toBe(2);
  });

  it('is a 400 when every event is invalid', async () => {
    const answer = await client().post('/api/v1/events/batch', { events: [{}, { stream: 1 }] });
    expectProblem(answer, 'invalid_request');
  });

  it('writes nothing if it is atomic and one event is invalid', async () => {
    const stream = freshStream();
    const [a, b] = batch(stream, 2);
    const answer = await client().post('/api/v1/events/batch?atomic=true', {
      events: [a, { ...b, data: 1 }],
    });
    const problem = expectProblem(answer, 'invalid_request');
    expect(problem.errors?.map(({ pointer }) => pointer)).toEqual(['/events/1/data']);
    const whole = await client().post('/api/v1/events/batch?atomic=true', { events: [a, b] });
    expect(whole.status).toBe(201);
    const page = await queryEvents(
      system().core,
      { stream },
      waitFor(whole.json<BatchAnswer>().events, stream),
    );
    expect(page.count).toBe(2);
  });

  it('stores an id that occurs twice in one batch once', async () => {
    const stream = freshStream();
    const event = { ...batch(stream, 1)[0]!, event_id: randomUUID() };
    const answer = await client().post('/api/v1/events/batch', {
      events: [event, { ...event, data: { n: 9 } }],
    });
    expect(answer.status).toBe(201);
    const { events } = await queryEvents(
      system().core,
      { stream },
      waitFor(answer.json<BatchAnswer>().events, stream),
    );
    expect(events).toMatchObject([{ data: { n: 0 } }]);
  });

  it.each(['{"events":[]}', '{"events":{}}', '[]', '{}', 'null', '{"events":null}', '{"event":[{}]}'])(
    'refuses %s',
    async (body) => {
      expectProblem(await client().post('/api/v1/events/batch', body), 'invalid_request');
    },
  );

  it('refuses more than 10 000 events', async () => {
    const one = '{"stream":"s","event_type":"t","data":{}}';
    const body = `{"events":[${Array.from({ length: 10_001 }, () => one).join(',')}]}`;
    const answer = await client().post('/api/v1/events/batch', body);
    expect(answer.status, answer.text).toBeOneOf([400, 413]);
  });

  it('refuses invalid gzip, and an unknown encoding', async () => {
    const post = (encoding: string) =>
      client().post('/api/v1/events/batch', '{"events":[]}', { headers: { 'content-encoding': encoding } });
    expect((await post('gzip')).status).toBe(400);
    expectProblem(await post('br'), 'unsupported_media_type');
  });
});

function ndjson(events: object[]): string {
  return events.map((event) => `${JSON.stringify(event)}\n`).join('');
}
