import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { systemActor } from '#registry';
import type { OperatorJson, PipelineSpec } from '#features/pipelines/computation';
import {
  SimulatedPipelines,
  PipelineTestBed,
  topics,
  type SpecEvent,
  type PipelineCrashPoint,
} from '../pipelines.fixture.js';

let world: PipelineTestBed;
let running: SimulatedPipelines[];

beforeEach(async () => {
  running = [];
  world = await PipelineTestBed.make();
});
afterEach(async () => {
  await Promise.all(running.map((one) => one.kill()));
  expect(running.flatMap(({ failures }) => failures)).toEqual([]);
  await world.close();
});

function start(): SimulatedPipelines {
  const one = new SimulatedPipelines(world);
  running.push(one);
  return one;
}

const spec = (...operators: OperatorJson[]): PipelineSpec => ({
  source: { streams: ['orders'] },
  operators,
  from: 'beginning',
});
const emit = (stream: string): OperatorJson => ({ emit: { stream } });
const map = (n: string): OperatorJson => ({ map: { data: { n } } });
const [adding, anyText] = [map('event.data.item + 0'), map('string(event.data.item)')];
/**
 * Returns a pipeline that emits all elements of a list to `seen`, maps each element, and emits the results to `out`.
 */
const perItem = (mapping: OperatorJson) =>
  spec({ flat_map: { list: 'event.data.items', as: 'item' } }, emit('seen'), mapping, emit('out'));
const order = (id: number, items: unknown[], more: Partial<SpecEvent> = {}): SpecEvent => ({
  ...{ id, at: id, entity: `e-${id}`, data: { items } },
  ...more,
});

const eventually = (check: () => Promise<void> | void) => vi.waitFor(check, { timeout: 10_000, interval: 3 });
const through = () => eventually(async () => expect(await world.isThrough('p')).toBe(true));
const replayed = () => eventually(async () => expect(await world.isReplayed('p')).toBe(true));
const toReplay = () => world.letters({ replayed: false });
const outOf = (stream: string) => (world.datas(stream) as { n: unknown }[]).map(({ n }) => n);

/** Writes the events `order(0, [1, 'a', 'b'])` and `order(1, ['c'])`, and resolves with their dead letters. */
async function givenLetters(): Promise<SimulatedPipelines> {
  await world.write([order(0, [1, 'a', 'b']), order(1, ['c'])]);
  await world.define('p', perItem(adding));
  const one = start();
  await through();
  return one;
}

