import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { generateKey } from '#http';
import { startTestIngest, type TestIngest } from '../../core/writing/writing.fixture.js';

const { key, keyId, sha256 } = generateKey();
const azure = 'eventgrid.azure.net';
const CLOUDEVENTS_ALLOWED_ORIGINS = [azure, 'Broker.Example.com'];
const keys = { INGEST_REQUIRE_KEYS: true, API_KEYS: [`${keyId}:${sha256}:events:write`] };

let given: TestIngest;

const ask = (headers: Record<string, string>, stream = 'shop') =>
  given.app.instance.inject({ method: 'OPTIONS', url: `/api/v1/streams/${stream}/cloudevents`, headers });
const grants = ({ headers }: Awaited<ReturnType<typeof ask>>) =>
  Object.keys(headers).filter((name) => /^(webhook|access-control)-/.test(name));

describe.each([
  ['without keys', {}],
  ['with keys', keys],
])('the handshake of a CloudEvents webhook, on a port %s', (_name, config) => {
  beforeAll(async () => {
    given = await startTestIngest({ config: { ...config, CLOUDEVENTS_ALLOWED_ORIGINS } });
  });
  afterAll(() => given.close());

  it.each([azure, 'EventGrid.Azure.net', 'broker.example.com'])(
    'is granted to the origin %s',
    async (origin) => {
      const answer = await ask({ 'webhook-request-origin': origin, 'webhook-request-rate': '120' });
      expect([answer.statusCode, answer.body]).toEqual([200, '']);
      expect(answer.headers).toMatchObject({
        ...{ 'webhook-allowed-origin': origin, 'webhook-allowed-rate': '*', allow: 'POST' },
      });
    },
  );

  it.each<[string, Record<string, string>]>([
    ['another origin', { 'webhook-request-origin': 'evil.example' }],
    ['a subdomain', { 'webhook-request-origin': `x.${azure}` }],
    ['two origins', { 'webhook-request-origin': `${azure}, evil.example` }],
    ['an empty origin', { 'webhook-request-origin': '' }],
    ['no origin', {}],
  ])('is refused to %s', async (_, headers) => {
    const answer = await ask({ ...headers, 'webhook-request-callback': 'http://127.0.0.1:1/' });
    expect(answer.statusCode).toBe(405);
    expect(answer.json()).toMatchObject({
      ...{
        code: 'method_not_allowed',
        detail: expect.stringContaining('CLOUDEVENTS_ALLOWED_ORIGINS') as string,
      },
    });
    expect(grants(answer)).toEqual([]);
  });

  it('does not tell whether the stream exists, and creates none', async () => {
    await given.post('/api/v1/streams/shop/cloudevents', '{}', {
      ...{ 'ce-specversion': '1.0', 'ce-id': 'a', 'ce-source': '/s', 'ce-type': 't' },
      authorization: `Bearer ${key}`,
    });
    expect(given.definitions.stream('shop')).toBeDefined();
    const [known, unknown] = [
      await ask({ 'webhook-request-origin': azure }),
      await ask({ 'webhook-request-origin': azure }, 'nothing'),
    ];
    expect([unknown.statusCode, unknown.headers['webhook-allowed-rate']]).toEqual([known.statusCode, '*']);
    expect(given.definitions.stream('nothing')).toBeUndefined();
  });
});

describe('a delivery after the handshake', () => {
  beforeAll(async () => {
    given = await startTestIngest({ config: { ...keys, CLOUDEVENTS_ALLOWED_ORIGINS } });
  });
  afterAll(() => given.close());

  it('needs a key', async () => {
    const headers = { 'content-type': 'application/cloudevents+json', 'webhook-request-origin': azure };
    const sent = '{"specversion":"1.0","id":"a","source":"/s","type":"t"}';
    const url = '/api/v1/streams/shop/cloudevents';
    expect((await given.post(url, sent, headers)).statusCode).toBe(401);
    expect((await given.post(url, sent, { ...headers, authorization: `Bearer ${key}` })).statusCode).toBe(
      204,
    );
  });
});

it('the OpenAPI document has the handshake if it is on, without a key', async () => {
  given = await startTestIngest({ config: { CLOUDEVENTS_ALLOWED_ORIGINS }, openapi: true });
  const { paths } = (await given.app.instance.inject({ url: '/openapi.json' })).json<{
    paths: Record<string, Record<string, { security?: object[] }>>;
  }>();
  expect(paths['/api/v1/streams/{stream}/cloudevents']?.options?.security).toEqual([]);
  await given.close();
});

describe('the handshake without allowed origins', () => {
  it.each([
    ['without keys', {}, 405],
    ['with keys', keys, 401],
  ])('is off on a port %s', async (_, config, status) => {
    given = await startTestIngest({ config });
    const answer = await ask({ 'webhook-request-origin': azure });
    expect([answer.statusCode, grants(answer)]).toEqual([status, []]);
    await given.close();
  });
});

describe('a page of another site', () => {
  it('gets no permission to send a CloudEvent from the handshake', async () => {
    given = await startTestIngest({ config: { CLOUDEVENTS_ALLOWED_ORIGINS } });
    const answer = await ask({
      ...{ origin: 'https://evil.example', 'access-control-request-method': 'POST' },
      'access-control-request-headers': 'ce-specversion',
    });
    expect(answer.statusCode).toBe(403);
    expect(grants(answer)).toEqual([]);
    await given.close();
  });
});
