import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ProblemDocument } from '#api';
import { event, startTestIngest, type TestIngest } from './writing.fixture.js';

interface Written {
  event_id: string;
  partition: number;
  offset: number;
  timestamp: string;
}

let given: TestIngest;
beforeEach(async () => void (given = await startTestIngest()));
afterEach(() => given.close());

describe('one event', () => {
  it('is acknowledged with its position, and Location has its address', async () => {
    const answer = await given.single(
      event({ entity_id: 'order-17', timestamp: '2026-11-21T05:00:00.0001239+01:00' }),
    );
    expect(answer.statusCode).toBe(201);
    const body = answer.json<Written>();
    expect(body).toEqual({
      event_id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab]/) as string,
      stream: 'orders',
      event_type: 'order.placed',
      entity_id: 'order-17',
      timestamp: '2026-11-21T04:00:00.000123Z',
      partition: expect.any(Number) as number,
      offset: 0,
    });
    expect(answer.headers.location).toBe(`/api/v1/events/${body.event_id}`);
  });

  it('keeps the text of data and metadata, character by character', async () => {
    const data =
      '{ "big":9007199254740993, "price":0.10,"huge":1e400, "é":"\\u00e9 \\/ \\ud800","z":1,"a":[ ],"__proto__":{"constructor":1}}';
    const metadata = '{"trace" : "x", "n":1.00, "none":null}';
    await given.single(`{"metadata":${metadata},"stream":"orders","data":\n${data}\n,"event_type":"t"}`);
    expect(given.written()).toMatchObject([{ data, metadata }]);
    expect(({} as Record<string, unknown>).constructor).toBe(Object);
  });

  it('may have members with escapes in their names and values', async () => {
    await given.single('{"\\u0073tream":"ord\\u0065rs","event_type":"a\\"b","d\\u0061ta":{"x":1}}');
    expect(given.written()).toMatchObject([{ event_type: 'a"b', data: '{"x":1}' }]);
  });

  it('is written with its entity or its id as key, and with the headers of its request', async () => {
    const headers = {
      'x-request-id': 'r-1',
      traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
    };
    await given.single(event({ entity_id: 'é' }), headers);
    await given.single(event({ stream: 'other', event_id: '019AA4E2-7D53-7C1E-9A3E-0D6A1F0B2C11' }), headers);
    const [first] = given.records('orders');
    expect(String(first?.key)).toBe('é');
    expect(String(first?.headers['x-request-id'])).toBe('r-1');
    expect(String(first?.headers.traceparent)).toBe(headers.traceparent);
    expect(String(given.records('other')[0]?.key)).toBe('019aa4e2-7d53-7c1e-9a3e-0d6a1f0b2c11');
  });

  it('may have null in optional fields', async () => {
    const nothing = { entity_id: null, timestamp: null, event_id: null, metadata: null };
    expect((await given.single(event(nothing))).statusCode).toBe(201);
    const [stored] = given.written();
    expect(stored).toMatchObject({ entity_id: null, metadata: '{}' });
    expect(stored?.timestamp).toBe(stored?.ingested_at);
  });

  const wrong: [string, object | string, string, string][] = [
    ['stream missing', { event_type: 't', data: {} }, 'invalid_request', '/stream'],
    ['event_type of the wrong type', event({ event_type: 5 }), 'invalid_request', '/event_type'],
    ['event_type empty', event({ event_type: '' }), 'invalid_request', '/event_type'],
    ['a line break in event_type', event({ event_type: 'a\nb' }), 'invalid_request', '/event_type'],
    ['a line separator in event_type', event({ event_type: 'a\u2028b' }), 'invalid_request', '/event_type'],
    ['half a surrogate pair in entity_id', event({ entity_id: '\ud800' }), 'invalid_request', '/entity_id'],
    ['257 characters', event({ entity_id: '😀'.repeat(257) }), 'invalid_request', '/entity_id'],
    ['data that is an array', event({ data: [] }), 'invalid_request', '/data'],
    ['data that is null', event({ data: null }), 'invalid_request', '/data'],
    ['nested metadata', event({ metadata: { a: {} } }), 'invalid_request', '/metadata/a'],
    ['an impossible date', event({ timestamp: '2026-02-30T00:00:00Z' }), 'invalid_request', '/timestamp'],
    ['an event_id that is not a UUID', event({ event_id: '17' }), 'invalid_request', '/event_id'],
    ['a name with / and ~', event({ 'a/b~c': 1 }), 'invalid_request', '/a~1b~0c'],
    [
      '__proto__ at the top',
      '{"stream":"s","event_type":"t","data":{},"__proto__":{"x":1}}',
      'invalid_request',
      '/__proto__',
    ],
    ['constructor at the top', event({ constructor: { prototype: {} } }), 'invalid_request', '/constructor'],
    [
      'a duplicate name',
      '{"stream":"s","event_type":"t","data":{"a":{"b":1,"b":2}}}',
      'invalid_request',
      '/data/a/b',
    ],
    [
      'a duplicate name, once with escapes',
      '{"stream":"s","event_type":"t","data":{"b":1,"\\u0062":2}}',
      'invalid_request',
      '/data/b',
    ],
    ['a number as timestamp', event({ timestamp: 1e21 }), 'invalid_request', '/timestamp'],
    ['no object', '5', 'invalid_request', ''],
    ['too many levels', event({ data: { a: deep(63) } }), 'invalid_json', ''],
  ];
  it.each(wrong)('with %s is rejected with a pointer to the error', async (...row) => {
    const [, body, code, pointer] = row;
    const answer = await given.single(body);
    const problem = answer.json<ProblemDocument>();
    expect([answer.statusCode, problem.code]).toEqual([400, code]);
    expect(problem.errors?.map((error) => error.pointer)).toEqual([pointer]);
    expect(given.log.topics.size).toBe(1);
  });

  it.each<[string, object, string]>([
    ['stream', { stream: 'été' }, 'A-Z a-z 0-9 . _ - and begin with a letter or a digit, such as orders'],
    ['event_id', { event_id: '17' }, 'a UUID, such as 019aa4e2'],
    ['unknown field', { colour: 1 }, 'is not a known field; known fields are stream, event_type, '],
    ['event_type', { event_type: 'a\nb' }, 'must not contain control characters'],
  ])('with an invalid %s is rejected with the rule in words', async (_name, more, rule) => {
    const problem = (await given.single(event(more))).json<ProblemDocument>();
    expect(problem.errors?.[0]?.detail).toContain(rule);
    expect(problem.errors?.[0]?.detail).not.toContain('pattern');
  });

  it.each<[string, object[] | string, string, RegExp]>([
    ['an array', [event(), event()], 'invalid_request', /not an array.*\/api\/v1\/events\/batch/],
    ['a batch', JSON.stringify({ events: [event()] }), 'invalid_request', /\/api\/v1\/events\/batch/],
    ['two', `${JSON.stringify(event())}\n${JSON.stringify(event())}`, 'invalid_json', /another.*x-ndjson/],
  ])('sent as %s is rejected with the address for several events', async (...row) => {
    const [, body, code, detail] = row;
    const problem = (await given.single(body)).json<ProblemDocument>();
    expect([problem.code, problem.detail]).toEqual([code, expect.stringMatching(detail)]);
  });

  it('read from the write port is answered with the ports for reads', async () => {
    for (const [url, status] of [
      ['/api/v1/events', 405],
      ['/api/v1/events/query', 404],
      ['/', 404],
    ] as const) {
      const answer = await given.app.instance.inject(url);
      expect(answer.statusCode).toBe(status);
      expect(answer.json<ProblemDocument>().detail).toMatch(
        /only accepts writes\. Reads are on .*3900.*3902/,
      );
    }
  });

  it('may be 64 levels deep', async () => {
    expect((await given.single(event({ data: { a: deep(62) } }))).statusCode).toBe(201);
  });

  it.each(['{"stream":', '{"stream":"a"}}', "{'a':1}", 'nul', '[1,]', '{"a":01}', '"\t"', '{"a":1}garbage'])(
    'with the invalid JSON %s is a 400',
    async (body) => {
      const answer = await given.single(body);
      expect([answer.statusCode, answer.json<ProblemDocument>().code]).toEqual([400, 'invalid_json']);
    },
  );

  it('nested 100 000 deep does no harm', async () => {
    const answer = await given.single(`{"stream":"s","event_type":"t","data":{"a":${'['.repeat(100_000)}`);
    expect(answer.json<ProblemDocument>().code).toBe('invalid_json');
  });

  it('of more than a mebibyte is a 413, counted in bytes', async () => {
    expect((await given.single(event({ data: { x: 'x'.repeat(1024 * 1024 - 100) } }))).statusCode).toBe(201);
    const answer = await given.single(event({ data: { x: 'é'.repeat(600 * 1024) } }));
    expect(answer.json<ProblemDocument>().code).toBe('payload_too_large');
  });

  it('has no query parameters', async () => {
    const answer = await given.post('/api/v1/events?colour=red', event());
    expect(answer.json<ProblemDocument>().errors).toMatchObject([{ pointer: 'colour' }]);
  });
});

/** Returns `levels` nested arrays. */
function deep(levels: number): unknown {
  return JSON.parse('['.repeat(levels) + ']'.repeat(levels));
}