describe('A replayed dead letter', () => {
  it('continues at its operator in the current definition, and nothing else is emitted again', async () => {
    await givenLetters();
    const letters = await toReplay();
    expect(
      letters.map(({ offset, step }) => [offset, step?.operator, step?.path, step?.replay]),
    ).toHaveLength(3);
    expect(letters.every(({ step }) => step?.operator === '/operators/2/map')).toBe(true);
    await world.define('p', perItem(anyText));
    await world.replay('p', letters);
    await replayed();
    expect(outOf('out')).toEqual(['a', 'b', 'c', 1]);
    expect(world.emitted('seen')).toHaveLength(4);
    expect(await toReplay()).toEqual([]);
    expect(await world.counted('p')).toEqual({ processed: 2, emitted: 8, dropped: 0, late: 0, failed: 3 });
    expect(await world.steps('p')).toEqual({
      '/operators/0/flat_map': '2 4 0 0 0',
      '/operators/1/emit': '4 4 0 0 0',
      '/operators/2/map': '7 4 0 0 3',
      '/operators/3/emit': '4 4 0 0 0',
    });
  });

  it('is emitted once for any number of replays, with the id that it would have had', async () => {
    const one = await givenLetters();
    const letters = await world.letters();
    await world.define('p', perItem(anyText));
    await world.replay('p', [...letters, ...letters]);
    await replayed();
    await one.pipelines.close(1000);
    start();
    await world.replay('p', letters);
    await replayed();
    const records = world.log.topics.get(world.topicOf('out'))!.partitions.flatMap((one) => one.records);
    expect(records).toHaveLength(4);

    const undisturbed = await PipelineTestBed.make();
    await undisturbed.write([order(0, [1, 'a', 'b']), order(1, ['c'])]);
    await undisturbed.define('p', perItem(anyText));
    const other = new SimulatedPipelines(undisturbed);
    await eventually(async () => expect(await undisturbed.isThrough('p')).toBe(true));
    const idsOf = (one: PipelineTestBed) => one.emitted('out').map(({ event_id }) => event_id);
    expect(idsOf(world).sort()).toEqual(idsOf(undisturbed).sort());
    await other.kill();
    await undisturbed.close();
  });

  it('that fails again becomes a new dead letter, which is not marked as replayed and can be replayed', async () => {
    await givenLetters();
    await world.replay('p', await toReplay());
    await replayed();
    const again = await toReplay();
    expect(again.map(({ step }) => step?.replay).sort()).toEqual([1, 2, 3]);
    expect(await world.letters()).toHaveLength(6);
    await world.define('p', perItem(anyText));
    await world.replay('p', again);
    await replayed();
    expect(outOf('out')).toEqual(['a', 'b', 'c', 1]);
    expect(await world.counted('p')).toMatchObject({ processed: 2, failed: 6 });
  });

  it('waits while the pipeline is paused', async () => {
    await givenLetters();
    await world.change('p', { paused: true });
    await eventually(() => expect([...running[0]!.pipelines.partitions()]).toEqual([]));
    await world.replay('p', await toReplay());
    await world.define('p', perItem(anyText));
    await world.change('p', { paused: false });
    await replayed();
    expect(outOf('out')).toEqual(['a', 'b', 'c', 1]);
  });

  it('waits for the version of the definition at which it was requested', async () => {
    await givenLetters();
    await world.replay('p', await toReplay(), 1);
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(await world.isReplayed('p')).toBe(false);
    await world.define('p', perItem(anyText));
    await replayed();
    expect(outOf('out')).toEqual(['a', 'b', 'c', 1]);
  });

  it('is skipped when its entity was erased meanwhile', async () => {
    await givenLetters();
    await world.define('p', perItem(anyText));
    world.erasures.erase('orders', 'e-0', 1000);
    await world.replay('p', await toReplay());
    await replayed();
    expect(outOf('out')).toEqual(['c', 1]);
  });

  it('becomes a dead letter again, with a reason, when its operator was removed meanwhile', async () => {
    await givenLetters();
    await world.define('p', spec(emit('seen')));
    await world.replay('p', await toReplay());
    await replayed();
    const again = await toReplay();
    expect(again).toHaveLength(3);
    expect(again[0]).toMatchObject({
      reason: 'operator_failed',
      error: '/operators/2/map: the definition no longer has this operator',
    });
  });

  it('that cannot be read does not stop the job', async () => {
    await givenLetters();
    const topic = topics.pipelineReplayTopic(world.pipeline('p')!.run.id);
    const [letter] = await toReplay();
    await world.producer.append([{ topic, key: 'k', value: 'hello' }]);
    await world.replay('p', [{ ...letter!, event: 'hello' }]);
    await replayed();
    const unreadable = (await world.letters()).filter(({ reason }) => reason === 'unreadable');
    expect(unreadable.map(({ step }) => step?.operator)).toEqual(['', '']);
  });

  it.each<PipelineCrashPoint>(['append', 'appended', 'letters', 'save', 'saved', 'commit'])(
    'is emitted once when the process dies at the step %s',
    async (step) => {
      const one = await givenLetters();
      const letters = await toReplay();
      const half = map('event.data.item != "b" ? string(event.data.item) : event.data.none');
      await world.define('p', perItem(half));
      one.before = (at) => void (at === step && (one.dead = true));
      await world.replay('p', letters);
      await eventually(() => expect(one.dead).toBe(true));
      await one.kill();
      start();
      await replayed();
      expect(outOf('out')).toEqual(['a', 'c', 1]);
      expect(await toReplay()).toHaveLength(1);
      expect(await world.counted('p')).toMatchObject({ processed: 2, emitted: 7, failed: 4 });
    },
  );
});

