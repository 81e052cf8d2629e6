import { allStreams } from '#api';
import { systemActor } from '#registry';
import { type ProjectionGeneration } from '#features/projections/definition';
import { RowsRejectedError } from '#store';
import { metricsText } from '#telemetry';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  SimulatedProjections,
  revenue,
  topics,
  ProcessorTestBed,
  type SpecEvent,
} from './processor.fixture.js';

let world: ProcessorTestBed;
let running: SimulatedProjections[];

beforeEach(async () => {
  running = [];
  world = await ProcessorTestBed.make();
});

afterEach(async () => {
  await Promise.all(running.map((one) => one.kill()));
  await world.close();
});

function start(options: ConstructorParameters<typeof SimulatedProjections>[1] = {}): SimulatedProjections {
  const one = new SimulatedProjections(world, options);
  running.push(one);
  return one;
}

const currencies = ['EUR', 'USD', 'CHF'];
const order = (id: number): SpecEvent => ({
  id,
  entity: `order-${id % 7}`,
  data: { currency: currencies[id % 3], amount: id },
});
const orders = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => order(from + i));

const eventually = (check: () => Promise<void> | void) => vi.waitFor(check, { timeout: 20_000, interval: 3 });
const through = (build: ProjectionGeneration) =>
  eventually(async () => expect(await world.isThrough(build)).toBe(true));
const serves = (name: string, build: ProjectionGeneration) =>
  eventually(() =>
    expect(world.projection(name)).toMatchObject({ serving: { id: build.id }, building: null }),
  );

async function metricOf(name: string): Promise<number> {
  const line = (await metricsText()).split('\n').find((one) => one.startsWith(name));
  return Number(line?.split(' ').at(-1) ?? 0);
}

async function expectExact(build: ProjectionGeneration): Promise<void> {
  await through(build);
  const { states, ...counted } = world.folded(build);
  expect(await world.states(build)).toEqual(states);
  expect(await world.counted(build)).toEqual(counted);
}

describe('When retention has deleted the first records of the log', () => {
  const spec = (n: number): SpecEvent => ({ ...order(n), entity: 'same' });

  it('a generation reads the deleted events from the store and then continues from the log', async () => {
    await world.write([...orders(0, 300), order(7), { id: 999, value: 'no event' }, order(299)]);
    await world.materialize();
    world.expire(0.8);
    // Two event ids repeat: the first record of one id is deleted, and the first record of the other id is still in the
    // log.
    await world.write([...orders(300, 350), order(298), order(340)]);
    const build = await world.define('revenue', world.build(revenue));
    start({ unsaved: { keys: 2, weight: 1e9 } });
    await serves('revenue', build);
    await expectExact(build);
    await world.write([...orders(350, 360), order(5)]);
    await expectExact(build);
    expect(await world.counted(build)).toEqual({ processed: 360, failed: 0 });
  });

  it('a generation is built from the store alone if the log is empty', async () => {
    await world.write(orders(0, 50));
    await world.materialize();
    world.expire(1);
    const build = await world.define('revenue', world.build(revenue));
    start();
    await serves('revenue', build);
    await expectExact(build);
    await world.write(orders(50, 60));
    await expectExact(build);
  });

  it('an event that the materializer dropped as a repetition of a deleted record is not folded either', async () => {
    const filler = (from: number) => Array.from({ length: 700 }, (_, i) => spec(from + i));
    await world.write([spec(0), ...filler(1000), spec(0)]);
    await world.materialize();
    world.expire(1);
    // The record written here is within the id window of the repetition, which is not stored, and outside the id window
    // of the first record.
    await world.write([...filler(2000), spec(0)]);
    await world.materialize();
    const build = await world.define('revenue', world.build(revenue));
    start();
    await serves('revenue', build);
    await expectExact(build);
    expect(await world.counted(build)).toEqual({ processed: 1401, failed: 0 });
  });

  it('a generation waits until the materializer has stored the deleted events', async () => {
    await world.write(orders(0, 50));
    await world.materialize();
    const group = world.log.broker.group(topics.materializerGroup);
    const place = { topic: world.topicOf('orders'), partition: 0 };
    const end = group.committedOf(place.topic).get(0)!;
    group.commit(place, 1);
    world.expire(1);
    const build = await world.define('revenue', world.build(revenue));
    start();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(world.projection('revenue')?.serving).toBeNull();
    const lost = async () => metricOf('tributary_projection_unstored_offsets_total{projection="revenue"}');
    const before = await lost();
    group.commit(place, end);
    await serves('revenue', build);
    await expectExact(build);
    expect((await lost()) - before).toBe(end - 1);
  });

  it('a projection that was paused meanwhile misses no event', async () => {
    await world.write(orders(0, 40));
    const build = await world.define('revenue', world.build(revenue));
    start();
    await serves('revenue', build);
    await world.pause('revenue', true);
    await new Promise((resolve) => setTimeout(resolve, 20));
    await world.write(orders(40, 90));
    await world.materialize();
    world.expire(0.9);
    await world.pause('revenue', false);
    await expectExact(build);
  });

  it('events that are deleted during the fold are read from the store', async () => {
    await world.write(orders(0, 4000));
    await world.materialize();
    const build = await world.define('revenue', world.build(revenue));
    const one = start({ unsaved: { keys: 1, weight: 1e9 } });
    let isGone = false;
    one.before = async () => {
      if (isGone) return;
      isGone = true;
      world.expire(0.9);
    };
    await serves('revenue', build);
    await expectExact(build);
  });

  it('erased events are not folded, neither from the log nor from the store', async () => {
    await world.write(orders(0, 70));
    await world.materialize();
    world.expire(0.5);
    world.erasures.erase('orders', 'order-3', 1000);
    const build = await world.define('revenue', world.build(revenue));
    start();
    await serves('revenue', build);
    await expectExact(build);
  });

  it('a processor that dies at any step resumes at its checkpoint', async () => {
    await world.write(orders(0, 500));
    await world.materialize();
    world.expire(0.9);
    const build = await world.define('revenue', world.build(revenue));
    for (let step = 0; step < 12; step++) {
      const one = start({ unsaved: { keys: 2, weight: 1e9 } });
      let left = step;
      one.before = () => void (left-- <= 0 && (one.dead = true));
      await new Promise((resolve) => setTimeout(resolve, 10));
      await one.kill();
    }
    start();
    await serves('revenue', build);
    await expectExact(build);
  });
});

