import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { systemActor, type AuditEventContent } from '#registry';
import { generateKey } from '#http';
import { until } from '#testkit';
import { givenGateway, type GivenGateway } from '../../../apps/gateway/src/gateway.fixture.js';
import { FakeAnalystSqlRunner } from './fake-sql.fixture.js';

const sql = new FakeAnalystSqlRunner();
let gateway: GivenGateway;
const audited: AuditEventContent[] = [];
/** The text of the key, and the header with it. */
let key: string;
let authorization: string;

beforeAll(async () => {
  gateway = await givenGateway({ sql });
  const audit = gateway.definitions.audit.bind(gateway.definitions);
  gateway.definitions.audit = (entry, actor) => {
    audited.push(entry);
    return audit(entry, actor);
  };
  authorization = gateway.bearer['sql:read'];
  key = authorization.slice('Bearer '.length);
  await gateway.definitions.createStream({ stream: 'orders', partitions: 1 }, systemActor);
});
afterAll(() => gateway.close());

const post = (payload: string, headers: Record<string, string> = { authorization }, url = '/') =>
  gateway.query.instance.inject({ method: 'POST', url, headers, payload });
const get = (url: string, headers: Record<string, string> = { authorization }) =>
  gateway.query.instance.inject({ url, headers });

describe('SQL on the query port', () => {
  it('accepts GET and POST at both paths', async () => {
    expect((await get('/?query=SELECT%201')).body).toBe('SELECT 1\n');
    expect((await post('SELECT 2')).body).toBe('SELECT 2\n');
    expect((await post('2', undefined, '/clickhouse?query=SELECT')).body).toBe('SELECT\n2\n');
  });

  it('accepts a statement of any media type', async () => {
    for (const type of ['text/plain', 'application/octet-stream', 'application/x-www-form-urlencoded'])
      expect((await post('SELECT 3', { authorization, 'content-type': type })).body).toBe('SELECT 3\n');
  });

  it('answers a ping without a key', async () => {
    expect((await get('/ping', {})).body).toBe('Ok.\n');
    expect((await get('/clickhouse/ping', {})).body).toBe('Ok.\n');
  });

  it('accepts the key in the ways that ClickHouse clients send a password, but not in the URL', async () => {
    const basic = `Basic ${Buffer.from(`default:${key}`).toString('base64')}`;
    expect((await post('SELECT 1', { authorization: basic })).statusCode).toBe(200);
    const header = { 'x-clickhouse-user': 'default', 'x-clickhouse-key': key };
    expect((await post('SELECT 1', header)).statusCode).toBe(200);
    expect((await get('/?query=SELECT%201&user=default&password=')).statusCode).toBe(200);
    const events = '/api/v1/events/query?stream=orders';
    expect((await get(events, { authorization: basic })).statusCode).toBe(401);
  });

  it('refuses a key in the URL, also beside a valid header, and says where it belongs', async () => {
    const url = `/?query=SELECT%201&password=${key}`;
    for (const headers of [{}, { authorization }] as Record<string, string>[]) {
      const problem = JSON.parse((await get(url, headers)).body) as { detail: string };
      expect(problem).toMatchObject({ status: 400, errors: [{ pointer: 'password' }] });
      expect(problem.detail).toMatch(/in the URL is not accepted.*X-ClickHouse-Key/);
      expect(JSON.stringify(problem)).not.toContain(key);
    }
    expect((await post('SELECT 1', { authorization }, `/clickhouse?password=${key}`)).statusCode).toBe(400);
  });

  it('needs the scope sql:read', async () => {
    expect((await post('SELECT 1', { authorization: gateway.bearer['events:read'] })).statusCode).toBe(403);
    expect((await post('SELECT 1', {})).statusCode).toBe(401);
  });

  it('is not on the core port', async () => {
    const answer = await gateway.core.instance.inject({ url: '/clickhouse?query=SELECT%201' });
    expect(answer.statusCode).toBe(404);
  });

  it.each(['/', '/clickhouse', '/api/v1/sql'])(
    'is named as the port for SQL sent to %s of the core port',
    async (url) => {
      const answer = await gateway.core.instance.inject({ method: 'POST', url, payload: 'SELECT 1' });
      expect([404, 405]).toContain(answer.statusCode);
      expect(answer.json<{ detail: string }>().detail).toContain(
        'SQL is on the query port (3902 by default)',
      );
    },
  );

  it('passes on the known parameters, and ignores every other one', async () => {
    await post(
      'SELECT 1',
      { authorization, 'accept-encoding': 'lz4, gzip;q=1.0, zstd' },
      '/?database=default&default_format=CSV&param_a=1&readonly=0&additional_table_filters={}&role=x' +
        '&max_execution_time=5&client_protocol_version=54405&compress=1&session_id=s&query_id=mine',
    );
    expect(sql.asked.at(-1)).toMatchObject({
      text: 'SELECT 1',
      format: 'CSV',
      params: new Map([['a', '1']]),
      seconds: 5,
      transport: { client_protocol_version: '54405', compress: '1' },
      acceptEncoding: 'gzip',
      queryId: expect.stringMatching(/^[a-z0-9]{12}:mine$/) as string,
    });
  });

  it.each([
    ['1e-7', 1],
    ['0.4', 1],
    ['2.5', 3],
    ['0', undefined],
    ['-1', undefined],
  ])('takes a time limit of %s s as whole seconds, so that no limit becomes none', async (text, seconds) => {
    await post('SELECT 1', { authorization }, `/?max_execution_time=${text}`);
    expect(sql.asked.at(-1)?.seconds).toBe(seconds);
  });

  it('accepts one database only', async () => {
    const answer = await post('SELECT 1', { authorization, 'x-clickhouse-database': 'tributary' });
    expect([answer.statusCode, answer.headers['x-clickhouse-exception-code']]).toEqual([404, '81']);
  });

  it('passes on the authorization scope of the key', async () => {
    const limited = generateKey();
    await gateway.definitions.keys.change(
      limited.keyId,
      () => ({
        key_id: limited.keyId,
        name: 'analyst',
        secrets: [{ sha256: limited.sha256 }],
        scopes: ['sql:read'],
        streams: ['eu.*'],
        created_at: '2026-11-22T00:00:00Z',
      }),
      systemActor,
    );
    await post('SELECT 1', { authorization: `Bearer ${limited.key}` });
    expect(sql.asked.at(-1)).toMatchObject({
      permitted: { access: { patterns: ['eu.*'], reserved: false } },
      views: ['events'],
    });
  });

  it('lets a key that covers a stream read the views of its event types', async () => {
    const payload = { stream: 'orders', event_type: 'order.placed', schema: { type: 'object' } };
    const url = '/api/v1/schemas';
    const defined = await gateway.core.instance.inject({ method: 'POST', url, payload });
    expect(defined.statusCode, defined.body).toBe(201);
    await post('SELECT 1');
    expect(sql.asked.at(-1)?.views).toEqual(['events', 'orders__order_placed']);
  });

  it('answers a refusal in the form of ClickHouse, and records it in the audit', async () => {
    const answer = await post('refused');
    expect(answer.statusCode).toBe(403);
    expect(answer.headers['x-clickhouse-exception-code']).toBe('497');
    expect(answer.body).toBe(
      'Code: 497. DB::Exception: The function sleep is not allowed. (ACCESS_DENIED)\n',
    );
    await until(() => audited.length > 0, { what: 'the audit' });
    expect(audited).toEqual([
      expect.objectContaining({
        event_type: 'sql.refused',
        after: { reason: 'The function sleep is not allowed', statement: 'SELECT sleep(?)' },
      }),
    ]);
  });

  it('logs each statement without its literals, with the id of the key', async () => {
    const lines: unknown[] = [];
    const info = vi.spyOn(gateway.context.logger, 'info').mockImplementation((...line: unknown[]) => {
      lines.push(line);
    });
    await post("SELECT 'ann'");
    await post('SELECT refused');
    info.mockRestore();
    const key_id = key.split('_')[1];
    expect(lines).toEqual([
      [expect.objectContaining({ key_id, statement: 'SELECT ?' }), 'sql'],
      [expect.objectContaining({ key_id, refused: 'The function sleep is not allowed' }), 'sql'],
    ]);
  });

  it('runs nothing for HEAD', async () => {
    const before = sql.asked.length;
    const url = '/?query=SELECT%201';
    const answer = await gateway.query.instance.inject({ method: 'HEAD', url, headers: { authorization } });
    expect([answer.statusCode, sql.asked.length]).toEqual([200, before]);
  });

  it('has a header with a warning, if the statement may not find what it means', async () => {
    expect((await post('SELECT doubtful')).headers['x-tributary-warning']).toBe('Doubtful');
    expect((await post('SELECT 1')).headers).not.toHaveProperty('x-tributary-warning');
  });

  it('refuses a statement that is too long', async () => {
    expect((await post('x'.repeat(300 * 1024))).statusCode).toBe(413);
  });
});

describe('a key whose statements ClickHouse cannot cancel', () => {
  it('runs no others until ClickHouse has ended them', async () => {
    for (let n = 0; n < 2; n++) expect((await post('SELECT hangs')).statusCode).toBe(503);
    const before = sql.asked.length;
    const waiting = post('SELECT 1');
    for (let n = 0; n < 10; n++) await get('/ping', {});
    expect(sql.asked.length).toBe(before);
    sql.release();
    expect((await waiting).statusCode).toBe(200);
  });
});

describe('SQL without a ClickHouse user for analysts', () => {
  it('is switched off, and the answer names the setting', async () => {
    const runner = new FakeAnalystSqlRunner();
    const without = await givenGateway({ sql: runner, sqlUser: '' });
    const answer = await without.query.instance.inject({
      ...{ method: 'POST', url: '/', payload: 'SELECT 1' },
      headers: { authorization: without.bearer['sql:read'] },
    });
    expect([answer.statusCode, answer.headers['x-clickhouse-exception-code']]).toEqual([501, '48']);
    expect(answer.body).toContain('SQL_CLICKHOUSE_USER');
    expect(runner.asked).toEqual([]);
    await without.close();
  });
});
