import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { until } from '#testkit';
import { freshStream, queryEvents, waitFor, writeEvent } from './api.js';
import { useSharedStack } from './use-stack.js';

const system = useSharedStack();
const stream = freshStream('asked').replaceAll('-', '');
const secret = freshStream('hidden').replaceAll('-', '');
/** Two keys that cover the same stream. */
let [key, otherKey] = ['', ''];

beforeAll(async () => {
  const { core } = system();
  for (const name of [stream, secret]) {
    const written = await writeEvent(core, { stream: name, event_type: 't', data: { name } });
    await queryEvents(core, { stream: name, limit: '1' }, waitFor([written]));
  }
  const issue = async () => {
    const issued = await core.post('/api/v1/keys', { name: 'a', scopes: ['sql:read'], streams: [stream] });
    expect(issued.status, issued.text).toBe(201);
    return issued.json<{ key: string }>().key;
  };
  [key, otherKey] = [await issue(), await issue()];
  for (const one of [key, otherKey])
    await until(async () => (await ask('SELECT 1', { key: one })).status === 200, { what: 'the key' });
});

interface Asked {
  key?: string;
  method?: string;
  search?: string;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

function ask(body: string | Buffer | FormData | undefined, more: Asked = {}): Promise<Response> {
  const { key: password = key, method = 'POST', search = '', headers = {}, signal } = more;
  return fetch(new URL(`/${search}`, system().urls.query), {
    method,
    ...(body !== undefined && { body }),
    ...(signal && { signal }),
    headers: { 'x-clickhouse-key': password, ...headers },
  });
}

const streams = 'SELECT DISTINCT stream FROM events';

describe('a statement that ClickHouse answers with 500 although the statement is at fault', () => {
  it.each([
    ['parentheses', `SELECT ${'('.repeat(400)}1${')'.repeat(400)}`],
    ['calls', `SELECT ${'lower('.repeat(2_000)}'a'${')'.repeat(2_000)}`],
    ['lambdas', `SELECT ${'arrayMap(x -> '.repeat(200)}x${', [1])'.repeat(200)} FROM events LIMIT 1`],
    ['windows', `SELECT ${'sum(1) OVER (ORDER BY '.repeat(200)}1${')'.repeat(200)} FROM events LIMIT 1`],
  ])('is a 400: nested %s', async (_, statement) => {
    const answer = await ask(statement);
    expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining('DB::Exception')]);
  });
});

describe('a request for SQL that tries to change more than its statement', () => {
  it.each([
    'readonly=0',
    'additional_table_filters={}',
    'final=0&apply_deleted_mask=0',
    'role=admin&user=default',
    'session_id=other&session_timeout=3600',
    'log_comment=x&query_id=x',
    'max_execution_time=1e9&max_memory_usage=0',
    'allow_experimental_analyzer=0&compatibility=20.3',
    'database=default&database=',
    'param_additional_table_filters={}',
    'enable_streaming_queries=1&http_write_exception_in_output_format=1',
  ])('has only the rows of its key with the parameters %s', async (parameters) => {
    const answer = await ask(streams, { search: `?${parameters}` });
    expect([answer.status, await answer.text()]).toEqual([200, `${stream}\n`]);
  });

  it.each<Record<string, string>>([
    { 'x-clickhouse-user': 'default' },
    { 'x-clickhouse-quota': 'x' },
    { 'x-clickhouse-settings': 'readonly=0' },
    { 'x-clickhouse-setting-readonly': '0' },
    { 'x-clickhouse-role': 'admin' },
    { 'x-clickhouse-format': 'TabSeparatedRaw' },
    { 'x-clickhouse-database': 'default' },
  ])('has only the rows of its key with the headers %j', async (headers) => {
    const answer = await ask(streams, { headers });
    expect([answer.status, await answer.text()]).toEqual([200, `${stream}\n`]);
  });

  it.each(['JSONEachRowWithProgress', 'SQLInsert', 'Prometheus', '../x'])(
    'does not choose the format %j',
    async (format) => {
      const answers = [
        await ask(streams, { search: `?default_format=${format}` }),
        await ask(streams, { headers: { 'x-clickhouse-format': format } }),
      ];
      for (const answer of answers) {
        expect([answer.status, await answer.text()]).toEqual([
          404,
          expect.stringContaining('UNKNOWN_FORMAT'),
        ]);
      }
    },
  );

  it.each(['PUT', 'PATCH', 'DELETE', 'OPTIONS'])('is not accepted with the method %s', async (method) => {
    const search = `?query=${encodeURIComponent(streams)}`;
    const answer = await ask(undefined, { method, search });
    // Other methods accept no password of ClickHouse.
    expect(answer.status).toBe(401);
    expect(await answer.text()).not.toContain(`${stream}\n`);
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
  });

  it('has no tables of its own in a multipart body', async () => {
    const form = new FormData();
    form.append('t', new Blob(['secrets\n']), 't.tsv');
    form.append('t_structure', 'stream String');
    form.append('query', streams);
    const search = `?query=${encodeURIComponent('SELECT * FROM t')}&t_structure=stream+String`;
    for (const answer of [await ask(form), await ask(form, { search })]) {
      expect(answer.status).toBe(400);
      expect(await answer.text()).not.toContain('secrets');
    }
  });

  it('cannot send a body that grows when it is decompressed', async () => {
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024, ' '));
    for (const encoding of ['gzip', 'gzip, gzip', 'deflate', 'br', 'zstd'])
      expect([400, 413, 415]).toContain(
        (await ask(bomb, { headers: { 'content-encoding': encoding } })).status,
      );
    const small = await ask(gzipSync(streams), { headers: { 'content-encoding': 'gzip' } });
    expect(small.status === 200 ? await small.text() : small.status).toBeOneOf([`${stream}\n`, 415]);
  });
});

describe('two statements with one query id', () => {
  const id = `?query_id=${stream}`;
  // Numbers that do not compress: ClickHouse sends nothing before its buffer of compressed bytes is full.
  const long =
    'WITH x AS (SELECT arrayJoin(range(1000000)) AS n) SELECT cityHash64(a.n, b.n) FROM x AS a CROSS JOIN x AS b';

  it('of two keys do not end each other, and do not show each other', async () => {
    const client = new AbortController();
    const running = await ask(long, { key: otherKey, search: id, signal: client.signal });
    expect(running.status, running.ok ? '' : await running.text()).toBe(200);
    const reader = running.body!.getReader();
    expect((await reader.read()).done).toBe(false);
    const ended = new AbortController();
    const mine = await ask(long, { search: id, signal: ended.signal });
    expect(mine.status, mine.ok ? '' : await mine.text()).toBe(200);
    ended.abort();
    const list = await ask("SELECT count() FROM system.processes WHERE query_id LIKE '%'");
    expect(list.status).toBe(403);
    // The buffers of the connection hold less than this.
    for (let bytes = 0; bytes < 32 * 1024 * 1024;) {
      const read = await reader.read();
      expect(read.done).toBe(false);
      bytes += (read.value as Uint8Array).length;
    }
    client.abort();
  });
});
