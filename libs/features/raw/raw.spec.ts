import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { limits, type EventRecord } from '#event';
import { parseTime } from '#json';
import type { ProblemDocument } from '#api';
import { generateKey } from '#http';
import { schemaName, type SchemaSubject } from '#registry';
import { zstd } from '../../../packages/zstd/src/zstd.fixture.js';
import { startTestIngest, type TestIngest } from '../../core/writing/writing.fixture.js';

let given: TestIngest;
beforeEach(async () => void (given = await startTestIngest()));
afterEach(() => given.close());

const address = (query: Record<string, string> = {}, stream = 'access') =>
  `/api/v1/streams/${stream}/raw?${new URLSearchParams({ event_type: 'seen', ...query }).toString()}`;
const strict = { prefer: 'handling=strict' };
const raw = (body: string | Buffer, query?: Record<string, string>, headers?: Record<string, string>) =>
  given.post(address(query), body, { ...strict, ...headers });
const lines = { 'content-type': 'application/x-ndjson' };
const problem = (answer: { json(): unknown }) => answer.json() as ProblemDocument;

/**
 * Returns the written events, sorted by id. A few events are in one partition each, so this is the order of the
 * request.
 */
function written(): EventRecord[] {
  return given.written('access').sort((a, b) => (a.event_id < b.event_id ? -1 : 1));
}
const data = () =>
  written()
    .map((event) => event.data)
    .sort();

