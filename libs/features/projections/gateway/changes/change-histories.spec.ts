import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { ProjectionGeneration } from '#features/projections/definition';
import type { PartitionCheckpoint, KeyedStateRow } from '#store';
import { EventStreamParser, SeededRandom, until } from '#testkit';
import { ChangesClient, ChangesFixture } from './changes.fixture.js';

const places = [
  { stream: 'orders', partition: 0 },
  { stream: 'orders', partition: 3 },
  { stream: 'refunds', partition: 0 },
];
const keys = Array.from({ length: 30 }, (_, i) => `k${i}`);

/** Folds one generation like a processor: it saves rows, then progress, and repeats what a crash has left. */
class Processor {
  private readonly next = places.map(() => 0);
  private readonly saved = new Map<string, KeyedStateRow>();

  constructor(
    private readonly world: ChangesFixture,
    private readonly generation: ProjectionGeneration,
    private readonly random: SeededRandom,
  ) {}

  async step(): Promise<void> {
    const { world, random, next } = this;
    const at = random.int(places.length);
    const place = { owner: this.generation.id, ...places[at]! };
    const changed: KeyedStateRow[] = [];
    for (let i = random.int(20); i >= 0; i--) {
      const key = random.pick(keys);
      const before = this.saved.get(`${at}/${key}`);
      const position = next[at] ?? 0;
      next[at] = position + 1;
      const row = world.row(key, { ...place, position, events: (before?.events ?? 0) + 1 });
      this.saved.set(`${at}/${key}`, row);
      changed.push(row);
    }
    const { projections } = world.store;
    // A zombie processor saves its rows at any time: an older row never wins.
    await projections.save(random.chance(0.3) ? changed.slice(0, 3) : changed, []);
    await projections.save(changed, []);
    // The processor is killed before it saves progress: the next one saves the same rows, and more.
    if (random.chance(0.7)) await projections.save([], [this.progress(at)]);
  }

  async finish(): Promise<void> {
    await this.world.store.projections.save(
      [],
      places.map((_, at) => this.progress(at)),
    );
  }

  private progress(at: number): PartitionCheckpoint {
    return this.world.progress({ owner: this.generation.id, ...places[at]!, next: this.next[at]! });
  }
}

describe('streams of changes that are interrupted and resumed', () => {
  const seeds = process.env.LIVE_SEED
    ? [Number(process.env.LIVE_SEED)]
    : Array.from({ length: 10 }, () => Math.floor(Math.random() * 2 ** 31));

  it.each(seeds)('end with the same states as a read (LIVE_SEED=%i)', async (seed) => {
    const random = new SeededRandom(seed);
    const world = new ChangesFixture();
    const socket = { bytes: 500, slowMs: 60_000 };
    const gateways = [world.gateway({ socket }), world.gateway({ socket })];
    const clients = [true, true, true, false, false].map(
      (snapshot) => new ChangesClient(() => new EventStreamParser(), world, snapshot),
    );
    let processor = new Processor(world, world.serving, random);
    const connect = (client: ChangesClient) => void client.connect(random.pick(gateways));
    // Clients without `snapshot` connect before the first change; clients with `snapshot` may connect at any time.
    for (const client of clients) connect(client);
    await until(() => clients.every(({ parser }) => parser.lastEventId !== ''), { what: 'the beginnings' });
    for (let step = 0; step < 120; step++) {
      if (step === 50) {
        const former = world.serving;
        const generation = world.generation(2);
        processor = new Processor(world, generation, random);
        for (let i = 0; i < 10; i++) await processor.step();
        world.serve(generation);
        if (random.chance(0.5)) await world.store.projections.remove(former.id);
      }
      await processor.step();
      for (const client of clients) {
        if (random.chance(0.1)) client.holding = !client.holding;
        if (!client.holding) client.take();
        if (!random.chance(0.05)) continue;
        client.cut(random.int(2_000));
        connect(client);
      }
      if (random.chance(0.5)) await sleep(random.int(4));
    }
    await processor.finish();
    const states = await world.states();
    const differing = (client: ChangesClient) => () => {
      const isOther = (key: string) =>
        JSON.stringify(client.copy.get(key)) !== JSON.stringify(states.get(key));
      const other = [...new Set([...states.keys(), ...client.copy.keys()])].filter(isOther);
      return `differing: ${other.join()}; last id ${client.parser.lastEventId}; resets ${client.sent('reset').length}`;
    };
    const isCopy = (client: ChangesClient) =>
      [...states].every(([key, state]) => JSON.stringify(client.copy.get(key)) === JSON.stringify(state));
    for (const client of clients.slice(0, 3)) {
      client.holding = false;
      await until(() => (client.take(), isCopy(client)), {
        what: 'the states',
        diagnosis: differing(client),
      });
      expect(client.copy).toEqual(states);
      expect(client.errors).toEqual([]);
    }
    for (const client of clients.slice(3)) {
      client.holding = false;
      // A key that was not sent has not changed since the reset: its state is the one that was read then.
      const isTrue = () => [...client.copy].every(([key, state]) => JSON.stringify(states.get(key)) === JSON.stringify(state)); // prettier-ignore
      await until(() => (client.take(), isTrue() && client.sent('reset').length > 0), {
        what: 'the last states',
        diagnosis: differing(client),
      });
      expect(client.errors).toEqual([]);
    }
    for (const client of clients) client.cut();
  });
});
