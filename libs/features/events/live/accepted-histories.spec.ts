import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { encodeRecord } from '#event';
import type { Producer } from '#kafka';
import { EventStreamParser, SeededRandom, until } from '#testkit';
import { rowBatchesOf } from '../../../core/store/row-batch/row-batches-of.fixture.js';
import { eventRow } from '../../../../apps/gateway/src/gateway.fixture.js';
import { begun, eventsReceived, LiveClient, LiveStreamsFixture } from './live.fixture.js';

const partitions = 2;
const newClient = (delivery: LiveClient['delivery'] = 'accepted') =>
  new LiveClient(() => new EventStreamParser(), {}, delivery);

/** The log of one stream and a materializer, which stores the events when a spec tells it to. */
class GivenLog {
  readonly world = new LiveStreamsFixture();
  /** Positions of the events that are no repeats, as clients see them. */
  readonly events: string[] = [];
  private readonly seen = new Set<string>();
  private readonly waiting: { id: string; partition: number; offset: number }[] = [];

  private constructor(private readonly producer: Producer) {}

  static async with(stream = 'orders'): Promise<GivenLog> {
    const world = new LiveStreamsFixture();
    const given = new GivenLog(await world.log.producer());
    Object.assign(given, { world });
    world.define(stream, { partitions });
    await world.log.admin.create(given.topic, { partitions });
    return given;
  }

  get topic(): string {
    return this.world.topics.ofStream(this.world.definitions.get('orders')!.id);
  }

  /** Writes an event. Of several with one id in a partition, the first is the event. */
  async write(id: string, partition = 0): Promise<void> {
    const { event_id, event_type, timestamp, ingested_at } = eventRow({ event_id: id, offset: 0 });
    const value = encodeRecord({
      ...{ event_id, event_type, entity_id: null, timestamp, ingested_at },
      ...{ schema_version: null, metadata: '{}', data: '{"n":1}' },
    });
    const [written] = await this.producer.append([{ topic: this.topic, key: id, partition, value }]);
    const isFirst = !this.seen.has(`${partition}/${id}`);
    this.seen.add(`${partition}/${id}`);
    if (isFirst) this.events.push(`orders/${partition}/${written!.offset}`);
    this.waiting.push({ id: isFirst ? id : '', partition, offset: written!.offset });
  }

  /** Stores the oldest events that are not stored yet, and commits their offsets. */
  async store(count = Infinity): Promise<void> {
    const some = this.waiting.splice(0, Math.min(count, this.waiting.length));
    const rows = some
      .filter(({ id }) => id !== '')
      .map(({ id, partition, offset }) => eventRow({ event_id: id, partition, offset }));
    if (rows.length > 0)
      await this.world.store.writer.appendRowBatches(rowBatchesOf(rows), rows[0]!.event_id);
    for (const { partition, offset } of some) this.world.commit('orders', partition, offset + 1);
  }
}

const idOf = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

