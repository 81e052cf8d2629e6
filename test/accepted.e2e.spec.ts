import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { EventStreamClient, until } from '#testkit';
import { expectProblem, freshStream, path, queryEvents, waitFor, writeEvent, type ReadEvent } from './api.js';
import { useStack } from './use-stack.js';

const system = useStack();
const clients: EventStreamClient[] = [];
afterEach(() => {
  for (const client of clients.splice(0)) client.close();
});

type Delivery = 'stored' | 'accepted';

async function follow(stream: string, delivery?: Delivery, lastEventId?: string): Promise<EventStreamClient> {
  const url = `${system().urls.core}${path('/api/v1/events/stream', { stream, ...(delivery && { delivery }) })}`;
  const headers = { accept: 'text/event-stream', ...(lastEventId && { 'last-event-id': lastEventId }) };
  const client = await EventStreamClient.open(url, headers);
  clients.push(client);
  await until(() => client.lastEventId !== '', { what: 'the beginning of the stream' });
  return client;
}

const eventsOf = (client: EventStreamClient) =>
  client.messages.filter(({ event }) => event === 'event').map(({ data }) => JSON.parse(data) as ReadEvent);
const numbersOf = (client: EventStreamClient) => eventsOf(client).map(({ data }) => data.n as number);
const came = (client: EventStreamClient, count: number) =>
  until(() => eventsOf(client).length >= count, {
    what: `${count} events`,
    progress: () => eventsOf(client).length,
  });
const upTo = (count: number) => Array.from({ length: count }, (_, n) => n);
const sorted = (numbers: readonly number[]) => numbers.toSorted((a, b) => a - b);

/** Creates a stream, and writes events of one entity to it, whose `n` is given. */
async function created() {
  const stream = freshStream('accepted');
  await system().core.post('/api/v1/streams', { stream });
  const write = (n: number, more: object = {}) =>
    writeEvent(system().write, { stream, event_type: 't', entity_id: 'e', data: { n }, ...more });
  return { stream, write };
}

describe('accepted events', () => {
  it('are delivered before they are stored, without repeats, and without a version', async () => {
    const { stream, write } = await created();
    const event_id = randomUUID();
    await queryEvents(system().core, { stream }, waitFor([await write(0, { event_id })]));
    await system().materializer.stop();
    let isStopped = true;
    try {
      const accepted = await follow(stream, 'accepted');
      const stored = await follow(stream);
      await write(0, { event_id });
      await write(1);
      await write(1, { event_id });
      const last = await write(2);
      await came(accepted, 2);
      expect(eventsOf(accepted)).toMatchObject([
        { stream, event_type: 't', entity_id: 'e', version: null, data: { n: 1 }, schema_version: null },
        { version: null, data: { n: 2 }, offset: last.offset, partition: last.partition },
      ]);
      expect(eventsOf(stored)).toEqual([]);
      await system().materializer.restart();
      isStopped = false;
      await came(stored, 2);
      expect(eventsOf(stored).map((event) => ({ ...event, version: null }))).toEqual(eventsOf(accepted));
      expect(numbersOf(accepted)).toEqual([1, 2]);
    } finally {
      if (isStopped) await system().materializer.restart();
    }
  });

  it('are conditional ones that the log accepts, and not those that it refuses', async () => {
    const { stream, write } = await created();
    const client = await follow(stream, 'accepted');
    await write(0, { expected_version: 0 });
    const refused = { stream, event_type: 't', entity_id: 'e', data: { n: 99 }, expected_version: 0 };
    expectProblem(await system().write.post('/api/v1/events', refused), 'version_conflict');
    await write(1, { expected_version: 1 });
    await write(2);
    await came(client, 3);
    expect(numbersOf(client)).toEqual([0, 1, 2]);
  });

  it('are resumed without a gap and without a repeat, also with the other delivery', async () => {
    const { stream, write } = await created();
    const written = { count: 0, stopped: false };
    const writing = (async () => {
      while (!written.stopped) await write(written.count++, { entity_id: `e${written.count % 7}` });
    })();
    const received: number[] = [];
    let lastEventId: string | undefined;
    for (const delivery of ['accepted', 'accepted', 'stored', 'accepted', 'stored', 'accepted'] as const) {
      const client = await follow(stream, delivery, lastEventId);
      // The first connection begins with the next event.
      if (lastEventId === undefined) await until(() => written.count > 0, { what: 'an event' });
      await came(client, 30);
      client.close();
      received.push(...numbersOf(client));
      lastEventId = client.lastEventId;
    }
    written.stopped = true;
    await writing;
    const client = await follow(stream, 'accepted', lastEventId);
    const first = Math.min(...received);
    const missing = () => written.count - first - received.length;
    await came(client, missing());
    received.push(...numbersOf(client));
    expect(sorted(received)).toEqual(upTo(written.count - first).map((n) => n + first));
  });

  it('of a stream that is created later are delivered from the first one', async () => {
    const name = freshStream('later');
    const url = `${system().urls.core}/api/v1/events/stream?delivery=accepted&event_type=${name}`;
    const client = await EventStreamClient.open(url, { accept: 'text/event-stream' });
    clients.push(client);
    await until(() => client.lastEventId !== '', { what: 'the beginning of the stream' });
    await system().core.post('/api/v1/streams', { stream: name });
    for (const n of upTo(5))
      await writeEvent(system().write, { stream: name, event_type: name, data: { n } });
    await came(client, 5);
    expect(sorted(numbersOf(client))).toEqual(upTo(5));
  });
});