describe('A projection', () => {
  it('folds the log, serves when it has caught up, and then folds new events', async () => {
    await world.write(orders(0, 100));
    const build = await world.define('revenue', world.build(revenue));
    start();
    await serves('revenue', build);
    await expectExact(build);
    await world.write(orders(100, 150));
    await expectExact(build);
  });

  it('serves immediately if its streams are empty', async () => {
    const build = await world.define('revenue', world.build(revenue));
    start();
    await serves('revenue', build);
    await world.write(orders(0, 10));
    await expectExact(build);
  });

  it('serves if only one of several partitions has events', async () => {
    await world.write(Array.from({ length: 5 }, (_, id) => ({ ...order(id), entity: 'one' })));
    const build = await world.define('revenue', world.build(revenue));
    start();
    await serves('revenue', build);
  });

  it('drops repeated event ids, also across a restart', async () => {
    await world.write([order(0), order(1), order(0)]);
    const build = await world.define('revenue', world.build(revenue));
    const first = start();
    await serves('revenue', build);
    await first.processor.close(5000);
    await world.write([order(1), order(7), order(0)]);
    start();
    await expectExact(build);
    expect((await world.counted(build)).processed).toBe(3);
  });

  it('folds the events of its event types for which `where` is true and the key is not null', async () => {
    const spec = {
      ...revenue,
      source: { ...revenue.source, event_types: ['a', 'b'], where: 'event.data.amount > 2' },
    };
    const build = await world.define('revenue', world.build(spec));
    start();
    await world.write([
      { ...order(1), type: 'a' },
      { ...order(3), type: 'a' },
      { ...order(4), type: 'b' },
      { ...order(5), type: 'c' },
      { id: 6, type: 'a', data: { amount: 7, currency: null } },
      { id: 8, type: 'a', data: { currency: 'EUR' } },
    ]);
    await expectExact(build);
    expect((await world.counted(build)).processed).toBe(2);
  });

  it('skips erased events and records that are not events', async () => {
    await world.write([...orders(0, 21), { id: 50, value: 'junk' }]);
    world.erasures.erase('orders', 'order-3', 1000);
    const build = await world.define('revenue', world.build(revenue));
    start();
    await expectExact(build);
    expect((await world.counted(build)).processed).toBe(18);
  });

  it('stores events that it cannot fold as dead letters and continues; other projections are not affected', async () => {
    const key = 'event.data.shop';
    const [build, other] = [
      world.build(revenue),
      world.build({ ...revenue, key, fields: { n: { op: 'count' } } }),
    ];
    await world.write([
      ...orders(0, 9),
      { id: 9, data: { currency: 'EUR', amount: 'much', shop: 's' } },
      { id: 10, data: { amount: 1, shop: 's' } },
      ...orders(11, 20),
    ]);
    await world.define('revenue', build);
    await world.define('shops', other);
    start();
    await expectExact(build);
    await expectExact(other);
    expect(await world.counted(build)).toEqual({ processed: 18, failed: 2 });
    const { items } = await world.store.reader.deadLetters({ access: allStreams, limit: 100 });
    const own = items.filter(({ source }) => source === 'projection:revenue');
    expect(own.map(({ reason, error }) => [reason, error.split(':')[0]]).sort()).toEqual([
      ['cannot_be_folded', '/fields/revenue/value'],
      ['cannot_be_folded', '/key'],
    ]);
  });

  it('that starts from now does not fold earlier events', async () => {
    await world.write(orders(0, 30));
    const ends = (await world.log.admin.offsets(world.topicOf('orders'))).map(({ end }) => end);
    const sources = {
      orders: { id: world.definitions.stream('orders')!.id, starts: ends },
    };
    const build = await world.define('revenue', world.build({ ...revenue, from: 'now' }, { sources }));
    start();
    await serves('revenue', build);
    expect(await world.states(build)).toEqual({});
    await world.write([...orders(30, 40), order(3)]);
    await eventually(async () => expect((await world.counted(build)).processed).toBe(10));
  });

  it('that starts from now does not read the earlier records of a long log', async () => {
    for (let n = 0; n < 8000; n += 1000) await world.write(orders(n, n + 1000));
    const ends = (await world.log.admin.offsets(world.topicOf('orders'))).map(({ end }) => end);
    const sources = {
      orders: { id: world.definitions.stream('orders')!.id, starts: ends },
    };
    const build = await world.define('revenue', world.build({ ...revenue, from: 'now' }, { sources }));
    start();
    await through(build);
    await world.write([...orders(8000, 8010), order(7999)]);
    await eventually(async () => expect((await world.counted(build)).processed).toBe(10));
  });

  it('resumes at its saved progress if the committed offset is lost', async () => {
    await world.write(orders(0, 30));
    const build = await world.define('revenue', world.build(revenue));
    const first = start();
    await serves('revenue', build);
    await first.processor.close(5000);
    const group = world.log.broker.group(topics.projectionGroup(build.id));
    for (const partition of [0, 1]) group.commit({ topic: world.topicOf('orders'), partition }, 0);
    start();
    await expectExact(build);
  });

  it('is folded again if the store has lost its states', async () => {
    await world.write([...orders(0, 30), order(3)]);
    const build = await world.define('revenue', world.build(revenue));
    const first = start();
    await serves('revenue', build);
    await first.processor.close(5000);
    await world.store.projections.remove(build.id);
    await world.write(orders(30, 40));
    start();
    await eventually(async () => expect((await world.counted(build)).processed).toBe(40));
    await expectExact(build);
  });

  it('is not folded while it is paused, and resumes at its last offset', async () => {
    const build = await world.define('revenue', world.build(revenue));
    start();
    await serves('revenue', build);
    await world.write(orders(0, 10));
    await expectExact(build);
    await world.pause('revenue', true);
    await new Promise((resolve) => setTimeout(resolve, 20));
    await world.write(orders(10, 20));
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect((await world.counted(build)).processed).toBe(10);
    await world.pause('revenue', false);
    await expectExact(build);
  });

  it('is rebuilt beside the serving generation, and then replaces it', async () => {
    await world.write(orders(0, 50));
    const first = await world.define('revenue', world.build(revenue));
    start();
    await serves('revenue', first);
    const spec = { ...revenue, fields: { most: { op: 'max', value: 'event.data.amount' } } };
    const second = await world.define('revenue', world.build(spec, { version: 2 }));
    await serves('revenue', second);
    await expectExact(second);
    await world.write(orders(50, 60));
    await expectExact(second);
    expect((await world.counted(first)).processed).toBe(50);
  });

  it('reports why it cannot run, and other projections continue', async () => {
    const [broken, build] = [
      world.build({ ...revenue, fields: { x: { op: 'conjure' } } }),
      world.build(revenue),
    ];
    await world.define('broken', broken);
    await world.define('revenue', build);
    start();
    await serves('revenue', build);
    await eventually(() => expect(world.projection('broken')?.failure).toContain('/fields/x'));
  });

  describe('given a log that loses records that it has processed', () => {
    const loseEnd = () => {
      const topic = world.log.topics.get(world.topicOf('orders'))!;
      for (const partition of topic.partitions.keys()) topic.loseEnd(partition, 1);
    };
    const failed = () =>
      eventually(() =>
        expect(world.projection('revenue')?.failure).toMatch(
          /^Kafka has lost records of partition \d of the stream orders/,
        ),
      );
    let build: ProjectionGeneration;

    beforeEach(async () => {
      await world.write(orders(0, 20));
      build = await world.define('revenue', world.build(revenue));
    });

    it('when others get their offsets while it runs, it fails and says what was lost', async () => {
      start();
      await serves('revenue', build);
      await expectExact(build);
      loseEnd();
      await world.write(orders(20, 50));
      await failed();
    });

    it('when others get their offsets before it is started again, it fails and says what was lost', async () => {
      const one = start();
      await serves('revenue', build);
      await expectExact(build);
      await one.processor.close(5000);
      loseEnd();
      await world.write(orders(20, 50));
      start();
      await failed();
    });

    it('when its committed offsets are lost too while it does not run, it fails and says what was lost', async () => {
      const one = start();
      await serves('revenue', build);
      await expectExact(build);
      await one.processor.close(5000);
      loseEnd();
      expect(await world.log.admin.removeGroup(topics.projectionGroup(build.id))).toBe(true);
      await world.write(orders(20, 50));
      start();
      await failed();
    });

    it('when nothing is lost but its committed offsets, it goes on', async () => {
      const one = start();
      await serves('revenue', build);
      await expectExact(build);
      await one.processor.close(5000);
      expect(await world.log.admin.removeGroup(topics.projectionGroup(build.id))).toBe(true);
      await world.write(orders(20, 50));
      start();
      await expectExact(build);
    });

    it('when it is reset, it counts the events that the log has', async () => {
      start();
      await serves('revenue', build);
      loseEnd();
      await world.write(orders(20, 50));
      await failed();
      const again = await world.define('revenue', world.build(revenue));
      await serves('revenue', again);
      await expectExact(again);
    });
  });

  it('does not fail if it is paused between the failure and its report', async () => {
    await world.define('broken', world.build({ ...revenue, fields: { x: { op: 'conjure' } } }));
    const { projections } = world.definitions;
    const change = projections.change.bind(projections);
    let reports = 0;
    vi.spyOn(projections, 'change').mockImplementationOnce(async (...report) => {
      await change('broken', (current) => current && { ...current, paused: true }, systemActor);
      const reported = await change(...report);
      reports++;
      return reported;
    });
    start();
    await eventually(() => expect(reports).toBe(1));
    expect(world.projection('broken')).toMatchObject({ paused: true, failure: null });
  });

  it('does not read a recreated stream', async () => {
    await world.write(orders(0, 10));
    const build = await world.define('revenue', world.build(revenue));
    start();
    await serves('revenue', build);
    await world.definitions.deleteStream('orders', async () => undefined, systemActor);
    await world.definitions.createStream({ stream: 'orders', partitions: 2 }, systemActor);
    await world.write(orders(10, 30));
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect((await world.counted(build)).processed).toBe(10);
  });

  it('can have more keys than the cache', async () => {
    const build = await world.define('entities', world.build({ ...revenue, key: 'event.entity_id' }));
    start({ cache: { keys: 10, weight: 1e9 }, unsaved: { keys: 5, weight: 1e9 } });
    for (let n = 0; n < 1000; n += 50)
      await world.write(orders(n, n + 50).map((one) => ({ ...one, entity: `e-${(one.id * 7) % 100}` })));
    await expectExact(build);
  });

  it('is built together with at most one other projection, oldest first', async () => {
    await world.write(orders(0, 10));
    let free: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (free = resolve));
    const builds = [1, 2, 3].map(() => world.build(revenue));
    for (const [i, build] of builds.entries()) await world.define(`p${i}`, build);
    const one = start();
    one.before = (step) => (step === 'commit' ? held : undefined);
    await eventually(async () => expect((await world.counted(builds[1]!)).processed).toBe(10));
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect((await world.counted(builds[2]!)).processed).toBe(0);
    free();
    for (const [i, build] of builds.entries()) await serves(`p${i}`, build);
  });
});

