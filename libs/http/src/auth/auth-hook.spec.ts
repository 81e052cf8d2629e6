import { Readable } from 'node:stream';
import fastify, { type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ProblemError } from '#contracts';
import { generateKey } from './api-key.js';
import { apiKeyOf } from './admission.js';
import { requireApiKeys } from './auth-hook.js';
import { ConfiguredKeyRing } from './configured-key-ring.js';

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
      onRefused: (code) => refused.push(code),
    });
    app.setErrorHandler((error, _request, reply) => {
      const status = error instanceof ProblemError ? error.status : 500;
      void reply.code(status).send({ code: error instanceof ProblemError ? error.code : 'unknown' });
    });
    app.get('/open', { config: { public: true } }, () => 'open');
    app.get('/read', { config: { scope: 'events:read' } }, (request) => apiKeyOf(request)?.keyId);
    app.post('/write', { config: { scope: 'events:write' } }, () => 'written');
    app.get('/forgotten', () => 'never');
  });
  afterEach(() => app.close());

  it('answers public routes without a key', async () => {
    expect((await app.inject('/open')).body).toBe('open');
  });

  it('lets the route know the key that was used', async () => {
    expect((await app.inject({ url: '/read', headers: { authorization } })).body).toBe(keyId);
  });

  it('refuses a key in the query string', async () => {
    expect((await app.inject(`/read?access_token=${key}&api_key=${key}`)).statusCode).toBe(401);
  });

  it('refuses a key without the scope', async () => {
    const answer = await app.inject({
      method: 'POST',
      url: '/write',
      headers: { authorization },
      payload: {},
    });
    expect(answer.statusCode).toBe(403);
  });

  it('refuses a route that forgot to declare its scope', async () => {
    expect((await app.inject({ url: '/forgotten', headers: { authorization } })).statusCode).toBe(403);
  });

  it('hides which addresses exist from those without a key', async () => {
    expect((await app.inject('/nowhere')).statusCode).toBe(401);
    expect((await app.inject({ url: '/nowhere', headers: { authorization } })).statusCode).toBe(404);
  });

  it('counts what it refused', async () => {
    await app.inject('/read');
    await app.inject({ url: '/read', headers: { authorization: 'Bearer x' } });
    expect(refused).toEqual(['unauthenticated', 'invalid_token']);
  });

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
