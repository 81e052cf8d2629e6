import { describe, expect, it } from 'vitest';
import { fakeFetch } from '../http/fake-fetch.fixture.js';
import { InvalidAnswerError } from '../errors/tributary-error.js';
import { Tributary } from '../tributary.js';
import { FakeSubscriptionServer } from './fake-subscription-server.fixture.js';

describe('a subscription', () => {
  it('receives events with their exact data, and settles their tokens', async () => {
    const { subscription, refusals, acknowledged } = new FakeSubscriptionServer(3);
    const received = await subscription.receive({ max: 2, wait: '1s' });
    expect(received.map(({ event }) => event.dataText)).toEqual([
      '{"n":0,"exact":1.10}',
      '{"n":1,"exact":1.10}',
    ]);
    const [first, second] = received.map(({ token }) => token) as [string, string];
    expect(await subscription.extend([second])).toEqual(['done']);
    expect(await subscription.ack([first, 'x'])).toEqual(['done', 'unknown']);
    expect(await subscription.ack([first])).toEqual(['done']);
    expect(acknowledged).toEqual([0]);
    expect(await subscription.nack(second, { park: true, reason: 'broken' })).toBe('done');
    expect(refusals).toEqual([{ n: 1, park: true, reason: 'broken' }]);
  });

  it('reads parked events with their exact data, and an erased one as null', async () => {
    const event = '{"event_id":"a","data":{"n":1.10},"metadata":{}}';
    const parked = `[{"id":"s:0:1","event":${event}},{"id":"s:0:2","event":null}]`;
    const fetch = fakeFetch(() => ({ body: `{"parked":${parked},"has_more":false,"next_cursor":null}` }));
    const { subscription } = { subscription: new Tributary({ url: 'http://t', fetch }).subscription('b') };
    const { items } = await subscription.parked({ limit: 10 }).first();
    expect(items.map(({ event }) => event?.dataText)).toEqual(['{"n":1.10}', undefined]);
    expect(fetch.seen[0]?.path).toBe('/api/v1/subscriptions/b/parked?limit=10');
  });

  it.each([
    ['all' as const, { all: true }],
    [['s:0:1'], { ids: ['s:0:1'] }],
  ])('replays and discards %j', async (ids, body) => {
    const fetch = fakeFetch(() => ({ body: { events: 1 } }));
    const subscription = new Tributary({ url: 'http://t', fetch }).subscription('b');
    expect(await subscription.replay(ids)).toEqual({ events: 1 });
    expect(await subscription.discard(ids)).toEqual({ events: 1 });
    expect(fetch.seen.map(({ text }) => JSON.parse(text) as object)).toEqual([body, body]);
  });

  it('rejects an answer without events', async () => {
    const fetch = fakeFetch(() => ({ body: '{}' }));
    const subscription = new Tributary({ url: 'http://t', fetch }).subscription('b');
    await expect(subscription.receive()).rejects.toBeInstanceOf(InvalidAnswerError);
  });
});
