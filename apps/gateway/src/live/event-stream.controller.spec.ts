import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { givenGateway, type GivenGateway } from '../gateway.fixture.js';

let gateway: GivenGateway;
beforeAll(async () => {
  gateway = await givenGateway({ liveStreams: 0 });
});
afterAll(() => gateway.close());

describe('GET /api/v1/events/stream', () => {
  const url = '/api/v1/events/stream';

  it('is a route of its own and no event with the id "stream"', async () => {
    const answer = await gateway.core.instance.inject({ url });
    expect(answer.json()).toMatchObject({ code: 'overloaded' });
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
  });

  it('answers HEAD and ends', async () => {
    const answer = await gateway.core.instance.inject({ method: 'HEAD', url });
    expect(answer.statusCode).toBe(200);
    expect(answer.headers['content-type']).toBe('text/event-stream');
  });

  it('answers text/event-stream and nothing else', async () => {
    const headers = { accept: 'application/json' };
    const answer = await gateway.core.instance.inject({ url, headers });
    expect(answer.json()).toMatchObject({ code: 'not_acceptable' });
  });
});
