import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ProblemDocument } from '#contracts';
import { event, givenIngest, type GivenIngest } from './ingest.fixture.js';

interface BatchAnswer {
  accepted: number;
  rejected: number;
  events: { event_id?: string; error?: { code: string; errors?: { pointer: string }[] } }[];
}

let given: GivenIngest;
beforeEach(async () => void (given = await givenIngest()));
afterEach(() => given.close());

describe('streams', () => {
  it('are created beforehand, once', async () => {
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
    [{ stream: 'x', colour: 1 }, '/colour'],
    [{}, '/stream'],
  ])('are refused as %j', async (body, pointer) => {
    const problem = (await given.post('/api/v1/streams', body)).json<ProblemDocument>();
    expect(problem.errors?.map((error) => error.pointer)).toEqual([pointer]);
  });

  it('that Kafka cannot tell from another are refused, and only their events', async () => {
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

  it('are not created by writing where that is turned off', async () => {
    await given.close();
    given = await givenIngest({ config: { AUTO_CREATE_STREAMS: false } });
    expect((await given.single(event())).json<ProblemDocument>()).toMatchObject({
      code: 'stream_not_found',
      status: 404,
    });
    await given.post('/api/v1/streams', { stream: 'orders' });
    expect((await given.single(event())).statusCode).toBe(201);
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

  it('refuses bodies when too many bytes of them are held', async () => {
    await given.close();
    given = await givenIngest({ bodyBytes: 100_000 });
    const answer = await given.single(event({ data: { x: 'x'.repeat(200_000) } }));
    expect(answer.json<ProblemDocument>().code).toBe('overloaded');
    expect(answer.headers['retry-after']).toMatch(/^\d+$/);
    for (let i = 0; i < 5; i++)
      expect((await given.single(event({ data: { x: 'x'.repeat(60_000) } }))).statusCode).toBe(201);
  });
});
