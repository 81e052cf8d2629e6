import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { systemActor } from '#registry';
import { givenGateway, type GivenGateway } from './gateway.fixture.js';

let gateway: GivenGateway;
beforeAll(async () => {
  gateway = await givenGateway();
  await gateway.definitions.createStream({ stream: 'orders' }, systemActor);
});
afterAll(() => gateway.close());

/** Listeners of Node, of Fastify, of the stream that is sent, and one of this project. */
const listeners = 6;

it('an answer that is sent in pieces has few close listeners, because Node warns at eleven', async () => {
  const { instance } = gateway.core;
  let most = 0;
  instance.server.prependListener('request', (_, response: ServerResponse) => {
    response.on('newListener', (event) => {
      if (event === 'close') most = Math.max(most, response.listenerCount('close') + 1);
    });
  });
  const url = await instance.listen({ host: '127.0.0.1', port: 0 });
  const operators = [{ filter: 'true' }, { emit: { stream: 'out' } }];
  const answer = await fetch(`${url}/api/v1/pipelines/dry-run`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      definition: { source: { streams: ['orders'] }, operators },
      events: [{ stream: 'orders', event_type: 't', data: { text: 'x'.repeat(90_000) } }],
    }),
  });
  expect([answer.status, (await answer.text()).length > 64 * 1024]).toEqual([200, true]);
  expect(most).toBeGreaterThan(0);
  expect(most).toBeLessThanOrEqual(listeners);
});
