import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { ProblemError } from '#api';
import { StoreUnavailableError, type EventReader } from '#store';
import { createLogger } from '#telemetry';
import { EventStreamParser, until } from '#testkit';
import { rowBatchesOf } from '../../../core/store/row-batch/row-batches-of.fixture.js';
import { eventRow } from '../../../../apps/gateway/src/gateway.fixture.js';
import type { LiveSelection } from './live-filter.js';
import { begun, eventsReceived, LiveClient, LiveStreamsFixture } from './live.fixture.js';

const newClient = (question: Partial<LiveSelection> = {}) =>
  new LiveClient(() => new EventStreamParser(), question);

/** Returns a world with the stream `orders` and this many events. */
async function given(events = 0): Promise<LiveStreamsFixture> {
  const world = new LiveStreamsFixture();
  world.define('orders');
  await store(world, 0, events);
  return world;
}

async function store(world: LiveStreamsFixture, from: number, end: number): Promise<void> {
  const rows = Array.from({ length: end - from }, (_, i) => eventRow({ offset: from + i }));
  await world.store.writer.appendRowBatches(rowBatchesOf(rows), `rows from ${from}`);
  world.commit('orders', 0, end);
}

describe('open streams', () => {
  it('start now, or with `since` at the beginning of what is stored', async () => {
    const world = await given(3);
    const live = world.gateway();
    const [now, since] = [newClient(), newClient({ since: 0 })];
    void now.connect(live);
    void since.connect(live);
    await begun(now);
    await eventsReceived(since, 3);
    await store(world, 3, 5);
    await eventsReceived(now, 2);
    await eventsReceived(since, 5);
    expect(now.offsets).toEqual(['orders/0/3', 'orders/0/4']);
    live.close();
  });

  it('deliver nothing that the materializer has not committed', async () => {
    const world = await given();
    const live = world.gateway();
    const client = newClient();
    void client.connect(live);
    await begun(client);
    await store(world, 0, 5);
    await eventsReceived(client, 5);
    world.commit('orders', 0, 5);
    await world.store.writer.appendRowBatches(rowBatchesOf([eventRow({ offset: 5 })]), 'not committed');
    await sleep(20);
    expect(client.offsets).toHaveLength(5);
    live.close();
  });

  it('share one follower: with any number of them, the log and the store are read once', async () => {
    const world = await given();
    let asked = 0;
    const { reader } = world.store;
    const inLogOrder: EventReader['inLogOrder'] = (query) => {
      asked++;
      return reader.inLogOrder(query);
    };
    const live = world.gateway({
      reader: Object.assign(Object.create(reader) as EventReader, { inLogOrder }),
    });
    const clients = Array.from({ length: 100 }, (_, i) =>
      newClient({ eventTypes: ['order.placed', `${i}`] }),
    );
    for (const client of clients) void client.connect(live);
    await Promise.all(clients.map(begun));
    await store(world, 0, 10);
    await Promise.all(clients.map((client) => eventsReceived(client, 10)));
    expect(asked).toBeLessThan(3);
    for (const client of clients) client.cut();
    await sleep(20);
    const questions = world.questions;
    await sleep(20);
    expect(world.questions).toBe(questions);
  });

  it('are limited in number', async () => {
    const live = (await given()).gateway({ maxStreams: 1 });
    const [first, second] = [newClient(), newClient()];
    void first.connect(live);
    await begun(first);
    await second.connect(live);
    expect(second.failure).toMatchObject({ code: 'overloaded', options: { retryAfterSeconds: 5 } });
    first.cut();
    await until(() => first.ended, { what: 'the end of the first' });
    void second.connect(live);
    await begun(second);
    live.close();
  });

  it('send heartbeats with their position even when no event matches', async () => {
    const world = await given();
    const live = world.gateway({ heartBeatMs: 5 });
    const client = newClient({ eventTypes: ['none'] });
    void client.connect(live);
    await begun(client);
    const beginning = client.parser.lastEventId;
    await store(world, 0, 5);
    await until(() => client.parser.lastEventId !== beginning, { what: 'a heart-beat' });
    expect(client.offsets).toEqual([]);
    live.close();
  });

  it('cannot be opened while Kafka does not answer, and wait when it fails later', async () => {
    const world = await given();
    const live = world.gateway();
    world.logFailure = new Error('no broker');
    const client = newClient();
    await client.connect(live);
    expect(client.failure).toMatchObject({ code: 'log_unavailable' });
    world.logFailure = undefined;
    void client.connect(live);
    await begun(client);
    world.logFailure = new Error('no broker');
    await store(world, 0, 5);
    await sleep(10);
    world.logFailure = undefined;
    await eventsReceived(client, 5);
    expect(client.offsets).toHaveLength(5);
    live.close();
  });

  it('wait while ClickHouse fails', async () => {
    const world = await given();
    const { reader } = world.store;
    let failures = 3;
    const inLogOrder: EventReader['inLogOrder'] = async (query) => {
      if (failures-- > 0) throw new StoreUnavailableError('down');
      return reader.inLogOrder(query);
    };
    const live = world.gateway({
      reader: Object.assign(Object.create(reader) as EventReader, { inLogOrder }),
    });
    const client = newClient();
    void client.connect(live);
    await begun(client);
    await store(world, 0, 5);
    await eventsReceived(client, 5);
    expect(client.offsets).toHaveLength(5);
    live.close();
  });

  it('log once that their history waits for ClickHouse, and once that it continues', async () => {
    const world = await given(5);
    const { reader } = world.store;
    const lines: string[] = [];
    let failures = 5;
    const inLogOrder: EventReader['inLogOrder'] = async (query) => {
      if (failures-- > 0) throw new StoreUnavailableError('down');
      return reader.inLogOrder(query);
    };
    const write = (line: string) => lines.push((JSON.parse(line) as { msg: string }).msg);
    const live = world.gateway({
      logger: createLogger({ name: 'spec', level: 'info' }, { write }),
      reader: Object.assign(Object.create(reader) as EventReader, { inLogOrder }),
    });
    const clients = ['a', 'b'].map(() => newClient({ since: 0 }));
    for (const client of clients) void client.connect(live);
    await Promise.all(clients.map((client) => eventsReceived(client, 5)));
    expect(lines).toEqual([
      'live streams cannot read from the store: trying again until it answers',
      'live streams read from the store again',
    ]);
    live.close();
  });
});