describe('a raw write', () => {
  it.each<[string, string | Buffer, Record<string, string>]>([
    ['lines', '{"a":1}\n\n {"b":2} \r\n{"c":3}', lines],
    ['lines with the type of JSON', '{"a":1}\n{"b":2}\n{"c":3}\n', {}],
    ['a list', ' [{"a":1}, {"b":2},{"c":3}]\n', {}],
    ['a sequence of values', '{"a":1}{"b":2} {"c":3}', {}],
    ['a sequence of lists', '[{"a":1}]\n[]\n[{"b":2},{"c":3}]', {}],
    ['a list and a value', '[{"a":1},{"b":2}]{"c":3}', {}],
    ['gzip', gzipSync('{"a":1}\n{"b":2}\n{"c":3}'), { 'content-encoding': 'gzip' }],
    ['zstd', zstd('[{"a":1},{"b":2},{"c":3}]'), { 'content-encoding': 'zstd' }],
    ['another JSON type', '{"a":1}\n{"b":2}\n{"c":3}', { 'content-type': 'application/vnd.kafka.v2+json' }],
  ])('accepts %s', async (...row) => {
    const [, body, headers] = row;
    const answer = await raw(body, {}, headers);
    expect([answer.statusCode, answer.json<{ accepted: number }>().accepted]).toEqual([201, 3]);
    expect(data()).toEqual(['{"a":1}', '{"b":2}', '{"c":3}']);
  });

  it('accepts objects with several lines each', async () => {
    await raw('{\n  "a": 1\n}\n{\n  "b": 2\n}\n');
    expect(data()).toEqual(['{\n  "a": 1\n}', '{\n  "b": 2\n}']);
  });

  it('wraps values that are not objects, and keeps their text', async () => {
    await raw('["ä\\u0041", 12345678901234567890, 1.50, null, [1, 2], {"n":  1e400}]');
    expect(data()).toEqual(
      [
        '{"value":"ä\\u0041"}',
        '{"value":12345678901234567890}',
        '{"value":1.50}',
        '{"value":null}',
        '{"value":[1, 2]}',
        '{"n":  1e400}',
      ].sort(),
    );
  });

  it('treats a list on a line as one value if the body is lines', async () => {
    await raw('[1,2]\n[3]', {}, lines);
    expect(data()).toEqual(['{"value":[1,2]}', '{"value":[3]}']);
  });

  it('takes fields from the places in the parameters', async () => {
    const id = '019AA4E2-7d53-7c1e-9a3e-0d6a1f0b2c11';
    await raw(
      `{"kind":"login","user":{"id":17,"tags":["x","y"]},"a/b~c":"${id}","at":"2026-11-21T04:00:00.5Z"}`,
      {
        ...{ event_type: '/kind', entity_id: '/user/id' },
        ...{ event_id: '/a~1b~0c', timestamp: '/at' },
      },
    );
    expect(written()).toMatchObject([
      { event_type: 'login', entity_id: '17', event_id: id.toLowerCase(), timestamp: 1_795_233_600_500_000 },
    ]);
  });

  it.each<[string, string, string, string]>([
    ['an element', '{"a":[{"b":"x"},{"b":"y"}]}', '/a/1/b', 'y'],
    ['a name with escapes', '{"\\u0061":"x"}', '/a', 'x'],
    ['a value with escapes', '{"a":"\\u00e4\\/b"}', '/a', 'ä/b'],
    ['an empty name', '{"":{"":"x"}}', '//', 'x'],
    ['the later of two branches', '{"a":{"c":1},"b":{"c":"x"}}', '/b/c', 'x'],
    ['a list', '[["k","x"]]', '/1', 'x'],
    ['a large number, as its text', '{"a":12345678901234567890}', '/a', '12345678901234567890'],
  ])('finds %s', async (...row) => {
    const [, body, pointer, entity] = row;
    await raw(body, { entity_id: pointer });
    expect(written()).toMatchObject([{ entity_id: entity }]);
  });

  it.each(['/nothing', '/a/b', '/list/2', '/list/x', '/none', '/text/0'])(
    'treats the field of %s as missing',
    async (pointer) => {
      const body = '{"a":1,"list":[1,2],"none":null,"text":"x"}';
      const answer = await raw(body, { entity_id: pointer, event_id: pointer, timestamp: pointer });
      expect(answer.statusCode).toBe(201);
      expect(written()).toMatchObject([{ entity_id: null }]);
    },
  );

  it('derives a UUIDv5 from an id that is not a UUID: the same one for the same text', async () => {
    await raw('{"id":"order-17/3"}', { event_id: '/id' });
    await raw('{"id":"order-17/3","more":1}', { event_id: '/id' });
    await raw('{"id":1}', { event_id: '/id' });
    const [a, b, c] = given
      .written('access')
      .map((event) => event.event_id)
      .sort();
    expect(new Set([a, b, c]).size).toBe(2);
    for (const id of [a, b, c]) expect(id).toMatch(/^.{8}-.{4}-5.{3}-[89ab].{3}-.{12}$/);
  });

  it('derives the same ids for a repeated body, with any compression', async () => {
    const body = '{"a":1}\n{"a":1}\n{"a":1}';
    await raw(body);
    const first = written().map((event) => event.event_id);
    await raw(gzipSync(body), {}, { 'content-encoding': 'gzip' });
    const all = written().map((event) => event.event_id);
    expect([new Set(first).size, new Set(all).size]).toEqual([3, 3]);
    for (const id of first) expect(id).toMatch(/^.{8}-.{4}-8.{3}-[89ab].{3}-.{12}$/);
  });

  it.each<[string, Record<string, string>, string]>([
    ['type', { event_type: 'left' }, '{"a":1}'],
    ['entity', { entity_id: 'ann' }, '{"a":1}'],
    ['text', {}, '{"a": 1}'],
  ])('derives other ids for the same values with another %s', async (...row) => {
    const [, query, body] = row;
    await raw('{"a":1}');
    await raw(body, query);
    expect(new Set(written().map((event) => event.event_id)).size).toBe(2);
  });

  it.each(['1795233600.000123', '"1795233600000.123"', '1795233600000123'])(
    'accepts a number since 1970 as timestamp: %s',
    async (time) => {
      await raw(`{"at":${time}}`, { timestamp: '/at' });
      expect(written()).toMatchObject([{ timestamp: parseTime('2026-11-21T04:00:00.000123Z') }]);
    },
  );

  it.each(['1.497313808264E9', '"1.497313808264E9"', '149731380826.4e1', '1497313808264000.0'])(
    'accepts every way to write the same number as timestamp: %s',
    async (time) => {
      await raw(`{"at":${time}}`, { timestamp: '/at' });
      expect(written()).toMatchObject([{ timestamp: parseTime('2017-06-13T00:30:08.264Z') }]);
    },
  );

  it('accepts a number before 1970 as timestamp', async () => {
    await raw('{"at":-1.5}', { timestamp: '/at' });
    expect(written()).toMatchObject([{ timestamp: -1_500_000 }]);
  });

  it.each<[string, readonly string[]]>([
    ['17', ['17', '17.0', '1.7e1', '170E-1', '0.17e+2']],
    ['0', ['0', '-0', '0.0', '-0.00', '0e9', '0e999']],
    ['-1.5', ['-1.5', '-1.50', '-15e-1']],
    ['9007199254740993', ['9007199254740993', '9007199254740993.0', '9.007199254740993e15']],
    ['1.5e-61', ['1.5e-61', '0.15e-60', `0.${'0'.repeat(60)}150`]],
    ['1e+400', ['1e400', '1.0E+400', '10e399', '1'.padEnd(401, '0')]],
    ['1'.repeat(100), ['1'.repeat(100), `${'1'.repeat(100)}.0`, `0.${'1'.repeat(100)}e100`]],
  ])('treats equal numbers as one entity, one id and one type: %s', async (...row) => {
    const [text, numbers] = row;
    const body = numbers.map((number) => `{"n":${number}}`).join('\n');
    const answer = await raw(body, { ...{ event_type: '/n', entity_id: '/n', event_id: '/n' } });
    expect(answer.json()).toMatchObject({ accepted: numbers.length });
    const events = written();
    expect(new Set(events.map(({ entity_id }) => entity_id))).toEqual(new Set([text]));
    expect(new Set(events.map(({ event_type }) => event_type))).toEqual(new Set([text]));
    expect(new Set(events.map(({ event_id }) => event_id)).size).toBe(1);
    expect(data()).toEqual(numbers.map((number) => `{"n":${number}}`).sort());
  });

  it('keeps texts with digits apart: they are no numbers', async () => {
    await raw('{"n":"17"}\n{"n":"17.0"}\n{"n":"1.7e1"}', { entity_id: '/n' });
    expect(written().map(({ entity_id }) => entity_id)).toEqual(['17', '17.0', '1.7e1']);
  });

  it('answers with the last position of each partition', async () => {
    const body = '{"u":1}\n{"u":1}\n{"u":1}';
    const answer = await raw(body, { entity_id: '/u' });
    const { positions } = answer.json<{ positions: { partition: number; offset: number }[] }>();
    expect(positions).toEqual([{ partition: expect.any(Number) as number, offset: 2 }]);
  });

  it('writes up to 100 000 values', async () => {
    const answer = await raw('1\n'.repeat(limits.rawValues), { entity_id: 'one' });
    expect(answer.json()).toMatchObject({ accepted: limits.rawValues });
  });
});

