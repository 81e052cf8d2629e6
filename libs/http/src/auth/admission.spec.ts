import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { allStreams } from '#api';
import { namePort } from '../port-name.js';
import { KeyLimits } from '../rate-limit/key-limits.js';
import { accessOf, actorOf, admit, apiKeyOf, takeEvents, type Admission } from './admission.js';
import type { ApiKey } from './key-ring.js';

const key: ApiKey = {
  keyId: 'abcdefghijkl',
  secrets: [],
  scopes: new Set(['events:read']),
  streams: ['orders', 'web.*'],
};

describe('a request', () => {
  let app: FastifyInstance;
  beforeEach(() => void (app = fastify()));
  afterEach(() => app.close());

  /** What `ask` answers of a request that was let in like this; undefined: by a port without authentication. */
  async function asked<T>(
    admission: Partial<Admission> | undefined,
    ask: (request: FastifyRequest, reply: FastifyReply) => T,
  ): Promise<T> {
    let answer: { value: T } | undefined;
    namePort(app, 'query');
    app.get('/', (request, reply) => {
      if (admission) admit(request, { reply, ...admission });
      answer = { value: ask(request, reply) };
      return {};
    });
    const { body } = await app.inject({ url: '/', headers: { 'x-request-id': 'ignored' } });
    if (!answer) throw new Error(body);
    return answer.value;
  }

  it('sees every stream where no keys are asked for', async () => {
    expect(await asked(undefined, accessOf)).toBe(allStreams);
  });

  it("sees its key's streams, and none of the system's own", async () => {
    expect(await asked({ key }, accessOf)).toEqual({ patterns: ['orders', 'web.*'], reserved: false });
  });

  it("sees the system's own streams by an admin's key", async () => {
    const admin = { ...key, streams: undefined, scopes: new Set(['admin'] as const) };
    expect(await asked({ key: admin }, accessOf)).toEqual(allStreams);
  });

  it('sees nothing on a public route of a port that asks for keys', async () => {
    expect(await asked({}, accessOf)).toEqual({ patterns: [], reserved: false });
    expect(apiKeyOf({} as FastifyRequest)).toBeUndefined();
  });

  it('is told to the audit by its key, its port and its id', async () => {
    const actor = await asked({ key }, actorOf);
    expect(actor).toEqual({
      key_id: 'abcdefghijkl',
      port: 'query',
      request_id: expect.any(String) as string,
    });
  });

  it('is told to the audit without a key where none was asked for', async () => {
    expect(await asked(undefined, actorOf)).toMatchObject({ key_id: null, port: 'query' });
  });

  it('uses up the events of its key, and its answer says how many are left', async () => {
    const limits = new KeyLimits({ eventsPerSecond: 5 });
    const headers = await asked({ key, limits }, (request, reply) => {
      takeEvents(request, 3);
      return reply.getHeaders();
    });
    expect(headers).toMatchObject({
      'ratelimit-policy': '"events";q=5;qu="events";w=1',
      ratelimit: '"events";r=2;t=1',
    });
  });

  it('may write as many events as it likes without a limit', async () => {
    expect(await asked({ key }, (request) => takeEvents(request, 1e9))).toBeUndefined();
    await app.close();
    app = fastify();
    expect(await asked(undefined, (request) => takeEvents(request, 1e9))).toBeUndefined();
  });
});