describe('When the store is unreachable, a projection', () => {
  it('waits, loses no event, and continues', async () => {
    const build = await world.define('revenue', world.build(revenue));
    const one = start();
    await serves('revenue', build);
    one.storeIsAway = true;
    await world.write(orders(0, 20));
    await eventually(() => expect(one.processor.complaint).toContain('away'));
    await world.write(orders(20, 40));
    expect((await world.counted(build)).processed).toBe(0);
    one.storeIsAway = false;
    await expectExact(build);
    expect(one.failures).toEqual([]);
  });

  it('stops within its time limit, and reads the unsaved events again', async () => {
    const build = await world.define('revenue', world.build(revenue));
    const one = start();
    await serves('revenue', build);
    one.storeIsAway = true;
    await world.write(orders(0, 20));
    await eventually(() => expect(one.processor.complaint).toContain('away'));
    await one.processor.close(20);
    start();
    await expectExact(build);
  });
});

it('the processor fails when the store rejects a state, because no state may be lost', async () => {
  const build = await world.define('revenue', world.build(revenue));
  const one = start();
  await serves('revenue', build);
  one.before = (step) => {
    if (step === 'rows') throw new RowsRejectedError('cannot be stored');
  };
  await world.write(orders(0, 20));
  await eventually(() => expect(one.failures).toMatchObject([{ name: 'RowsRejectedError' }]));
  expect(await world.isThrough(build)).toBe(false);
});

