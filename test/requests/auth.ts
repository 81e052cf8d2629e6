import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import {
  expectProblem,
  freshStream,
  queryEvents,
  waitFor,
  writeEvent,
  type SingleWriteAnswer,
} from '../api.js';
import { rawHttp } from '../raw-http.js';
import { system } from './system.js';

const reads = [
  '/api/v1/events/query',
  '/api/v1/events/count',
  '/api/v1/streams',
  '/api/v1/entities',
  '/api/v1/dead-letters',
];
const closed = [...reads, '/health', '/health/ready', '/metrics', '/openapi.json', '/docs'];
const get = (route: string, authorization: string) =>
  system().query.get(route, { headers: { authorization } });
const changed = (key: string, at: number) =>
  key.slice(0, at) + (key[at] === 'a' ? 'b' : 'a') + key.slice(at + 1);

/** Posts this JSON with curl, to a URL whose user part is `user`. Returns the answer, and its status on the last line. */
async function curl(route: string, user: string, data: string): Promise<string> {
  const url = `${system().urls.query.replace('://', `://${user}@`)}${route}`;
  const { stdout } = await promisify(execFile)('curl', ['-s', '-w', '\\n%{http_code}', '-d', data, url]);
  return stdout;
}

describe('the query port', () => {
  it.each(closed)('requires credentials at %s', async (route) => {
    const answer = await fetch(new URL(route, system().urls.query));
    const shown = {
      status: answer.status,
      headers: Object.fromEntries(answer.headers),
      text: await answer.text(),
    };
    expectProblem({ ...shown, json: <T>() => JSON.parse(shown.text) as T }, 'unauthenticated');
    expect(answer.headers.get('www-authenticate')).toBe('Bearer realm="tributary"');
  });

  it('answers the liveness probe without credentials', async () => {
    const answer = await fetch(new URL('/health/live', system().urls.query));
    expect(answer.status).toBe(200);
  });

  it('refuses an invalid key, and never gives the reason', async () => {
    const { key, readerKey } = system();
    const otherSecret = `${readerKey.split('_').slice(0, 2).join('_')}_${key.split('_').slice(2).join('_')}`;
    const wrong = [
      changed(key, 30),
      changed(key, 6),
      key.slice(0, -1),
      `${key}x`,
      otherSecret,
      'x',
      key.toUpperCase(),
    ];
    const details = new Set<string>();
    for (const one of wrong) {
      const answer = await get(reads[0]!, `Bearer ${one}`);
      details.add(expectProblem(answer, 'invalid_token').detail);
      expect(answer.headers['www-authenticate']).toContain('error="invalid_token"');
      if (one.length > 10) expect(answer.text).not.toContain(one);
    }
    expect(details.size).toBe(1);
  });

  it('accepts keys only with the Bearer scheme, in upper or lower case', async () => {
    const { key } = system();
    expect((await get(reads[0]!, `bearer ${key}`)).status).toBe(200);
    for (const scheme of [
      `Basic ${Buffer.from(`${key}:`).toString('base64')}`,
      key,
      'Bearer',
      'Bearer ',
      `Digest ${key}`,
    ]) {
      expect((await get(reads[0]!, scheme)).status, scheme.slice(0, 10)).toBe(401);
    }
  });

  it('does not accept a key in the query string', async () => {
    const { key, urls } = system();
    for (const name of ['api_key', 'access_token', 'key', 'token']) {
      const answer = await fetch(new URL(`${reads[0]}?${name}=${key}`, urls.query));
      expect(answer.status).toBe(401);
      expect(await answer.text()).not.toContain(key);
    }
  });

  it('accepts a key as the password in the URL of a client, only where events are written', async () => {
    const { key, readerKey, core } = system();
    const stream = freshStream();
    const raw = `/api/v1/streams/${stream}/raw?event_type=t`;
    expect(await curl('/api/v1/streams', `x:${key}`, '{}')).toMatch(/"unauthenticated"[^]*\n401$/);
    expect(await curl(raw, key, '{"n":1}')).toMatch(/"unauthenticated"[^]*\n401$/);
    expect(await curl(raw, `x:${readerKey}`, '{"n":2}')).toMatch(/"insufficient_scope"[^]*\n403$/);
    const answer = await curl(raw, `x:${key}`, '{"n":3}');
    expect(answer).toMatch(/\n200$/);
    const { positions } = JSON.parse(answer.slice(0, -4)) as { positions: SingleWriteAnswer[] };
    const { events } = await queryEvents(core, { stream }, waitFor(positions, stream));
    expect(events.map(({ data }) => data)).toEqual([{ n: 3 }]);
  });

  it('refuses two Authorization headers', async () => {
    const { key, urls } = system();
    const headers = [`Authorization: Bearer ${key}`, `Authorization: Bearer ${key}`];
    const answer = await rawHttp(
      urls.query,
      ['GET /api/v1/streams HTTP/1.1', 'Host: localhost', 'Connection: close', ...headers, '', ''].join(
        '\r\n',
      ),
    );
    expect(answer.status).toBeOneOf([400, 401]);
  });

  it('answers a key without the scope with 403 and the required scope', async () => {
    const { readerKey, query } = system();
    const headers = { authorization: `Bearer ${readerKey}` };
    expect((await query.get(reads[0]!, { headers })).status).toBe(200);
    const event = { stream: freshStream(), event_type: 't', data: {} };
    for (const [route, body] of [
      ['/api/v1/events', event],
      ['/api/v1/events/batch', { events: [event] }],
    ] as const) {
      const answer = await query.post(route, body, { headers });
      expectProblem(answer, 'insufficient_scope');
      expect(answer.headers['www-authenticate']).toContain('error="insufficient_scope"');
      expect(answer.headers['www-authenticate']).toContain('events:write');
    }
    expect((await query.post('/api/v1/streams', { stream: freshStream() }, { headers })).status).toBe(403);
  });

  it('checks credentials before it reads the request', async () => {
    const answer = await system().query.post('/api/v1/events', '{', {
      headers: { authorization: 'Bearer x' },
    });
    expect(answer.status).toBe(401);
  });

  it('never logs a key', async () => {
    const { key, query, gateway } = system();
    await query.get(`${reads[0]}?key=${key}`);
    await get(reads[0]!, `Bearer ${changed(key, 30)}`);
    await get('/nowhere', `Bearer ${key}`);
    expect(gateway.log()).not.toContain(key.split('_')[2]);
  });
});

describe('the core and ingest ports', () => {
  it('need no key', async () => {
    expect((await system().core.get('/api/v1/streams')).status).toBe(200);
    await writeEvent(system().write, { stream: freshStream(), event_type: 't', data: {} });
  });
});