describe('a rejected raw write', () => {
  const good = '{"a":1}';
  afterEach(() => expect(given.records('access')).toEqual([]));

  it.each<[string, string, number, string]>([
    ['a line that is not JSON', `${good}\n{"a":\n${good}`, 2, 'invalid_json'],
    ['a word', `${good}\nhello\n`, 2, 'invalid_json'],
    ['two values on a line', `${good}\n${good}${good}\n`, 2, 'invalid_json'],
    ['an invalid number', `${good}\n01\n`, 2, 'invalid_json'],
    ['a list that does not end', `[${good},\n${good}`, 2, 'invalid_json'],
    ['a list with a trailing comma', `[\n${good},]`, 2, 'invalid_json'],
    ['a value that does not end', '{"a":{', 1, 'invalid_json'],
    ['a duplicate name', `${good}\n{"b":1,"b":2}`, 2, 'invalid_request'],
    ['a duplicate name, once with escapes', '{"b":1,"\\u0062":2}', 1, 'invalid_request'],
    ['JSON that is nested too deep', `${good}\n${'['.repeat(100)}`, 2, 'invalid_json'],
    [
      'a line of more than a MiB',
      `${good}\n{"a":"${'x'.repeat(limits.eventBytes)}"}`,
      2,
      'payload_too_large',
    ],
    [
      'a line of nearly 16 MiB',
      `${good}\n"${'x'.repeat(limits.requestBytes - 100)}"`,
      2,
      'payload_too_large',
    ],
  ])('with %s has the line in its error', async (...row) => {
    const [, body, line, code] = row;
    const { detail, code: found } = problem(await raw(body));
    expect([found, detail]).toEqual([
      code,
      expect.stringMatching(new RegExp(`^Value ${line} of \\d+, line ${line}: `)),
    ]);
  });

  it.each<[string, string]>([
    ['nothing', ''],
    ['white space', ' \n\n '],
    ['an empty list', '[]'],
    ['too many values', '1\n'.repeat(limits.rawValues + 1)],
    ['a million values', '[' + '1,'.repeat(1_000_000) + '1]'],
  ])('with %s has the allowed number in its error', async (...row) => {
    const answer = await raw(row[1]);
    expect([answer.statusCode, problem(answer).code]).toEqual([
      400,
      expect.stringMatching(/invalid_(request|json)/),
    ]);
  });

  it.each<[string, Record<string, string>, string, string]>([
    ['an invalid pointer', { entity_id: '/a~2' }, 'entity_id', 'JSON pointer'],
    ['an unknown parameter', { entity: '/a' }, 'entity', 'is not a parameter'],
    ['a constant that is not a valid type', { event_type: 'a\nb' }, 'event_type', 'control characters'],
    ['a constant that is too long', { entity_id: 'x'.repeat(257) }, 'entity_id', '256'],
    ['a constant that is not a time', { timestamp: 'yesterday' }, 'timestamp', 'RFC 3339'],
    ['an empty parameter', { event_id: '' }, 'event_id', '1 to 1024'],
  ])('with %s has the parameter in its error', async (...row) => {
    const [, query, pointer, detail] = row;
    const { code, errors } = problem(await raw(good, query));
    expect([code, errors]).toEqual([
      'invalid_request',
      [{ pointer, detail: expect.stringContaining(detail) as string }],
    ]);
  });

  it.each(['1', '1.0', '1e0'])(
    'with conditions and strict handling recognizes the version %s',
    async (version) => {
      const body = `{"u":"a","v":${version}}\n`.repeat(2);
      const { errors } = problem(await raw(body, { entity_id: '/u', expected_version: '/v' }));
      expect(errors).toEqual([
        { pointer: 'expected_version', detail: expect.stringContaining('strict') as string },
      ]);
    },
  );

  it.each(['1.5', '-1', '1e400', '"1.0"'])('with the version %s says what a version is', async (version) => {
    const body = `{"u":"a","v":${version}}`;
    const { errors } = problem(await raw(body, { entity_id: '/u', expected_version: '/v' }));
    expect(errors).toEqual([{ pointer: '/0/v', detail: expect.stringContaining('integer') as string }]);
  });

  it('with one id for several values says that all would have the same id', async () => {
    const { errors } = problem(await raw(`${good}\n${good}`, { event_id: 'once' }));
    expect(errors).toEqual([{ pointer: 'event_id', detail: expect.stringContaining('same id') as string }]);
  });

  it.each<[string, string, Record<string, string>]>([
    ['is missing', '{"b":1}', { event_type: '/a' }],
    ['is null', '{"a":null}', { event_type: '/a' }],
    ['is an object', '{"a":{}}', { event_type: '/a' }],
    ['is not a text', '{"a":true}', { entity_id: '/a' }],
    ['is empty', '{"a":""}', { event_id: '/a' }],
    ['is half a surrogate pair', '{"a":"\\ud800"}', { event_id: '/a' }],
    ['is too long', `{"a":"${'x'.repeat(300)}"}`, { entity_id: '/a' }],
    ['is not a time', '{"a":"12:30"}', { timestamp: '/a' }],
    ['is a time of too many digits', '{"a":179523360012345678901}', { timestamp: '/a' }],
    ['is a time before 1900', '{"a":-2208988800.000001}', { timestamp: '/a' }],
    ['is a time after 2199', '{"a":7.2581184e9}', { timestamp: '/a' }],
    ['is an infinite time', '{"a":1e400}', { timestamp: '/a' }],
  ])('with a field that %s has a pointer to the field', async (...row) => {
    const [, body, query] = row;
    const { errors } = problem(await raw(`{"a":"2026-11-21T04:00:00Z"}\n${body}`, query));
    const field = Object.keys(query)[0]!;
    expect(errors).toEqual([{ pointer: '/1/a', detail: expect.stringMatching(`^${field} `) as string }]);
  });

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', ''])(
    'may have the content type %j, which a web page can send to a port without keys',
    async (type) => {
      const answer = await raw(good, {}, { 'content-type': type });
      expect(problem(answer).code).toBe('unsupported_media_type');
      expect(answer.headers['accept-post']).toBe('application/json, application/x-ndjson');
    },
  );

  it('may have an invalid stream name', async () => {
    const answer = await given.post(address({}, '_x'), good);
    expect(problem(answer)).toMatchObject({ code: 'invalid_request', errors: [{ pointer: 'stream' }] });
  });

  it('may have a reserved stream', async () => {
    expect(problem(await given.post(address({}, 'tributary.audit'), good)).code).toBe('stream_reserved');
  });

  it('may have an unknown method', async () => {
    const answer = await given.app.instance.inject({ method: 'GET', url: address() });
    expect(problem(answer).code).toBe('method_not_allowed');
  });
});