it('the processor saves its folded states when it stops', async () => {
  const build = await world.define('revenue', world.build(revenue));
  const one = start({ saveIntervalMs: 60_000 });
  await serves('revenue', build);
  await world.write(orders(0, 5));
  await eventually(() => expect(one.steps).toContain('commit'));
  await world.write(orders(5, 20));
  await new Promise((resolve) => setTimeout(resolve, 20));
  await one.processor.close(5000);
  await expectExact(build);
});

describe('When the processor is killed', () => {
  it.each(['letters', 'load', 'rows', 'progress', 'saved', 'commit'] as const)(
    'before the step %s, in its first round or a later one, states and counts are exact',
    async (deadly) => {
      const poison: SpecEvent = { id: 1000, data: { currency: 'EUR', amount: 'much' } };
      await world.write([...orders(0, 20), poison]);
      const build = await world.define('revenue', world.build(revenue));
      for (let round = 1; round <= 4; round++) {
        const one = start();
        let met = 0;
        one.before = (step) => {
          if (step === deadly && ++met === round) one.dead = true;
        };
        await world.write([
          ...orders(round * 20, round * 20 + 20),
          { ...poison, id: 1000 + round },
          order(3),
        ]);
        await Promise.race([
          eventually(() => expect(one.dead).toBe(true)).catch(() => undefined),
          through(build),
        ]);
        await one.kill();
      }
      start();
      await expectExact(build);
      const { total } = await world.store.reader.deadLetters({ access: allStreams, limit: 1 });
      expect(total).toBe(5);
    },
  );
});

