import { describe, expect, it } from 'vitest';
import { auditStream } from '#api';
import type { KeyScope } from '#http';
import { SubscriptionGatewayFixture, path, spec, type HttpMethod } from './subscription-gateway.fixture.js';

const given = new SubscriptionGatewayFixture();

async function bearerOf(streams: string[] | undefined, scopes: KeyScope[]): Promise<string> {
  const payload = { name: 'k', scopes, ...(streams && { streams }) };
  const answer = await given.send('POST', '/api/v1/keys', { payload });
  return `Bearer ${answer.json<{ key: string }>().key}`;
}

/** What workers do. */
const consumption = (): [HttpMethod, string, object?][] => [
  ['POST', given.at('/receive'), {}],
  ['POST', given.at('/ack'), { ack: ['x'] }],
];

const changes = (): [HttpMethod, string, object?][] => [
  ['PUT', given.at(), spec],
  ['POST', given.at('/parked/replay'), { all: true }],
  ['POST', given.at('/parked/discard'), { all: true }],
  ['POST', given.at('/seek'), { to: 'now' }],
  ['POST', given.at('/pause')],
  ['POST', given.at('/resume')],
  ['DELETE', given.at()],
];

describe('access to subscriptions: a key', () => {
  it.each<KeyScope>(['definitions:read', 'events:read', 'subscriptions:consume'])(
    'with %s sees subscriptions, and cannot change them',
    async (scope) => {
      await given.put();
      const authorization = given.gateway.bearer[scope];
      for (const url of [path, given.at()]) {
        const answer = await given.send('GET', url, { authorization });
        expect(answer.statusCode, answer.body).toBe(200);
      }
      for (const [method, url, payload] of changes()) {
        const answer = await given.send(method, url, { authorization, ...(payload && { payload }) });
        expect(answer.json(), `${method} ${url}`).toMatchObject({ code: 'insufficient_scope' });
      }
    },
  );

  it('with subscriptions:consume receives and acknowledges events, and no other key does', async () => {
    await given.put();
    for (const scope of ['subscriptions:consume', 'definitions:write', 'events:read'] as const) {
      const authorization = given.gateway.bearer[scope];
      for (const [method, url, payload] of consumption()) {
        const answer = await given.send(method, url, { authorization, ...(payload && { payload }) });
        expect(answer.statusCode, answer.body).toBe(scope === 'subscriptions:consume' ? 200 : 403);
      }
    }
  });

  it('sees parked events with events:read only', async () => {
    await given.put();
    for (const scope of ['events:read', 'subscriptions:consume', 'definitions:read'] as const) {
      const authorization = given.gateway.bearer[scope];
      const answer = await given.send('GET', given.at('/parked'), { authorization });
      expect(answer.statusCode, answer.body).toBe(scope === 'events:read' ? 200 : 403);
    }
  });

  it('with none of these scopes is rejected, and the problem names them', async () => {
    const authorization = given.gateway.bearer['definitions:write'];
    const answer = await given.send('GET', path, { authorization });
    expect(answer.statusCode).toBe(403);
    expect(answer.json<{ detail: string }>().detail).toContain(
      'definitions:read or events:read or subscriptions:consume',
    );
  });

  it('with definitions:write changes subscriptions', async () => {
    const authorization = given.gateway.bearer['definitions:write'];
    const statuses: number[] = [];
    for (const [method, url, payload] of changes()) {
      const answer = await given.send(method, url, { authorization, ...(payload && { payload }) });
      statuses.push(answer.statusCode);
    }
    expect(statuses).toEqual([201, 200, 200, 204, 200, 200, 204]);
  });

  it('that does not cover every source stream gets 404, as if the subscription did not exist', async () => {
    const scopes = ['definitions:read', 'definitions:write', 'events:read', 'subscriptions:consume'] as const;
    const authorization = await bearerOf(['orders', 'mine'], [...scopes]);
    await given.put({ source: { streams: ['orders', 'refunds'] } });
    const before = given.definition;
    const reads = [given.at(), given.at('/parked')].map((url) => ['GET', url] as const);
    for (const [method, url, payload] of [...changes(), ...consumption(), ...reads]) {
      const answer = await given.send(method, url, { authorization, ...(payload && { payload }) });
      expect(answer.json(), `${method} ${url}`).toMatchObject({
        status: 404,
        code: 'subscription_not_found',
      });
      expect(answer.body).not.toContain('refunds');
    }
    expect(given.definition).toBe(before);
    expect((await given.send('GET', path, { authorization })).body).not.toContain(`"${given.name}"`);
  });

  it('cannot subscribe to a stream that it does not cover', async () => {
    const authorization = await bearerOf(['refunds'], ['definitions:write']);
    const answer = await given.send('PUT', given.at(), { authorization, payload: spec });
    expect(answer.json()).toMatchObject({
      code: 'stream_not_found',
      errors: [{ pointer: '/source/streams/0' }],
    });
    expect(given.definition).toBeUndefined();
  });

  it("needs to be an admin key to subscribe to the system's own streams", async () => {
    const payload = { source: { streams: [auditStream] } };
    const ordinary = await bearerOf(undefined, ['definitions:write']);
    const admin = await bearerOf(undefined, ['definitions:write', 'admin']);
    const codeOf = async (authorization: string) =>
      (await given.send('PUT', given.at(), { authorization, payload })).statusCode;
    expect(await codeOf(ordinary)).toBe(404);
    expect(await codeOf(admin)).toBe(201);
    expect((await given.send('GET', path, { authorization: ordinary })).body).not.toContain(
      `"${given.name}"`,
    );
  });
});