describe('a raw write if writes do not create streams', () => {
  let closed: TestIngest;
  beforeAll(async () => void (closed = await startTestIngest({ config: { AUTO_CREATE_STREAMS: false } })));
  afterAll(() => closed.close());

  it('is a 404', async () => {
    expect(problem(await closed.post(address(), '{"a":1}')).code).toBe('stream_not_found');
  });
});

describe('a raw write on a port with keys', () => {
  const { key, keyId, sha256 } = generateKey();
  let guarded: TestIngest;
  beforeAll(async () => {
    guarded = await startTestIngest({
      config: { INGEST_REQUIRE_KEYS: true, API_KEYS: [`${keyId}:${sha256}:events:write`] },
    });
  });
  afterAll(() => guarded.close());

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'application/octet-stream'])(
    'accepts the content type %j',
    async (type) => {
      const headers = { 'content-type': type, authorization: `Bearer ${key}` };
      expect((await guarded.post(address(), '{"a":1}', headers)).statusCode).toBe(200);
    },
  );

  it('accepts a body without a content type', async () => {
    const { statusCode } = await guarded.app.instance.inject({
      ...{ method: 'POST', url: address(), payload: '{"a":1}' },
      headers: { authorization: `Bearer ${key}` },
    });
    expect(statusCode).toBe(200);
  });

  const basic = (pair: string | Buffer) => `Basic ${Buffer.from(pair).toString('base64')}`;
  const batch = `{"events":[{"stream":"s","event_type":"t","data":{}}]}`;

  it.each<[string, string, Record<string, string>]>([
    [address(), '{"a":1}', {}],
    ['/api/v1/events', '{"stream":"s","event_type":"t","data":{}}', {}],
    ['/api/v1/events/batch', batch, {}],
    [
      '/api/v1/streams/s/cloudevents',
      '{}',
      { 'ce-specversion': '1.0', 'ce-id': 'a', 'ce-source': '/s', 'ce-type': 't' },
    ],
    ['/v1/logs?stream=s', '{}', {}],
  ])('accepts the key as the password of Basic at %s, and never asks for it', async (url, body, headers) => {
    for (const authorization of [basic(`any:${key}`), basic(`:${key}`), basic(`ü:${key}`).replace('B', 'b')])
      expect((await guarded.post(url, body, { ...headers, authorization })).statusCode).toBeOneOf([
        200, 201, 204,
      ]);
    for (const authorization of ['', basic('any:'), basic('any:x'), 'Basic']) {
      const answer = await guarded.post(url, body, { ...headers, ...(authorization && { authorization }) });
      expect([answer.statusCode, answer.headers['www-authenticate']]).toEqual([
        401,
        expect.stringMatching(/^Bearer /),
      ]);
    }
  });

  it.each<[string, string, string]>([
    ['the key as the user', basic(`${key}:`), 'unauthenticated'],
    ['the key without a user', basic(key), 'unauthenticated'],
    ['an empty password', basic('any:'), 'unauthenticated'],
    ['nothing', 'Basic ', 'unauthenticated'],
    ['text that is not Base64', `Basic any:${key}`, 'unauthenticated'],
    ['Base64 of URLs', `Basic ${Buffer.from(`??>:${key}`).toString('base64url')}`, 'unauthenticated'],
    ['Base64 and more', `${basic(`any:${key}`)} x`, 'unauthenticated'],
    [
      'bytes that are not UTF-8',
      basic(Buffer.concat([Buffer.from([0xff]), Buffer.from(`:${key}`)])),
      'unauthenticated',
    ],
    ['a colon in the user', basic(`a:b:${key}`), 'invalid_token'],
    ['a colon after the key', basic(`any:${key}:`), 'invalid_token'],
    ['a blank after the key', basic(`any:${key} `), 'invalid_token'],
    ['another key', basic(`any:${generateKey().key}`), 'invalid_token'],
    ['another scheme', basic(`any:${key}`).replace('Basic', 'Digest'), 'unauthenticated'],
    ['a scheme that begins alike', basic(`any:${key}`).replace('Basic', 'Basics'), 'unauthenticated'],
  ])('rejects Basic with %s, without repeating it', async (_, authorization, code) => {
    const answer = await guarded.post(address(), '{"a":1}', { authorization });
    expect([answer.statusCode, problem(answer).code]).toEqual([401, code]);
    expect(answer.headers['www-authenticate']).toMatch(/^Bearer /);
    expect(answer.body).not.toContain(key.slice(4, 16));
  });

  it('rejects two Authorization headers', async () => {
    const { statusCode } = await guarded.app.instance.inject({
      ...{ method: 'POST', url: address(), payload: '{"a":1}' },
      headers: { authorization: [basic(`any:${key}`), `Bearer ${key}`] as unknown as string },
    });
    expect(statusCode).toBe(400);
  });

  it('accepts Basic only where events are written', async () => {
    const answer = await guarded.post('/api/v1/streams', '{"stream":"s"}', {
      authorization: basic(`any:${key}`),
    });
    expect(problem(answer).code).toBe('unauthenticated');
  });

  it('requires the scope to write', async () => {
    expect(problem(await guarded.post(address(), '{"a":1}')).code).toBe('unauthenticated');
  });
});

