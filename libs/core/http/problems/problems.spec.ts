import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ProblemDocument } from '#api';
import { ProducerBufferFullError, LogUnavailableError } from '#kafka';
import { InvalidCursorError, QueryTooExpensiveError, StoreDamagedError, StoreUnavailableError } from '#store';
import { startTestApp, type TestApp } from '../http.fixture.js';
import { problemOf } from './problem-of.js';
import { zstd, zstdBomb } from '../../../../packages/zstd/src/zstd.fixture.js';

type Answer = Awaited<ReturnType<TestApp['app']['instance']['inject']>>;

let given: TestApp;
beforeAll(async () => void (given = await startTestApp()));
afterAll(() => given.app.nest.close());

const send = (method: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'OPTIONS', url: string, options: object = {}) =>
  given.app.instance.inject({ method, url, ...options });
const post = (url: string, payload: string | Buffer, headers: Record<string, string> = {}) =>
  send('POST', url, { payload, headers: { 'content-type': 'application/json', ...headers } });

function problem(answer: Answer): ProblemDocument & { request_id: string } {
  expect(answer.headers['content-type']).toMatch(/^application\/problem\+json/);
  const body = answer.json<ProblemDocument & { request_id: string }>();
  expect(body).toMatchObject({
    type: `urn:tributary:problem:${body.code}`,
    status: answer.statusCode,
    title: expect.any(String) as string,
    detail: expect.any(String) as string,
    request_id: answer.headers['x-request-id'],
  });
  return body;
}

describe('every answer that is not a success is a problem document', () => {
  it.each([
    ['GET', '/nothing', 404, 'not_found'],
    ['GET', '/things/', 404, 'not_found'],
    ['GET', '/Things', 404, 'not_found'],
    ['PUT', '/things', 405, 'method_not_allowed'],
    ['GET', '/%zz', 400, 'invalid_request'],
    ['GET', `/things/${'x'.repeat(2000)}`, 414, 'uri_too_long'],
    ['POST', '/things', 400, 'invalid_json'],
    ['DELETE', '/things/full', 429, 'too_many_requests'],
    ['DELETE', '/things/1', 500, 'internal_error'],
  ] as const)('%s %s', async (...row) => {
    const [method, url, status, code] = row;
    const body = problem(await send(method, url));
    expect([body.status, body.code]).toEqual([status, code]);
  });

  it.each([
    ['/things', 405, 'method_not_allowed'],
    ['/nothing', 404, 'not_found'],
  ] as const)('an unknown method at %s is answered with %d, with a body or without', async (...row) => {
    const [url, status, code] = row;
    for (const options of [{}, { payload: '{}', headers: { 'content-type': 'application/json' } }]) {
      const body = problem(await send('QUERY' as never, url, options));
      expect([body.status, body.code]).toEqual([status, code]);
    }
  });

  it.each(['/things/', '/things//full', '//things'])(
    'a 404 of %s says that a segment of the path is empty',
    async (url) => {
      expect(problem(await send('GET', url)).detail).toContain('a segment of its path is empty');
      for (const other of ['/nothing', '/'])
        expect(problem(await send('GET', other)).detail).not.toContain('empty');
    },
  );

  it('a 404 says where all addresses are listed', async () => {
    expect(problem(await send('GET', '/nothing')).detail).toContain('/docs');
  });

  it.each([
    ['/nothing', 404],
    ['/things/1', 405],
  ])('a body of any media type at %s, where no route takes one, is a %d', async (url, status) => {
    expect(problem(await post(url, 'SELECT 1', { 'content-type': 'text/plain' })).status).toBe(status);
  });

  it('a 405 lists the methods of the address', async () => {
    expect((await send('PUT', '/things')).headers.allow).toBe('GET, HEAD, POST');
    expect((await send('PUT', '/things/17')).headers.allow).toBe('DELETE, GET, HEAD');
  });

  it.each([
    ['/things', 'application/xml', {}],
    ['/things', 'application/x-ndjson', {}],
    ['/things', 'application/json; charset=latin1', {}],
    ['/things', 'text/plain', {}],
    ['/things', '', {}],
    ['/things', 'application/json', { 'content-encoding': 'br' }],
    ['/things', 'application/json', { 'content-encoding': 'gzip, gzip' }],
  ])('a 415 of %s for %j lists the accepted types', async (url, type, headers) => {
    const answer = await post(url, '{}', { 'content-type': type, ...headers });
    expect(problem(answer).code).toBe('unsupported_media_type');
    expect(answer.headers['accept-post']).toBe('application/json');
  });

  it('a 415 of a route with several types lists them all', async () => {
    const answer = await post('/things/bytes', '{}', { 'content-type': 'text/csv' });
    expect(answer.headers['accept-post']).toBe('application/json, application/x-ndjson');
  });

  it('a problem after which a retry may succeed has Retry-After', async () => {
    expect((await send('DELETE', '/things/full')).headers['retry-after']).toBe('7');
  });

  it('an internal error reveals nothing to the client and is logged completely', async () => {
    const answer = await send('DELETE', '/things/1', { headers: { 'x-request-id': 'seen-17' } });
    expect(answer.body).not.toContain('hunter2');
    const line = given.lines().find(({ request_id }) => request_id === 'seen-17');
    expect(line).toMatchObject({ level: 'error', status: 500, err: { message: 'password=hunter2' } });
    // The route, not the path: the path may contain the id of a person.
    expect(line).toMatchObject({ method: 'DELETE', route: '/things/:id' });
    expect(JSON.stringify(line)).not.toContain('/things/1');
  });

  it('given a code that is not defined, when a route throws it, then it is an internal error that is logged', async () => {
    const answer = await send('DELETE', '/things/forgotten', { headers: { 'x-request-id': 'seen-18' } });
    expect(problem(answer)).toMatchObject({ status: 500, code: 'internal_error' });
    expect(answer.body).not.toMatch(/hunter3|forgotten/);
    const line = given.lines().find(({ request_id }) => request_id === 'seen-18');
    const message = 'The problem forgotten is not defined: password=hunter3';
    expect(line).toMatchObject({ level: 'error', code: 'internal_error', err: { message } });
  });

  it.each([
    [new ProducerBufferFullError('x'), 'overloaded'],
    [new LogUnavailableError('x'), 'log_unavailable'],
    [new StoreUnavailableError('x'), 'store_unavailable'],
    [new StoreDamagedError('x'), 'store_unavailable'],
    [new QueryTooExpensiveError('x'), 'query_too_expensive'],
    [new InvalidCursorError('x'), 'invalid_cursor'],
    [new TypeError('x'), 'internal_error'],
    [Object.assign(new Error('x'), { code: 'FST_SOMETHING_NEW', statusCode: 400 }), 'invalid_request'],
    [Object.assign(new Error('x'), { code: 'FST_SOMETHING_NEW', statusCode: 403 }), 'not_found'],
    [Object.assign(new Error('x'), { code: 'FST_SOMETHING_NEW', statusCode: 500 }), 'internal_error'],
    [Object.assign(new Error('x'), { statusCode: 403 }), 'internal_error'],
    ['a string', 'internal_error'],
    [undefined, 'internal_error'],
  ])('%s is %s', (error, code) => expect(problemOf(error).code).toBe(code));

  it('the problem of a damaged part says so, and names neither the part nor what ClickHouse says of it', () => {
    const { detail } = problemOf(new StoreDamagedError('The part all_1_1_0 holds a secret')).toDocument();
    expect(detail).toContain('is damaged');
    expect(detail).not.toMatch(/all_1_1_0|secret/);
  });
});

