import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import fastify, { type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ProblemError } from '#api';
import { generateKey } from './api-key.js';
import { apiKeyOf, takeEvents } from './authentication-result.js';
import { requireApiKeys, type AuthOptions } from './auth-hook.js';
import { type ApiKey, ConfiguredKeyRing } from './key-ring.js';

const { key, keyId, sha256 } = generateKey();
const authorization = `Bearer ${key}`;

describe('a port that requires keys', () => {
  let app: FastifyInstance;
  let refused: string[];

  beforeEach(() => {
    refused = [];
    app = fastify();
    requireApiKeys(app, {
      keyRing: new ConfiguredKeyRing([`${keyId}:${sha256}:events:read`]),
      open: ['/open-here'],
      onRefused: (code) => refused.push(code),
    });
    app.setErrorHandler((error, _request, reply) => {
      const status = error instanceof ProblemError ? error.status : 500;
      void reply.code(status).send(describeError(error));
    });
    app.get('/open', { config: { public: true } }, () => 'open');
    app.get('/open-here', { config: { scope: 'events:read' } }, () => 'open here');
    app.get('/read', { config: { scope: 'events:read' } }, (request) => apiKeyOf(request)?.keyId);
    app.post('/write', { config: { scope: 'events:write' } }, () => 'written');
  });
  afterEach(() => app.close());

  it('answers public routes without a key', async () => {
    expect((await app.inject('/open')).body).toBe('open');
    expect((await app.inject('/open-here?a=b')).body).toBe('open here');
  });

  it('passes the used key to the route', async () => {
    expect((await app.inject({ url: '/read', headers: { authorization } })).body).toBe(keyId);
  });

  it('does not accept a key in the query string', async () => {
    expect((await app.inject(`/read?access_token=${key}&api_key=${key}`)).statusCode).toBe(401);
  });

  it('rejects a key without the scope', async () => {
    const answer = await app.inject({
      method: 'POST',
      url: '/write',
      headers: { authorization },
      payload: {},
    });
    expect(answer.statusCode).toBe(403);
  });

  it('does not start with a route that declares no scope', async () => {
    const port = fastify();
    requireApiKeys(port, { keyRing: new ConfiguredKeyRing([]) });
    port.get('/forgotten', () => 'never');
    await expect(port.ready()).rejects.toThrow('Routes without a scope on a port with keys: GET /forgotten');
  });

  it('does not reveal to clients without a key which addresses exist', async () => {
    expect((await app.inject('/nowhere')).statusCode).toBe(401);
    expect((await app.inject({ url: '/nowhere', headers: { authorization } })).statusCode).toBe(404);
  });

  it('counts rejected requests by problem code', async () => {
    await app.inject('/read');
    await app.inject({ url: '/read', headers: { authorization: 'Bearer x' } });
    expect(refused).toEqual(['unauthenticated', 'invalid_token']);
  });

  it('counts a wrong key as invalid_token even if the answer is 429', async () => {
    for (let i = 0; i < 21; i++) await attempt('Bearer x');
    expect(new Set(refused)).toEqual(new Set(['invalid_token']));
    expect(refused).toHaveLength(21);
  });

  it('answers 429 to a network that keeps sending wrong keys, and still accepts its valid keys', async () => {
    for (let i = 0; i < 20; i++) expect((await attempt('Bearer x')).statusCode).toBe(401);
    const answer = await attempt('Bearer x');
    expect(answer.json()).toEqual({ code: 'too_many_requests', retryAfterSeconds: 3 });
    expect((await attempt(authorization)).statusCode).toBe(200);
    expect((await attempt('Bearer x', '192.0.2.8')).statusCode).toBe(401);
  });

  it('does not count a missing key as a failed attempt', async () => {
    for (let i = 0; i < 50; i++) expect((await app.inject('/read')).statusCode).toBe(401);
  });

  it('ignores X-Forwarded-For', async () => {
    for (let i = 0; i < 20; i++) await attempt('Bearer x', '192.0.2.7', { 'x-forwarded-for': `1.2.3.${i}` });
    expect((await attempt('Bearer x')).statusCode).toBe(429);
  });

  const attempt = (bearer: string, remoteAddress = '192.0.2.7', headers: Record<string, string> = {}) =>
    app.inject({ url: '/read', remoteAddress, headers: { authorization: bearer, ...headers } });

  it('does not read the body of a request without a key', async () => {
    let bytes = 0;
    const body = new Readable({
      read() {
        bytes += 1024;
        this.push(bytes > 1024 * 1024 ? null : Buffer.alloc(1024, 0x20));
      },
    });
    const answer = await app.inject({
      method: 'POST',
      url: '/write',
      headers: { 'content-type': 'application/json' },
      payload: body,
    });
    expect(answer.statusCode).toBe(401);
    expect(bytes).toBeLessThan(128 * 1024);
  });
});