describe('accepted events', () => {
  it('are delivered while nothing is stored, in the order of the offsets and without repeats', async () => {
    const given = await GivenLog.with();
    for (const n of [0, 1]) await given.write(idOf(n));
    const live = given.world.gateway();
    const [client, stored] = [newClient(), newClient('stored')];
    void client.connect(live);
    void stored.connect(live);
    await begun(client);
    await begun(stored);
    for (const n of [1, 2, 0, 3, 3]) await given.write(idOf(n));
    await eventsReceived(client, 2);
    await sleep(20);
    expect(client.offsets).toEqual(['orders/0/3', 'orders/0/5']);
    expect(client.events.map(({ version }) => version)).toEqual([null, null]);
    expect(stored.offsets).toEqual([]);
    await given.store();
    await eventsReceived(stored, 4);
    expect(stored.events.slice(-2).map((event) => ({ ...event, version: null }))).toMatchObject(
      client.events.map(({ event_id, partition, offset }) => ({ event_id, partition, offset })),
    );
    live.close();
  });

  it('are delivered to a further client from its start on, although the events before are not stored', async () => {
    const given = await GivenLog.with();
    const live = given.world.gateway();
    const [first, second] = [newClient(), newClient()];
    void first.connect(live);
    await begun(first);
    await given.write(idOf(0));
    await eventsReceived(first, 1);
    void second.connect(live);
    await begun(second);
    await given.write(idOf(1));
    await eventsReceived(second, 1);
    expect(second.offsets).toEqual(['orders/0/1']);
    live.close();
  });

  it('are delivered after a resume once the events before them are stored', async () => {
    const given = await GivenLog.with();
    const live = given.world.gateway();
    const [client, other] = [newClient(), newClient()];
    void client.connect(live);
    void other.connect(live);
    await begun(client);
    await given.write(idOf(0));
    await eventsReceived(client, 1);
    client.cut();
    for (const n of [1, 2]) await given.write(idOf(n));
    await eventsReceived(other, 3);
    void client.connect(live);
    await sleep(100);
    for (const n of [3, 4]) await given.write(idOf(n));
    await sleep(20);
    expect(client.offsets).toHaveLength(1);
    await given.store(3);
    await eventsReceived(client, 5);
    expect(client.offsets).toEqual(given.events);
    live.close();
  });

  it('are read only while somebody follows them', async () => {
    const given = await GivenLog.with();
    const live = given.world.gateway();
    const client = newClient();
    void client.connect(live);
    await begun(client);
    client.cut();
    await until(() => client.ended, { what: 'the end of the connection' });
    await given.write(idOf(0));
    await sleep(20);
    void client.connect(live);
    await given.store();
    await eventsReceived(client, 1);
    expect(client.offsets).toEqual(given.events);
    live.close();
  });

  const seeds = process.env.LIVE_SEED
    ? [Number(process.env.LIVE_SEED)]
    : Array.from({ length: 8 }, () => Math.floor(Math.random() * 2 ** 31));

  it.each(seeds)(
    'and stored ones have no gap and no repeat for clients that resume with either (LIVE_SEED=%i)',
    async (seed) => {
      const random = new SeededRandom(seed);
      const given = await GivenLog.with();
      const socket = { bytes: 2_000, slowMs: 60_000 };
      const gateways = [1, 2].map(() => given.world.gateway({ socket }));
      const clients = Array.from({ length: 6 }, (_, n) => newClient(n % 2 ? 'accepted' : 'stored'));
      const connect = (client: LiveClient) => {
        client.delivery = random.pick(['accepted', 'stored'] as const);
        void client.connect(random.pick(gateways));
      };
      for (const client of clients) connect(client);
      await until(() => clients.every(({ parser }) => parser.lastEventId !== ''), { what: 'the beginnings' });
      let written = 0;
      for (let step = 0; step < 120; step++) {
        for (let i = random.int(6); i >= 0; i--) {
          const isRepeat = written > 0 && random.chance(0.2);
          await given.write(idOf(isRepeat ? random.int(written) : written++), random.int(partitions));
        }
        if (random.chance(0.5)) await given.store(random.int(12));
        for (const client of clients) {
          if (random.chance(0.1)) client.holding = !client.holding;
          if (!client.holding) client.take();
          if (!random.chance(0.05)) continue;
          client.cut(random.int(3_000));
          connect(client);
        }
        if (random.chance(0.5)) await sleep(random.int(4));
      }
      await given.store();
      for (const client of clients) {
        client.holding = false;
        await until(() => (client.take(), client.offsets.length >= given.events.length), {
          what: 'all events',
          progress: () => client.offsets.length,
        });
        expect(client.offsets.toSorted()).toEqual(given.events.toSorted());
        for (let partition = 0; partition < partitions; partition++) {
          const ofPartition = (one: string) => one.startsWith(`orders/${partition}/`);
          expect(client.offsets.filter(ofPartition)).toEqual(given.events.filter(ofPartition));
        }
        expect(client.errors).toEqual([]);
        client.cut();
      }
    },
  );
});
