import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemActor } from '#registry';
import { givenGateway, type GivenGateway } from '../../../apps/gateway/src/gateway.fixture.js';
import { LiveConnections } from './live/live-connections.js';
import { nowServing } from '../projections/gateway/states/serving.fixture.js';

let gateway: GivenGateway;
beforeAll(async () => {
  gateway = await givenGateway({ liveStreams: 0 });
});
afterAll(() => gateway.close());

describe('the limit of open streams of a key', () => {
  it('covers live streams of events and of changes together', async () => {
    const shared = await givenGateway({ liveStreamsPerKey: 1 });
    const post = (url: string, payload: object) =>
      shared.core.instance.inject({ method: 'POST', url: `/api/v1/${url}`, payload });
    await shared.definitions.createStream({ stream: 'orders' }, systemActor);
    await post('projections', {
      ...{ name: 'p', source: { streams: ['orders'] }, fields: { n: { op: 'count' } } },
    });
    await nowServing(shared, 'p');
    const issued = await post('keys', { name: 'k', scopes: ['events:read'] });
    const { key, key_id: keyId } = issued.json<{ key: string; key_id: string }>();
    const headers = { authorization: `Bearer ${key}` };
    void shared.nest.get(LiveConnections, { strict: false }).admit(keyId, () => new Promise(() => undefined));
    for (const url of ['/api/v1/events/stream', '/api/v1/projections/p/changes']) {
      const answer = await shared.query.instance.inject({ url, headers });
      expect(answer.json(), url).toMatchObject({ status: 429, code: 'too_many_requests' });
      expect(answer.headers['retry-after']).toBe('5');
    }
    await shared.close();
  });
});

describe('GET /api/v1/events/stream', () => {
  const url = '/api/v1/events/stream';

  it('is a route of its own, and not the event with the id "stream"', async () => {
    const answer = await gateway.core.instance.inject({ url });
    expect(answer.json()).toMatchObject({ code: 'overloaded' });
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
  });

  it('answers HEAD and ends', async () => {
    const answer = await gateway.core.instance.inject({ method: 'HEAD', url });
    expect(answer.statusCode).toBe(200);
    expect(answer.headers['content-type']).toBe('text/event-stream');
  });

  it('answers text/event-stream only', async () => {
    const headers = { accept: 'application/json' };
    const answer = await gateway.core.instance.inject({ url, headers });
    expect(answer.json()).toMatchObject({ code: 'not_acceptable' });
  });

  it('refuses a where on the version of accepted events, which have none yet', async () => {
    const where = encodeURIComponent('event.version > 1');
    const answer = await gateway.core.instance.inject({ url: `${url}?delivery=accepted&where=${where}` });
    expect(answer.json()).toMatchObject({
      ...{ status: 400, code: 'invalid_expression' },
      detail: expect.stringContaining('assigned when the event is stored') as string,
    });
    const stored = await gateway.core.instance.inject({ url: `${url}?delivery=stored&where=${where}` });
    expect(stored.json()).toMatchObject({ code: 'overloaded' });
  });
});