describe('a port that requires keys, behind a proxy', () => {
  it('distinguishes clients by the address that the proxy reports', async () => {
    const app = fastify({ trustProxy: ['10.0.0.0/8'] });
    requireApiKeys(app, { keyRing: { find: () => undefined } });
    app.setErrorHandler((error, _request, reply) => void reply.send(describeError(error)));
    const attempt = async (from: string) => {
      const headers = { authorization: 'Bearer x', 'x-forwarded-for': `8.8.8.8, ${from}` };
      return (await app.inject({ url: '/', remoteAddress: '10.0.0.1', headers })).json<{ code: string }>()
        .code;
    };
    for (let i = 0; i < 20; i++) expect(await attempt('192.0.2.7')).toBe('invalid_token');
    expect(await attempt('192.0.2.7')).toBe('too_many_requests');
    expect(await attempt('192.0.2.8')).toBe('invalid_token');
    await app.close();
  });
});

describe('a key with a rate limit', () => {
  let app: FastifyInstance;
  afterEach(() => app.close());

  const limited = (
    rateLimit: ApiKey['rateLimit'],
    more: Partial<ApiKey> = {},
    options: Partial<AuthOptions> = {},
  ): void => {
    const secrets = [{ sha256: Buffer.from(sha256, 'hex') }];
    const limitedKey: ApiKey = {
      keyId,
      secrets,
      scopes: new Set(['events:write'] as const),
      rateLimit: rateLimit!,
      ...more,
    };
    app = fastify();
    requireApiKeys(app, { ...options, keyRing: { find: (id) => (id === keyId ? limitedKey : undefined) } });
    app.setErrorHandler((error, _request, reply) => {
      const problem = error as ProblemError;
      void reply
        .code(problem.status)
        .headers(problem.options.headers ?? {})
        .send(describeError(error));
    });
    const config = { scope: 'events:write' };
    app.post<{ Params: { count: string } }>('/write/:count', { config }, (request) => {
      takeEvents(request, Number(request.params.count));
      return 'written';
    });
    app.get('/read', { config: { scope: 'events:read' } }, () => 'read');
  };
  const write = (count = 1, bearer = authorization) =>
    app.inject({ method: 'POST', url: `/write/${count}`, headers: { authorization: bearer } });

  it('gets its limits and the rest in the headers of the answer', async () => {
    limited({ requestsPerSecond: 1, eventsPerSecond: 500 });
    const { headers } = await write(100);
    expect(headers['ratelimit-policy']).toBe(
      '"requests";q=1;qu="requests";w=1, "events";q=500;qu="events";w=1',
    );
    expect(headers.ratelimit).toMatch(/^"requests";r=0;t=1, "events";r=4\d\d;t=1$/);
  });

  it('is rejected if it was issued and its revocation cannot be verified any more', async () => {
    let ageMs = 1_000;
    limited({}, { issued: true }, { issuedKeys: { ageMs: () => ageMs, mostMs: 1_000 } });
    expect((await write()).statusCode).toBe(200);
    ageMs = 1_001;
    const refused = await write();
    expect(refused.statusCode).toBe(503);
    expect(refused.json()).toEqual({ code: 'log_unavailable', retryAfterSeconds: 5 });
    const wrong = await app.inject({
      method: 'POST',
      url: '/write/1',
      headers: { authorization: 'Bearer x' },
    });
    expect(wrong.statusCode).toBe(401);
  });

  it('is accepted with stale definitions if it is from the configuration', async () => {
    limited({}, {}, { issuedKeys: { ageMs: () => Infinity, mostMs: 1_000 } });
    expect((await write()).statusCode).toBe(200);
  });

  it('is rejected after too many requests, including requests that it had no scope for', async () => {
    limited({ requestsPerSecond: 2 });
    const read = () => app.inject({ url: '/read', headers: { authorization } });
    expect([(await read()).statusCode, (await read()).statusCode]).toEqual([403, 403]);
    const answer = await write();
    expect(answer.json()).toEqual({ code: 'too_many_requests', retryAfterSeconds: 1 });
    expect(answer.headers.ratelimit).toBe('"requests";r=0;t=1');
  });

  it('is rejected after too many events, but may write more than the events of a second in one request', async () => {
    limited({ eventsPerSecond: 100 });
    expect((await write(10_000)).headers.ratelimit).toMatch(/^"events";r=0;t=(99|100)$/);
    const answer = await write();
    expect(answer.json()).toMatchObject({ code: 'too_many_requests' });
    expect(answer.json<{ retryAfterSeconds: number }>().retryAfterSeconds).toBeOneOf([99, 100]);
  });

  it('is not affected by clients that only know its id', async () => {
    limited({ requestsPerSecond: 1 });
    for (let i = 0; i < 10; i++) await write(1, `Bearer ${otherSecret()}`);
    expect((await write()).statusCode).toBe(200);
  });

  it('gets no headers for limits that it does not have', async () => {
    limited({});
    const { headers } = await write();
    expect(headers).not.toHaveProperty('ratelimit');
  });
});

function describeError(error: unknown): object {
  if (!(error instanceof ProblemError)) return { code: 'unknown' };
  const { retryAfterSeconds } = error.options;
  return { code: error.code, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) };
}

/** Returns a well-formed API key with the id `keyId`, a valid checksum, and a secret that this key does not have. */
function otherSecret(): string {
  const body = `trb_${keyId}_${'x'.repeat(40)}`;
  return `${body}_${createHash('sha256').update(body).digest('hex').slice(0, 6)}`;
}
