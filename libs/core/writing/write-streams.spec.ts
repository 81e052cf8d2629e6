import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ProblemDocument } from '#api';
import { event, startTestIngest, type TestIngest } from './writing.fixture.js';

interface BatchAnswer {
  accepted: number;
  rejected: number;
  warnings?: string[];
  events: { event_id?: string; error?: { code: string; errors?: { pointer: string }[] } }[];
}

let given: TestIngest;
beforeEach(async () => void (given = await startTestIngest()));
afterEach(() => given.close());

describe('streams', () => {
  it('can be created before their first event, once', async () => {
    const body = { stream: 'orders', partitions: 3, retention: { time: '7d' } };
    const answer = await given.post('/api/v1/streams', body);
    expect(answer.statusCode, answer.body).toBe(201);
    expect(answer.json()).toMatchObject(body);
    expect((await given.post('/api/v1/streams', body)).json<ProblemDocument>().code).toBe('stream_exists');
  });

  it.each([
    [{ stream: 'x', partitions: 0 }, '/partitions'],
    [{ stream: 'x', partitions: '3' }, '/partitions'],
    [{ stream: '__consumer_offsets' }, '/stream'],
    [{ stream: 'x', retention: 'for ever' }, '/retention'],
    [{ stream: 'x', retention: {} }, '/retention'],
    [{ stream: 'x', retention: { time: '7d', size: 1 } }, '/retention'],
    [{ stream: 'x', retention: { time: '30 days' } }, '/retention/time'],
    [{ stream: 'x', retention: { time: '7d', bytes: 0.5 } }, '/retention/bytes'],
    [{ stream: 'x', retention: { time: null, bytes: 0 } }, '/retention/time', '/retention/bytes'],
    [{ name: 's2' }, '/name', '/stream'],
    [{ stream: 'x', colour: 1 }, '/colour'],
    [{}, '/stream'],
  ])('are rejected as %j', async (body, ...pointers) => {
    const problem = (await given.post('/api/v1/streams', body)).json<ProblemDocument>();
    expect(problem.errors?.map((error) => error.pointer)).toEqual(pointers);
  });

  it('that Kafka cannot distinguish from another are rejected, and only their events', async () => {
    await given.single(event({ stream: 'a.b' }));
    const collides = event({ stream: 'a_b' });
    expect((await given.single(collides)).json<ProblemDocument>()).toMatchObject({
      code: 'stream_name_collision',
      status: 409,
    });
    const answer = await given.batch({ events: [event(), collides] });
    expect(answer.json<BatchAnswer>().events.map(({ error }) => error?.code)).toEqual([
      undefined,
      'stream_name_collision',
    ]);
  });

  it('with a misspelt name are created with a warning, if the key covers the stream that is meant', async () => {
    await given.single(event({ stream: 'orders' }));
    const single = await given.single(event({ stream: 'ordrs' }));
    const warnings = ['The stream ordrs did not exist and was created. Did you mean orders?'];
    expect([single.statusCode, single.json<BatchAnswer>().warnings]).toEqual([201, warnings]);
    const again = await given.single(event({ stream: 'ordrs' }));
    expect(again.json()).not.toHaveProperty('warnings');
    const batch = await given.batch({ events: [event({ stream: 'odrers' }), event({ stream: 'invoices' })] });
    expect(batch.json<BatchAnswer>().warnings).toHaveLength(1);
  });

  it('are not created by writes if this is turned off', async () => {
    await given.close();
    given = await startTestIngest({ config: { AUTO_CREATE_STREAMS: false } });
    expect((await given.single(event())).json<ProblemDocument>()).toMatchObject({
      code: 'stream_not_found',
      status: 404,
    });
    await given.post('/api/v1/streams', { stream: 'orders' });
    expect((await given.single(event())).statusCode).toBe(201);
    const misspelt = await given.single(event({ stream: 'ordrs' }));
    expect(misspelt.json<ProblemDocument>().detail).toMatch(
      /POST \/api\/v1\/streams\. Did you mean orders\?$/,
    );
  });
});

describe('a stream that is being deleted', () => {
  beforeEach(async () => {
    await given.single(event());
    await given.definitions.beginDeletion('orders', { key_id: null, port: 'core', request_id: null });
  });

  it('accepts no events and cannot be created again', async () => {
    const answers = [await given.single(event()), await given.post('/api/v1/streams', { stream: 'orders' })];
    for (const answer of answers)
      expect(answer.json<ProblemDocument>()).toMatchObject({ code: 'stream_being_deleted', status: 409 });
    expect(given.written()).toHaveLength(1);
  });

  it('has only its own events of a batch rejected', async () => {
    const answer = await given.batch({ events: [event(), event({ stream: 'other' })] });
    expect(answer.statusCode).toBe(207);
    expect(answer.json<BatchAnswer>().events.map(({ error }) => error?.code)).toEqual([
      'stream_being_deleted',
      undefined,
    ]);
  });

  it('is distinguished from a missing one if writes do not create streams', async () => {
    await given.close();
    given = await startTestIngest({ config: { AUTO_CREATE_STREAMS: false } });
    await given.post('/api/v1/streams', { stream: 'orders' });
    await given.definitions.beginDeletion('orders', { key_id: null, port: 'core', request_id: null });
    expect((await given.single(event())).json<ProblemDocument>().code).toBe('stream_being_deleted');
  });
});

describe('the audit', () => {
  it.each([
    [
      'before its first event',
      () => given.post('/api/v1/streams', { stream: 'orders' }, { 'x-request-id': 'r-17' }),
    ],
    ['by a write', () => given.single(event(), { 'x-request-id': 'r-17' })],
  ])('contains who created a stream %s', async (_how, create) => {
    expect((await create()).statusCode).toBe(201);
    const entry = given.written('tributary.audit').find(({ data }) => data.includes('"orders"'));
    expect(entry?.event_type).toBe('stream.created');
    expect(JSON.parse(entry!.metadata)).toMatchObject({ key_id: null, port: 'ingest', request_id: 'r-17' });
  });
});

describe('back-pressure', () => {
  it('is a 503 with Retry-After when Kafka cannot be reached', async () => {
    await given.single(event());
    given.log.down = true;
    const answer = await given.single(event());
    expect(answer.json<ProblemDocument>().code).toBe('log_unavailable');
    expect(answer.headers['retry-after']).toMatch(/^\d+$/);
  });

  it('rejects bodies when too many bytes of them are in memory', async () => {
    await given.close();
    given = await startTestIngest({ bodyBytes: 100_000 });
    const answer = await given.single(event({ data: { x: 'x'.repeat(200_000) } }));
    expect(answer.json<ProblemDocument>().code).toBe('overloaded');
    expect(answer.headers['retry-after']).toMatch(/^\d+$/);
    for (let i = 0; i < 5; i++)
      expect((await given.single(event({ data: { x: 'x'.repeat(60_000) } }))).statusCode).toBe(201);
  });
});