describe('streams with long ids', () => {
  /** Number of partitions, at large offsets, of a second stream that is part of every message id. */
  const partitions = 1_500;
  async function givenLong(events = 0): Promise<LiveStreamsFixture> {
    const world = new LiveStreamsFixture();
    world.define('orders');
    world.define('wide', { partitions });
    for (let partition = 0; partition < partitions; partition++) world.commit('wide', partition, 2 ** 30);
    await store(world, 0, events);
    return world;
  }

  const different = (client: LiveClient, count: number) =>
    until(() => new Set(client.offsets).size >= count, { what: `${count} events`, intervalMs: 1 });

  it('repeat at most as many characters as an id has after an interruption, and lose nothing', async () => {
    const world = await givenLong();
    const live = world.gateway();
    const client = newClient();
    void client.connect(live);
    await begun(client);
    const id = client.parser.lastEventId.length;
    expect(id).toBeGreaterThan(8_000);
    let repeated = 0;
    for (let events = 0; events < 200; events += 11) {
      await store(world, events, events + 10);
      await different(client, events + 10);
      const before = client.offsets.length;
      client.cut();
      void client.connect(live);
      await store(world, events + 10, events + 11);
      await different(client, events + 11);
      const again = client.events.slice(before, -1).map((event) => JSON.stringify(event).length);
      repeated += again.length;
      expect(again.reduce((sum, length) => sum + length, 0)).toBeLessThan(1.1 * id);
    }
    expect(repeated).toBeGreaterThan(0);
    live.close();
  });

  it('send their position when they have caught up', async () => {
    const world = await givenLong();
    const live = world.gateway();
    const [client, other] = [newClient(), newClient()];
    for (const each of [client, other]) void each.connect(live);
    await Promise.all([begun(client), begun(other)]);
    client.cut();
    await store(world, 0, 30);
    await eventsReceived(other, 30);
    void client.connect(live);
    await eventsReceived(client, 30);
    await sleep(5);
    client.cut();
    void client.connect(live);
    await store(world, 30, 31);
    await eventsReceived(client, 31);
    expect(client.offsets).toEqual(Array.from({ length: 31 }, (_, i) => `orders/0/${i}`));
    live.close();
  });
});

describe('a stream is ended, and its client gets the reason,', () => {
  it('when its key no longer permits it', async () => {
    const live = (await given()).gateway();
    const client = newClient();
    let valid = true;
    const ended = client.connect(live, () => {
      if (!valid) throw new ProblemError('invalid_token', 'revoked');
    });
    await begun(client);
    valid = false;
    await ended;
    expect(client.errors).toMatchObject([{ code: 'invalid_token', request_id: 'r' }]);
  });

  it('when a stream that it names is deleted, or deleted and created again', async () => {
    const world = await given();
    const live = world.gateway();
    const [named, all] = [newClient({ streams: ['orders'] }), newClient()];
    const ended = named.connect(live);
    void all.connect(live);
    await Promise.all([begun(named), begun(all)]);
    world.define('orders', { n: 2 });
    world.committed.clear();
    await ended;
    expect(named.errors).toMatchObject([{ code: 'stream_not_found' }]);
    await store(world, 0, 2);
    await eventsReceived(all, 2);
    expect(all.errors).toEqual([]);
    live.close();
  });

  it('when its client is too slow; the memory for it remains limited', async () => {
    const world = await given();
    const live = world.gateway({ socket: { bytes: 3_000, slowMs: 100 } });
    const client = newClient();
    client.holding = true;
    const ended = client.connect(live);
    await sleep(20);
    for (let from = 0; from < 500; from += 10) {
      await store(world, from, from + 10);
      await sleep(1);
    }
    await ended;
    client.take();
    expect(client.errors).toMatchObject([{ code: 'overloaded' }]);
    const seen = client.offsets.length;
    expect(seen).toBeLessThan(250);
    client.holding = false;
    void client.connect(live);
    await eventsReceived(client, 500);
    expect(client.offsets).toEqual(Array.from({ length: 500 }, (_, i) => `orders/0/${i}`));
    live.close();
  });

  it('when the process stops', async () => {
    const live = (await given()).gateway();
    const client = newClient();
    const ended = client.connect(live);
    await begun(client);
    live.close();
    await ended;
    expect(client.errors).toMatchObject([{ code: 'shutting_down' }]);
    expect((client.parser as EventStreamParser).retryMs).toBeGreaterThanOrEqual(1000);
    await client.connect(live);
    expect(client.failure).toMatchObject({ code: 'shutting_down' });
  });
});