describe('A replayed dead letter of a window', () => {
  const perMinute = (key: string, value = 'event.data.amount'): OperatorJson[] => [
    { window: { tumbling: '1m', key, lateness: '0s' } },
    { reduce: { n: { op: 'count' }, sum: { op: 'sum', value } } },
    emit('out'),
  ];
  const pay = (id: number, data: Record<string, unknown>, at = id): SpecEvent => ({
    ...{ id, at, entity: 'e', partition: id % 2, data },
  });
  /** Advances the clock until a window result is emitted. */
  const idle = () =>
    eventually(() => {
      world.now += 24 * 3_600_000;
      expect(world.emitted('out')).not.toEqual([]);
    });

  it('is counted in the window of its current key', async () => {
    await world.define('p', spec(...perMinute('event.data.currency')));
    start();
    await world.write([pay(0, { currency: 'EUR', amount: 1 }), pay(1, { amount: 2 })]);
    await through();
    const key = 'has(event.data.currency) ? event.data.currency : "EUR"';
    await world.define('p', spec(...perMinute(key)));
    await world.write([pay(2, { currency: 'EUR', amount: 4 })]);
    await through();
    await world.replay('p', await toReplay());
    await replayed();
    await idle();
    const results = world.datas('out') as { n: number; sum: number }[];
    // A window with another key expression is another stage, so the rows of the former window are not used.
    expect(results.map(({ n, sum }) => [n, sum])).toEqual([[2, 6]]);
  });

  it('is folded by the current fields', async () => {
    await world.define('p', spec(...perMinute('"all"')));
    start();
    await world.write([pay(0, { amount: 'much' })]);
    await eventually(async () => expect(await toReplay()).toHaveLength(1));
    expect((await toReplay())[0]).toMatchObject({ step: { operator: '/operators/0/window' } });
    await world.define('p', spec(...perMinute('"all"', '7')));
    await world.replay('p', await toReplay());
    await replayed();
    await idle();
    expect(world.datas('out')).toMatchObject([{ n: 1, sum: 7 }]);
  });

  it('becomes a new dead letter for a late event when its window has closed', async () => {
    const mapped = (amount: string) => spec({ map: { data: { amount } } }, ...perMinute('"all"'));
    await world.define('p', mapped('event.data.amount + 0'));
    start();
    await world.write([pay(0, { amount: 'much' }), pay(1, { amount: 2 }, 600)]);
    await idle();
    await world.define('p', mapped('1'));
    await world.replay('p', await toReplay());
    await eventually(async () => expect(await toReplay()).toHaveLength(1));
    expect(await toReplay()).toMatchObject([
      { reason: 'late_event', step: { operator: '/operators/1/window', replay: 1 } },
    ]);
    expect(await world.counted('p')).toMatchObject({ late: 1, failed: 1 });
    expect(world.emitted('out')).toHaveLength(1);
  });

  it('can be a window result, which is emitted with the id that it would have had', async () => {
    await world.definitions.createStream({ stream: 'out' }, systemActor);
    const schema = (maximum: number, mode: 'enforce' | 'off') => () =>
      ({
        ...{ stream: 'out', event_type: 'window', mode, compatibility: 'none', retired: false },
        versions: [
          { version: 1, created_at: new Date(0).toISOString(), schema: { properties: { sum: { maximum } } } },
        ],
      }) as never;
    await world.definitions.schemas.change('out/window', schema(5, 'enforce'), systemActor);
    await world.define('p', spec(...perMinute('"all"')));
    start();
    await world.write([pay(0, { amount: 9 }), pay(1, { amount: 1 })]);
    await eventually(async () => {
      world.now += 24 * 3_600_000;
      expect(await toReplay()).toHaveLength(1);
    });
    const [letter] = await toReplay();
    expect(letter).toMatchObject({
      ...{ reason: 'schema_violation', stream: 'out', partition: 0, offset: 0 },
      step: { operator: '/operators/2/emit', stream: '' },
    });
    await world.definitions.schemas.change('out/window', schema(5, 'off'), systemActor);
    await world.replay('p', [letter!]);
    await replayed();
    expect(world.emitted('out')).toMatchObject([{ entity_id: 'all', event_type: 'window' }]);
    expect(JSON.parse(world.emitted('out')[0]!.metadata)).toEqual({
      ...{ source_events: 2, pipeline: 'p', pipeline_version: 1 },
    });
  });
});

it('a replayed webhook delivery is sent again to its receiver, and not to other outputs', async () => {
  const hook: OperatorJson = { webhook: { url: 'https://example.com/hook', secret_ref: 's' } };
  await world.define('p', spec(hook, emit('out')));
  const one = start();
  one.refusesDeliveries = 'The receiver answered 410.';
  await world.write([order(0, [])]);
  await through();
  one.refusesDeliveries = undefined;
  await world.replay('p', await toReplay());
  await replayed();
  const [first, second] = one.delivered;
  expect(one.delivered).toHaveLength(2);
  expect(second!.id).toBe(first!.id);
  expect(world.emitted('out')).toHaveLength(1);
});
