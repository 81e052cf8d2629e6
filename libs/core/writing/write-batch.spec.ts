import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ProblemDocument } from '#api';
import { event, startTestIngest, type TestIngest } from './writing.fixture.js';

interface BatchAnswer {
  accepted: number;
  rejected: number;
  events: { event_id?: string; error?: { code: string; detail?: string; errors?: { pointer: string }[] } }[];
}

let given: TestIngest;
beforeEach(async () => void (given = await startTestIngest()));
afterEach(() => given.close());

describe('a batch', () => {
  const lines = { 'content-type': 'application/x-ndjson' };
  const events = [event({ data: { n: 1 } }), event({ data: { n: 2 } })];

  it.each<[string, string | Buffer, Record<string, string>]>([
    ['JSON', JSON.stringify({ events }), {}],
    ['JSON with white space', JSON.stringify({ events }, null, 2), {}],
    ['NDJSON', `${JSON.stringify(events[0])}\r\n\n${JSON.stringify(events[1])}`, lines],
    ['gzip', gzipSync(JSON.stringify({ events })), { 'content-encoding': 'gzip' }],
  ])('is accepted as %s', async (_name, body, headers) => {
    const answer = await given.batch(body, headers);
    expect(answer.statusCode, answer.body).toBe(201);
    const { accepted, rejected, events: results } = answer.json<BatchAnswer>();
    expect([accepted, rejected]).toEqual([2, 0]);
    const stored = given.written();
    const found = results.map((result) => stored.find((one) => one.event_id === result.event_id)?.data);
    expect(found.map((data) => JSON.parse(data ?? '') as unknown)).toEqual([{ n: 1 }, { n: 2 }]);
  });

  it('of several streams writes each event to its stream', async () => {
    const answer = await given.batch({ events: ['a', 'b', 'a'].map((stream) => event({ stream })) });
    expect(answer.statusCode).toBe(201);
    expect([given.records('a').length, given.records('b').length]).toEqual([2, 1]);
  });

  it('is answered with 207 and an error for each invalid event, in order', async () => {
    const answer = await given.batch({ events: [event(), event({ event_type: '' }), 5, event()] });
    expect(answer.statusCode).toBe(207);
    const { accepted, rejected, events: results } = answer.json<BatchAnswer>();
    expect([accepted, rejected]).toEqual([2, 2]);
    expect(results.map((result) => result.error?.errors?.[0]?.pointer)).toEqual([
      undefined,
      '/events/1/event_type',
      '/events/2',
      undefined,
    ]);
  });

  it.each([
    [1, 'The event of the batch was not written.'],
    [2, 'None of the 2 events was written.'],
  ])('with %d invalid events only is a 400 that says so', async (count, detail) => {
    const answer = await given.batch({ events: Array.from({ length: count }, () => event({ data: 1 })) });
    expect(answer.json<ProblemDocument>()).toMatchObject({ status: 400, code: 'invalid_request', detail });
  });

  it('continues after an invalid line', async () => {
    const answer = await given.batch(`{"stream":\n${JSON.stringify(event())}\n{"a":\n1}\n`, lines);
    expect(answer.statusCode).toBe(207);
    expect(answer.json<BatchAnswer>().events.map(({ error }) => error?.code)).toEqual([
      'invalid_json',
      undefined,
      'invalid_json',
      'invalid_json',
    ]);
  });

  it('reports a line with two events', async () => {
    const one = JSON.stringify(event());
    const answer = await given.batch(`${one}\n${one} ${one}\n`, lines);
    const { error } = answer.json<BatchAnswer>().events[1]!;
    expect(error).toMatchObject({ code: 'invalid_json', errors: [{ pointer: '/events/1' }] });
    expect(error?.detail).toMatch(/A line may have one event.*line feed/);
    expect(given.written()).toHaveLength(1);
  });

  it('names the content type of lines if they are sent as JSON', async () => {
    const one = JSON.stringify(event());
    const json = { 'content-type': 'application/json' };
    for (const body of [`${one}\n${one}`, ` ${one}\r\n\n${one}\r\n`]) {
      const answer = await given.batch(body, json);
      expect(answer.json()).toMatchObject({
        code: 'invalid_json',
        detail: expect.stringContaining('application/x-ndjson') as string,
      });
    }
    expect(given.records('orders')).toEqual([]);
  });

  it('parses a truncated line only to its end', async () => {
    const answer = await given.batch('[1,\n'.repeat(100), lines);
    const { errors } = answer.json<ProblemDocument>();
    expect(errors).toHaveLength(100);
    expect(new Set(errors?.map(({ detail }) => detail))).toEqual(new Set(['is not valid JSON']));
  });

  it('writes nothing if it is atomic and one event is invalid', async () => {
    const answer = await given.post('/api/v1/events/batch?atomic=true', {
      events: [event(), event({ data: 1 })],
    });
    expect(answer.statusCode).toBe(400);
    expect(answer.json<ProblemDocument>().errors?.map(({ pointer }) => pointer)).toEqual(['/events/1/data']);
    expect(given.records('orders')).toEqual([]);
  });

  it.each(['atomic=1', 'atomic=', 'atomic=true&atomic=true', 'colour=red'])('rejects ?%s', async (query) => {
    const answer = await given.post(`/api/v1/events/batch?${query}`, { events });
    expect(answer.json<ProblemDocument>().errors?.map(({ pointer }) => pointer)).toEqual([
      query.split('=')[0],
    ]);
  });

  it.each([
    ['{"events":[]}', '/events'],
    ['{"events":{}}', '/events'],
    ['{"events":null}', '/events'],
    ['{"events":[{}],"events":[]}', '/events'],
    ['{"events":[],"more":1}', '/more'],
    ['{"event":[{}]}', '/event'],
    ['{}', '/events'],
    ['[]', ''],
    ['null', ''],
  ])('rejects %s', async (body, pointer) => {
    const problem = (await given.batch(body)).json<ProblemDocument>();
    expect(problem).toMatchObject({ code: 'invalid_request', status: 400 });
    expect(problem.errors?.map((error) => error.pointer)).toEqual([pointer]);
  });

  it.each(['{"events":[', '{"events":[{}]', '{"events":[{},]}', '{"events":[{}}', '{"events":[{}]}x', ''])(
    'rejects the invalid JSON %j',
    async (body) => {
      expect((await given.batch(body)).json<ProblemDocument>()).toMatchObject({
        code: 'invalid_json',
        status: 400,
      });
    },
  );

  it('has at most 10 000 events', async () => {
    const many = (count: number) => `{"events":[${Array.from({ length: count }, () => '{}').join(',')}]}`;
    const problem = (await given.batch(many(10_001))).json<ProblemDocument>();
    expect(problem.errors).toMatchObject([{ pointer: '/events' }]);
    expect((await given.batch(many(10_000))).json<ProblemDocument>().errors).toHaveLength(100);
  });
});