describe('Given two processors', () => {
  it('they share the partitions, and lose no event while one joins and leaves', async () => {
    const build = await world.define('revenue', world.build(revenue));
    start();
    for (let round = 0; round < 6; round++) {
      await world.write(orders(round * 30, round * 30 + 15));
      const other = start();
      await world.write(orders(round * 30 + 15, round * 30 + 30));
      await new Promise((resolve) => setTimeout(resolve, round * 2));
      if (round % 2) await other.kill();
      else await other.processor.close(5000);
    }
    await expectExact(build);
  });

  it('a zombie that saves late does not change the states', async () => {
    const build = await world.define('revenue', world.build(revenue));
    const zombie = start();
    await serves('revenue', build);
    await world.write(orders(0, 10));
    await expectExact(build);
    let wake: () => void = () => undefined;
    const asleep = new Promise<void>((resolve) => (wake = resolve));
    zombie.before = (step) => (step === 'rows' ? asleep : undefined);
    await world.write(orders(10, 20));
    await eventually(() => expect(zombie.steps.at(-1)).toBe('rows'));
    // The consumer group has fenced this member, but the member does not know of the fencing yet.
    const leaving = zombie.processor.close(0);
    start();
    await world.write(orders(20, 40));
    await expectExact(build);
    wake();
    await leaving;
    await new Promise((resolve) => setTimeout(resolve, 10));
    await expectExact(build);
    await world.write(orders(40, 50));
    await expectExact(build);
  });
});