describe('a raw write to a stream with a schema', () => {
  const fits = '{"amount":1}';
  beforeEach(async () => {
    const schema = { type: 'object', required: ['amount'], properties: { amount: { type: 'number' } } };
    const version = { version: 1, schema, created_at: '2026-11-21T04:00:00.000000Z' };
    const subject: SchemaSubject = {
      ...{ stream: 'access', event_type: 'paid', compatibility: 'none', mode: 'enforce' },
      ...{ retired: false, versions: [version] },
    };
    const actor = { key_id: null, port: 'core', request_id: null };
    await given.definitions.schemas.change(schemaName('access', 'paid'), () => subject, actor);
  });

  it.each([{ event_type: 'paid' }, { event_type: '/kind' }])(
    'stores the schema version of matching events, with %j',
    async (query) => {
      await raw(`{"amount":1,"kind":"paid"}\n{"amount":2.5,"kind":"paid"}`, query);
      await raw(`{"amount":3,"kind":"paid"}`, query);
      expect(written().map((event) => event.schema_version)).toEqual([1, 1, 1]);
    },
  );

  it('is rejected with the line of the value that does not match', async () => {
    const answer = await raw(`${fits}\n${fits}\n{"amount":"a lot"}\n7`, { event_type: 'paid' });
    expect([answer.statusCode, problem(answer)]).toEqual([
      422,
      expect.objectContaining({
        code: 'schema_violation',
        detail: expect.stringMatching(/^Value 3 of 4, line 3: .*2 values were rejected/) as string,
        errors: expect.arrayContaining([expect.objectContaining({ pointer: '/2/data/amount' })]) as object,
      }),
    ]);
    expect(given.records('access')).toEqual([]);
  });
});
