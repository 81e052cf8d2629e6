import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { allStreams } from '#api';
import { namePort } from '../route-config.js';
import { KeyRateLimiter } from '../rate-limit/key-limits.js';
import {
  accessOf,
  actorOf,
  storeAuthentication,
  apiKeyOf,
  takeEvents,
  type AuthenticationResult,
} from './authentication-result.js';
import type { ApiKey } from './key-ring.js';

const key: ApiKey = {
  keyId: 'abcdefghijkl',
  secrets: [],
  scopes: new Set(['events:read']),
  streams: ['orders', 'web.*'],
};

describe('an authenticated request', () => {
  let app: FastifyInstance;
  beforeEach(() => void (app = fastify()));
  afterEach(() => app.close());

  /** Returns the result of `ask` for a request with this admission; undefined means a port without authentication. */
  async function asked<T>(
    admission: Partial<AuthenticationResult> | undefined,
    ask: (request: FastifyRequest, reply: FastifyReply) => T,
  ): Promise<T> {
    let answer: { value: T } | undefined;
    namePort(app, 'query');
    app.get('/', (request, reply) => {
      if (admission) storeAuthentication(request, { reply, ...admission });
      answer = { value: ask(request, reply) };
      return {};
    });
    const { body } = await app.inject({ url: '/', headers: { 'x-request-id': 'ignored' } });
    if (!answer) throw new Error(body);
    return answer.value;
  }

  it('may access every stream on a port without keys', async () => {
    expect(await asked(undefined, accessOf)).toBe(allStreams);
  });

  it('may access the streams of its key, and no reserved stream', async () => {
    expect(await asked({ key }, accessOf)).toEqual({ patterns: ['orders', 'web.*'], reserved: false });
  });

  it('may access reserved streams with an admin key', async () => {
    const admin = { ...key, streams: undefined, scopes: new Set(['admin'] as const) };
    expect(await asked({ key: admin }, accessOf)).toEqual(allStreams);
  });

  it('may access no stream on a public route of a port with keys', async () => {
    expect(await asked({}, accessOf)).toEqual({ patterns: [], reserved: false });
    expect(apiKeyOf({} as FastifyRequest)).toBeUndefined();
  });

  it('is recorded in the audit with its key, its port and its id', async () => {
    const actor = await asked({ key }, actorOf);
    expect(actor).toEqual({
      key_id: 'abcdefghijkl',
      port: 'query',
      request_id: expect.any(String) as string,
    });
  });

  it('is recorded in the audit without a key on a port without keys', async () => {
    expect(await asked(undefined, actorOf)).toMatchObject({ key_id: null, port: 'query' });
  });

  it('uses the event limit of its key, and its answer contains the rest', async () => {
    const limits = new KeyRateLimiter({ eventsPerSecond: 5 });
    const headers = await asked({ key, limits }, (request, reply) => {
      takeEvents(request, 3);
      return reply.getHeaders();
    });
    expect(headers).toMatchObject({
      'ratelimit-policy': '"events";q=5;qu="events";w=1',
      ratelimit: '"events";r=2;t=1',
    });
  });

  it('may write any number of events if its key has no limit', async () => {
    expect(await asked({ key }, (request) => takeEvents(request, 1e9))).toBeUndefined();
    await app.close();
    app = fastify();
    expect(await asked(undefined, (request) => takeEvents(request, 1e9))).toBeUndefined();
  });
});