describe('request ids', () => {
  const idFor = async (given: string) =>
    (await send('GET', '/things', { headers: { 'x-request-id': given } })).headers['x-request-id'];

  it.each(['a', 'order-17.try-2', 'a b', 'x'.repeat(128)])('%s is kept', async (id) => {
    expect(await idFor(id)).toBe(id);
  });

  it.each(['', ' a', 'x'.repeat(129), 'ž', 'a\tb', 'a\u007f'])('%j is replaced', async (id) => {
    expect(await idFor(id)).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4/);
  });
});

describe('the log', () => {
  it('has one JSON object on each line, whatever clients send', async () => {
    await send('GET', '/nothing%0A{"level":"fatal"}', { headers: { 'x-request-id': 'a"}' } });
    expect(given.lines().map(({ level }) => level)).not.toContain('fatal');
  });

  it('never contains credentials', async () => {
    given.context.logger.warn({ headers: { authorization: 'Bearer trb_secret' } }, 'x');
    expect(given.logText()).not.toContain('trb_secret');
  });
});

describe('bodies', () => {
  it.each([
    ['as sent', Buffer.from('{"a":1}'), {}, 7],
    ['with a charset', Buffer.from('{"a":1}'), { 'content-type': 'application/json; charset="UTF-8"' }, 7],
    ['compressed', gzipSync('{"a":1}'), { 'content-encoding': 'gzip' }, 7],
    ['compressed by zstd', zstd('{"a":1}'), { 'content-encoding': 'ZSTD' }, 7],
    ['with a byte-order mark, which is ignored', Buffer.from('\ufeff{"a":1}'), {}, 7],
    ['as lines', Buffer.from('{}\n{}'), { 'content-type': 'application/x-ndjson' }, 5],
    ['of just 16 MiB', Buffer.alloc(16 * 1024 * 1024, ' '), {}, 16 * 1024 * 1024],
  ])('are accepted %s', async (...row) => {
    const [, body, headers, bytes] = row;
    expect((await post('/things/bytes', body, headers)).json()).toEqual({ bytes });
  });

  it.each<[string, Buffer, Record<string, string>, string]>([
    ['over 16 MiB', Buffer.alloc(16 * 1024 * 1024 + 1, ' '), {}, 'payload_too_large'],
    [
      'over 16 MiB when decompressed',
      gzipSync(Buffer.alloc(100 * 1024 * 1024)),
      { 'content-encoding': 'gzip' },
      'payload_too_large',
    ],
    ['over 16 MiB from zstd', zstdBomb(100), { 'content-encoding': 'zstd' }, 'payload_too_large'],
    ['that are not zstd', Buffer.from('{}'), { 'content-encoding': 'zstd' }, 'invalid_request'],
    ['truncated in zstd', zstd('{"a":1}').subarray(0, 15), { 'content-encoding': 'zstd' }, 'invalid_request'],
    ['that are not gzip', Buffer.from('{}'), { 'content-encoding': 'gzip' }, 'invalid_request'],
    ['truncated', gzipSync('{"a":1}').subarray(0, 20), { 'content-encoding': 'gzip' }, 'invalid_request'],
    ['with a byte-order mark of UTF-16', Buffer.from('\ufeff{}', 'utf16le'), {}, 'invalid_json'],
    ['of a byte-order mark alone', Buffer.from('\ufeff'), {}, 'invalid_json'],
    [
      'with bytes after gzip',
      Buffer.concat([gzipSync('{}'), Buffer.alloc(4), gzipSync('{}')]),
      { 'content-encoding': 'gzip' },
      'invalid_request',
    ],
    ['that are not UTF-8', Buffer.from([0x22, 0xc3, 0x28, 0x22]), {}, 'invalid_json'],
    ['with half a surrogate pair', Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]), {}, 'invalid_json'],
  ])('%s are rejected', async (...row) => {
    const [, body, headers, code] = row;
    expect(problem(await post('/things/bytes', body, headers)).code).toBe(code);
  });

  it('of definitions may begin with a byte-order mark, too', async () => {
    expect((await post('/things', '\ufeff{"name":"a"}')).json()).toEqual({ name: 'a' });
  });

  it.each([
    ['as sent', (text: string) => text, {}],
    ['compressed', (text: string) => gzipSync(text), { 'content-encoding': 'gzip' }],
  ])('over 64 KiB are rejected by a route without its own limit, %s', async (_name, body, headers) => {
    const text = (bytes: number) => JSON.stringify({ name: 'x'.repeat(bytes - 11) });
    expect((await post('/things', body(text(64 * 1024)), headers)).statusCode).toBe(201);
    const answer = await post('/things', body(text(64 * 1024 + 1)), headers);
    expect(problem(answer).code).toBe('payload_too_large');
  });

  it('with unknown fields are rejected with these and all other errors, at most a hundred', async () => {
    const pointers = async (count: number) => {
      const unknown = Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, { deep: [i] }]));
      const { errors } = problem(await post('/things', JSON.stringify({ name: 1, ...unknown })));
      return errors?.map(({ pointer }) => pointer);
    };
    expect(await pointers(2)).toEqual(['/k0', '/k1', '/name']);
    expect(await pointers(200)).toHaveLength(100);
  });

  it.each([
    ['{"name":"a","colour":1}', '/colour'],
    ['{"name":1}', '/name'],
    ['{}', '/name'],
    ['{"name":"a","parts":[{"name":"x"},{"name":2}]}', '/parts/1/name'],
    ['{"name":"a","parts":[{"name":"x","y/~":2}]}', '/parts/0/y~1~0'],
    ['{"name":"a","__proto__":{"x":1}}', '/__proto__'],
    ['{"name":"a","constructor":{"prototype":{}}}', '/constructor'],
    ['[]', ''],
    ['null', ''],
  ])('%s is rejected with a pointer to the error', async (body, pointer) => {
    expect(problem(await post('/things', body)).errors?.map((error) => error.pointer)).toEqual([pointer]);
  });

  it.each([
    ['{"name":"a","colour":1}', 'name, parts'],
    ['{"name":"a","parts":[{"name":"x","colour":2}]}', 'name'],
  ])('%s is rejected with the known fields of the object', async (body, fields) => {
    const [error] = problem(await post('/things', body)).errors ?? [];
    expect(error?.detail).toBe(`is not a known field; known fields are ${fields}`);
  });

  it('that are nested too deep are rejected before they are parsed', async () => {
    expect(problem(await post('/things', '['.repeat(60_000))).code).toBe('invalid_json');
  });
});

describe('query parameters', () => {
  it('become an instance of their class, with its defaults', async () => {
    expect((await send('GET', '/things?limit=5&tag=a&tag=b')).json()).toEqual({ limit: 5, tag: ['a', 'b'] });
    expect((await send('GET', '/things?tag=a')).json()).toEqual({ limit: 10, tag: ['a'] });
  });

  it.each([
    ['colour=red', ['colour']],
    ['__proto__=1', ['__proto__']],
    ['limit=1&limit=2', ['limit']],
    ['limit=0', ['limit']],
    ['limit=NaN', ['limit']],
    ['limit=1.5', ['limit']],
    ['limit=', ['limit']],
    ['order=sideways&limit=101', ['limit', 'order']],
  ])('%s is rejected with the names of the parameters', async (query, names) => {
    const { errors } = problem(await send('GET', `/things?${query}`));
    expect(errors?.map(({ pointer }) => pointer).sort()).toEqual(names);
  });
});
