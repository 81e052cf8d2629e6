import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { parseExpression } from '#cel';
import type { EventRow } from '#store';
import { EventStreamParser, SeededRandom, until } from '#testkit';
import { rowBatchesOf } from '../../../core/store/row-batch/row-batches-of.fixture.js';
import { eventRow } from '../../../../apps/gateway/src/gateway.fixture.js';
import type { LiveSelection } from './live-filter.js';
import { LiveClient, LiveStreamsFixture } from './live.fixture.js';

const questions: Partial<LiveSelection>[] = [
  {},
  { since: 0 },
  { streams: ['a'] },
  { streams: ['b'], since: 0 },
  { streams: ['a', 'late'].slice(0, 1), eventTypes: ['odd'] },
  { eventTypes: ['odd'], since: 0 },
  { where: parseExpression('event.data.n % 3 == 0') },
  { where: parseExpression('event.data.n % 3 == 0'), since: 0 },
  { access: { patterns: ['b', 'l*'], reserved: false }, since: 0 },
];

const isIn = (row: EventRow, { streams, eventTypes, where, access }: Partial<LiveSelection>) =>
  (!streams || streams.includes(row.stream)) &&
  (!eventTypes || eventTypes.includes(row.event_type)) &&
  (!where || (JSON.parse(row.data) as { n: number }).n % 3 === 0) &&
  (!access || row.stream !== 'a');

/**
 * Stores events like a materializer: in offset order, with some offsets without an event, and with commits that lag
 * behind.
 */
class Materializer {
  readonly written: EventRow[] = [];
  private readonly next = new Map<string, number>();
  private readonly stored = new Map<string, [stream: string, partition: number, next: number]>();

  constructor(
    private readonly world: LiveStreamsFixture,
    private readonly random: SeededRandom,
  ) {}

  async step(): Promise<void> {
    const { world, random } = this;
    const { stream, partitions } = random.pick(
      [...world.definitions.values()].filter((each) => each.stream !== 'wide'),
    );
    const partition = random.int(partitions);
    const place = `${stream}/${partition}`;
    let offset = this.next.get(place) ?? 0;
    const rows: EventRow[] = [];
    for (let i = random.int(8); i >= 0; i--) {
      offset += random.chance(0.2) ? random.int(4) : 0;
      const n = this.written.length + rows.length;
      const timestamp = 1e15 + random.int(1e9);
      const own = {
        stream,
        partition,
        offset: offset++,
        event_type: n % 2 ? 'odd' : 'even',
        data: `{"n":${n}}`,
      };
      rows.push(eventRow({ ...own, event_id: random.uuid(), timestamp }));
    }
    this.next.set(place, offset);
    await world.store.writer.appendRowBatches(rowBatchesOf(rows), random.uuid());
    this.written.push(...rows);
    this.stored.set(place, [stream, partition, offset]);
    if (random.chance(0.6)) this.commit();
  }

  commit(): void {
    for (const [stream, partition, next] of this.stored.values()) this.world.commit(stream, partition, next);
    this.stored.clear();
  }
}

describe('streams that are interrupted and resumed', () => {
  const seeds = process.env.LIVE_SEED
    ? [Number(process.env.LIVE_SEED)]
    : Array.from({ length: 12 }, () => Math.floor(Math.random() * 2 ** 31));

  const histories = seeds.flatMap((seed, i) => [{ seed, wide: i % 3 === 0 }]);

  it.each(histories)(
    'deliver every event in the order of its partition (LIVE_SEED=$seed, $wide)',
    async ({ seed, wide }) => {
      const random = new SeededRandom(seed);
      const world = new LiveStreamsFixture();
      if (wide) defineWide(world);
      world.define('a', { partitions: 3 });
      world.define('b', { partitions: 1 });
      const materializer = new Materializer(world, random);
      const socket = { bytes: 2_000, slowMs: 60_000 };
      const gateways = [1, 2].map((n) =>
        world.gateway({ socket, newTurn: anyTurn(new SeededRandom(seed + n)) }),
      );
      const clients = questions.map((question) => ({
        question,
        client: new LiveClient(() => new EventStreamParser(), question),
      }));
      const connect = (client: LiveClient) => void client.connect(random.pick(gateways));
      // Clients without `since` connect before the first event is written; clients with `since` may connect at any
      // time.
      for (const { client } of clients) connect(client);
      await until(() => clients.every(({ client }) => client.parser.lastEventId !== ''), {
        what: 'the beginnings',
      });
      for (let step = 0; step < 150; step++) {
        if (step === 60) world.define('late', { partitions: 2 });
        await materializer.step();
        for (const { client } of clients) {
          if (random.chance(0.1)) client.holding = !client.holding;
          if (!client.holding) client.take();
          if (!random.chance(0.05)) continue;
          client.cut(random.int(3_000));
          connect(client);
        }
        if (random.chance(0.5)) await sleep(random.int(4));
      }
      materializer.commit();
      for (const { client, question } of clients) {
        client.holding = false;
        const expected = materializer.written.filter((row) => isIn(row, question));
        await until(() => (client.take(), new Set(client.offsets).size >= expected.length), {
          what: JSON.stringify(question.streams ?? 'all'),
          progress: () => client.offsets.length,
        });
        const places = expected.map(({ stream, partition, offset }) => `${stream}/${partition}/${offset}`);
        const first = [...new Set(client.offsets)];
        // Only some messages have long ids.
        if (!wide) expect(client.offsets).toEqual(first);
        expect([...first].sort()).toEqual(places.sort());
        expect(first).toEqual(inLogOrder(first));
        expect(client.errors).toEqual([]);
      }
      for (const { client } of clients) client.cut();
    },
  );
});

/** Lets other work run at any time. */
const anyTurn = (random: SeededRandom) => () => ({
  over: () => random.chance(0.2),
  end: () => sleep(random.int(3)),
});

/** Defines a stream whose offsets make every id longer than a few events. */
function defineWide(world: LiveStreamsFixture): void {
  const partitions = 400;
  world.define('wide', { partitions });
  for (let partition = 0; partition < partitions; partition++) world.commit('wide', partition, 2 ** 30);
}

/** Returns the same events, with those of each partition sorted by offset. */
function inLogOrder(places: readonly string[]): string[] {
  const split = places.map(
    (place) => [place.slice(0, place.lastIndexOf('/')), Number(place.split('/')[2])] as const,
  );
  const byPlace = new Map<string, number[]>();
  for (const [place, offset] of split) byPlace.set(place, [...(byPlace.get(place) ?? []), offset]);
  for (const offsets of byPlace.values()) offsets.sort((a, b) => a - b);
  return split.map(([place]) => `${place}/${byPlace.get(place)?.shift()}`);
}
