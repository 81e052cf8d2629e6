import { afterEach, beforeEach, expect, it } from 'vitest';
import { TopicAndGroupNames } from '#event';
import { MemoryLog } from '#kafka/memory';
import {
  createFlushTopic,
  followFlushRequests,
  sendFlushRequest,
  type FlushRequest,
} from './flush-requests.js';

const names = new TopicAndGroupNames('spec.');
let log: MemoryLog;
let handled: FlushRequest[];

beforeEach(async () => {
  [log, handled] = [new MemoryLog(), []];
  await createFlushTopic(log.admin, names);
});
afterEach(() => log.close());

it('when a request is sent, every follower handles it', async () => {
  const others: FlushRequest[] = [];
  const followers = [handled, others].map((list) =>
    followFlushRequests(log, names, (request) => void list.push(request)),
  );
  await Promise.all(followers.map((follower) => follower.start()));
  const request = { group: 'spec.materializer', topic: 'spec.events.orders.1' };
  await sendFlushRequest(await log.producer(), names, request);
  await expect.poll(() => [handled, others]).toEqual([[request], [request]]);
});

it('when a record is not a request, it is ignored, and later requests are handled', async () => {
  const follower = followFlushRequests(log, names, (request) => void handled.push(request));
  await follower.start();
  const producer = await log.producer();
  for (const value of [null, '', '[]', '{"group":1,"topic":"t"}', '{"group":"g"}'])
    await producer.append([{ topic: names.flushRequests, key: 'k', value }]);
  await sendFlushRequest(producer, names, { group: 'g', topic: 't' });
  await expect.poll(() => handled).toEqual([{ group: 'g', topic: 't' }]);
});

it('when a request without an id is older than five seconds, it is ignored', async () => {
  let now = Date.now() - 60_000;
  const past = new MemoryLog({ now: () => now });
  await createFlushTopic(past.admin, names);
  const producer = await past.producer();
  await sendFlushRequest(
    producer,
    names,
    { group: 'g', topic: 'old' },
    { group: 'g', topic: 's', request: 'id' },
  );
  now = Date.now();
  await sendFlushRequest(producer, names, { group: 'g', topic: 'new' });
  await followFlushRequests(past, names, (request) => void handled.push(request)).start();
  expect(handled).toEqual([
    { group: 'g', topic: 's', request: 'id' },
    { group: 'g', topic: 'new' },
  ]);
  await past.close();
});
