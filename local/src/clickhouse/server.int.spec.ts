import { request, type OutgoingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { clickHouseHeaders, testEngines } from '#testkit';

const engines = testEngines();
const { hostname, port, host } = new URL(engines.clickhouseUrl);
const proof = clickHouseHeaders(engines);

interface Asked {
  method?: string;
  path?: string;
  headers?: OutgoingHttpHeaders;
  body?: string;
}

/** Sends exactly these headers, including `Host` and `Origin`, which `fetch` does not allow. */
async function ask({ method = 'POST', path = '/', headers = {}, body = '' }: Asked): Promise<{
  status: number;
  text: string;
  headers: Record<string, unknown>;
}> {
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, method, path, headers: { host, ...headers } }, (answer) => {
      const { statusCode: status = 0, headers: received } = answer;
      text(answer).then((all) => resolve({ status, text: all, headers: received }), reject);
    });
    sent.once('error', reject);
    sent.end(body);
  });
}

describe('a web page that sends requests to the embedded ClickHouse', () => {
  const drop = { body: 'DROP DATABASE IF EXISTS nobodys', headers: { 'content-type': 'text/plain' } };

  it.each<OutgoingHttpHeaders>([
    { origin: 'https://attacker.example' },
    { origin: 'null' },
    { 'sec-fetch-site': 'cross-site' },
    { host: `attacker.example:${port}` },
  ])('given %j, then the request is refused, even with the password', async (headers) => {
    const answer = await ask({ ...drop, headers: { ...drop.headers, ...proof, ...headers } });
    expect([answer.status, answer.headers.connection]).toEqual([403, 'close']);
    expect(answer.text).toMatch(/refuses this request/);
  });

  it('given a preflight request, then nothing is allowed', async () => {
    const headers = {
      origin: 'https://attacker.example',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'x-clickhouse-key',
    };
    const answer = await ask({ method: 'OPTIONS', headers });
    expect(answer.status).toBe(403);
    expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
  });

  it('given another name that resolves to this address, then not even a ping is answered', async () => {
    expect((await ask({ method: 'GET', path: '/ping' })).status).toBe(200);
    expect((await ask({ method: 'GET', path: '/ping', headers: { host: 'attacker.example' } })).status).toBe(
      403,
    );
  });
});

describe('a query to the embedded ClickHouse', () => {
  const secretInUrl = `/?user=default&password=${engines.clickhousePassword}`;

  it.each<[string, Asked]>([
    ['no password', {}],
    ['a wrong one', { headers: { ...proof, 'x-clickhouse-key': `${engines.clickhousePassword}x` } }],
    ['another user', { headers: { ...proof, 'x-clickhouse-user': 'admin' } }],
    ['the password in the URL, which logs would store', { path: secretInUrl }],
  ])('given %s, then the query is not executed', async (_what, asked) => {
    const answer = await ask({ ...asked, body: 'SELECT 1' });
    expect([answer.status, answer.headers.connection]).toEqual([403, 'close']);
    expect(answer.text).toMatch(/^Code: 516\. DB::Exception: .* \(AUTHENTICATION_FAILED\)\n$/);
    expect(answer.text).not.toContain(engines.clickhousePassword);
  });

  it.each<[string, OutgoingHttpHeaders]>([
    ['in headers of ClickHouse', proof],
    [
      'as Authorization: Basic',
      { authorization: `Basic ${Buffer.from(`default:${engines.clickhousePassword}`).toString('base64')}` },
    ],
  ])('given the password %s, then the query is executed', async (_where, headers) => {
    expect(await ask({ headers, body: 'SELECT 1' })).toMatchObject({ status: 200, text: '1\n' });
  });

  it('given a malformed URL, then the server answers 400 and continues', async () => {
    expect((await ask({ path: '//', headers: proof })).status).toBe(400);
    expect((await ask({ headers: proof, body: 'SELECT 1' })).status).toBe(200);
  });
});
