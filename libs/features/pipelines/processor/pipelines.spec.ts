import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { encodeRecord } from '#event';
import { systemActor } from '#registry';
import { compilePipeline, type OperatorJson, type PipelineSpec } from '#features/pipelines/computation';
import { InMemoryTracing } from '#telemetry/memory';
import type { PendingWebhookDelivery } from '#features/webhooks';
import { stateRow } from '../../../core/store/keyed-states.fixture.js';
import {
  SimulatedPipelines,
  PipelineTestBed,
  recordOf,
  t0,
  uuid,
  type SpecEvent,
} from './pipelines.fixture.js';
import type { PipelinesProcessorOptions } from './pipelines-processor.js';
import { pipelineStepEvents } from './jobs/operator-metrics.js';

let world: PipelineTestBed;
let running: SimulatedPipelines[];

beforeEach(async () => {
  running = [];
  world = await PipelineTestBed.make(['orders', 'refunds']);
});
afterEach(async () => {
  await Promise.all(running.map((one) => one.kill()));
  expect(running.flatMap(({ failures }) => failures)).toEqual([]);
  await world.close();
});

function start(
  options?: Partial<PipelinesProcessorOptions> & { missingConfiguration?: string },
): SimulatedPipelines {
  const one = new SimulatedPipelines(world, options);
  running.push(one);
  return one;
}

const spec = (...operators: OperatorJson[]): PipelineSpec => ({
  source: { streams: ['orders'] },
  operators,
  from: 'beginning',
});
const out: OperatorJson = { emit: { stream: 'out' } };
const perMinute: OperatorJson[] = [
  { window: { tumbling: '1m', key: 'event.data.currency', lateness: '0s' } },
  { reduce: { n: { op: 'count' }, sum: { op: 'sum', value: 'event.data.amount' } } },
  out,
];

const order = (id: number, more: Partial<SpecEvent> = {}): SpecEvent => ({
  ...{ id, at: id, entity: `order-${id % 5}`, partition: id % 2 },
  data: { currency: id % 2 ? 'EUR' : 'USD', amount: id },
  ...more,
});
const orders = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => order(from + i));

const eventually = (check: () => Promise<void> | void) => vi.waitFor(check, { timeout: 10_000, interval: 3 });
const through = (name = 'p') => eventually(async () => expect(await world.isThrough(name)).toBe(true));
/** Waits until all events are read, then advances the clock until all windows of the pipeline have closed. */
async function idle(name = 'p'): Promise<void> {
  await through(name);
  const pipeline = compilePipeline(world.pipeline(name)!.spec);
  const day = 24 * 3_600_000;
  const past = (world.now + day) * 1000;
  world.now += 2 * day;
  await eventually(async () => {
    world.now += day / 4;
    expect(await world.isPast(name, pipeline, past)).toBe(true);
  });
}

describe('A pipeline without windows', () => {
  it('emits the transformed events with their provenance', async () => {
    await world.write([...orders(0, 4), { ...order(4), metadata: '{"trace":"t-1","n":1.50}' }, order(1)]);
    await world.define(
      'p',
      spec({ filter: 'event.data.amount > 0' }, { map: { data: { twice: 'event.data.amount * 2' } } }, out),
    );
    start();
    await through();
    const emitted = world.emitted('out');
    expect(world.datas('out')).toEqual([{ twice: 2 }, { twice: 4 }, { twice: 6 }, { twice: 8 }]);
    expect(emitted.map(({ event_id }) => event_id[14])).toEqual(['8', '8', '8', '8']);
    const last = emitted.find(({ data }) => data.includes('8'))!;
    expect(last).toMatchObject({ event_type: 'order.placed', entity_id: 'order-4', timestamp: t0 + 4e6 });
    expect(last.metadata).toBe(
      `{"trace":"t-1","n":1.50,"pipeline":"p","pipeline_version":1,"source_stream":"orders","source_event_id":"${uuid(4)}"}`,
    );
    expect(world.definitions.stream('out')).toMatchObject({ state: 'live', partitions: 2 });
    expect(await world.counted('p')).toEqual({ processed: 5, emitted: 4, dropped: 1, late: 0, failed: 0 });
    expect(await world.steps('p')).toEqual({
      '/operators/0/filter': '5 4 1 0 0',
      '/operators/1/map': '4 4 0 0 0',
      '/operators/2/emit': '4 4 0 0 0',
    });
  });

  it('stores events that fail, are too large or violate a schema as dead letters, and continues', async () => {
    await world.definitions.createStream({ stream: 'out' }, systemActor);
    await world.definitions.schemas.change(
      'out/order.placed',
      () =>
        ({
          ...{
            stream: 'out',
            event_type: 'order.placed',
            mode: 'enforce',
            compatibility: 'none',
            retired: false,
          },
          versions: [
            {
              version: 1,
              created_at: new Date(0).toISOString(),
              schema: { properties: { amount: { maximum: 5 } } },
            },
          ],
        }) as never,
      systemActor,
    );
    await world.write([
      ...orders(0, 4),
      order(6),
      order(7, { data: { amount: 'much' } }),
      order(8, { data: { amount: 2, text: 'x'.repeat(600_000) } }),
      order(9, { data: { amount: 2 } }),
    ]);
    const map = {
      data: { amount: 'event.data.amount + 0', text: 'event.data.text', twice: 'event.data.text' },
    };
    const long = { when: 'has(event.data.text)', operators: [{ map }, out] };
    await world.define(
      'p',
      spec(
        { filter: 'event.data.amount != 0' },
        { branch: [long, { otherwise: true, operators: [{ filter: 'event.data.amount + 1 > 0' }, out] }] },
      ),
    );
    start();
    await through();
    const letters = (await world.letters()).map(({ reason, error }) => [
      reason,
      error.split(' ').slice(0, 2).join(' '),
    ]);
    expect(letters.sort()).toEqual([
      ['operator_failed', '/operators/1/branch/0/operators/0/map/data: The'],
      ['operator_failed', '/operators/1/branch/1/operators/0/filter: +'],
      ['schema_violation', '/operators/1/branch/1/operators/1/emit: /data/amount'],
    ]);
    expect(await world.counted('p')).toMatchObject({ processed: 8, emitted: 4, dropped: 1, failed: 3 });
    expect(Object.values(await world.steps('p')).slice(-2)).toEqual(['6 5 0 0 1', '5 4 0 0 1']);
  });

  const givenCustomers = async () => {
    const build = {
      id: 'c'.repeat(24),
      version: 1,
      started_at: new Date(0).toISOString(),
      sources: { refunds: { id: world.definitions.stream('refunds')!.id } },
    };
    const fields = { n: { op: 'count' } };
    await world.definitions.projections.change(
      'customers',
      () => ({
        ...{
          name: 'customers',
          version: 1,
          created_at: build.started_at,
          paused: false,
          failure: null,
          building: null,
        },
        serving: { ...build, spec: { source: { streams: ['refunds'] }, fields, from: 'beginning' } },
      }),
      systemActor,
    );
    const row = { owner: build.id, stream: 'refunds', key: 'EUR' };
    await world.store.projections.save(
      [0, 1].map((partition) => stateRow({ ...row, partition, state: JSON.stringify([partition + 2]) })),
      [],
    );
  };

  it('writes dead letters that are visible only to keys for all streams whose data they contain', async () => {
    await givenCustomers();
    await world.write([order(1)]);
    const enrich = { from: { projection: 'customers' }, key: 'event.data.currency', as: 'known' };
    const fails = { map: { data: { x: 'event.data.currency / 2.0' } } };
    await world.define('p', spec({ enrich }, fails, out));
    start();
    await through();
    const seenWith = async (...patterns: string[]) => {
      const access = { patterns: patterns.map((name) => world.idOf(name)), reserved: false };
      const query = { access, limit: 10 };
      return (await world.store.reader.deadLetters(query)).items.map(({ event }) => event);
    };
    expect(await seenWith('orders', 'out', 'refunds')).toEqual([expect.stringContaining('"known":{"n":5}')]);
    expect(await seenWith('orders', 'out')).toEqual([]);
    expect(await seenWith('orders', 'refunds')).toEqual([]);
    // The dead letters keep their list of streams when the pipeline or the projection changes.
    await world.definitions.projections.change('customers', () => undefined, systemActor);
    await world.definitions.pipelines.change('p', () => undefined, systemActor);
    expect(await seenWith('orders', 'out')).toEqual([]);
  });

  it('looks up states of projections', async () => {
    await givenCustomers();
    await world.write([order(0), order(1)]);
    await world.define(
      'p',
      spec({ enrich: { from: { projection: 'customers' }, key: 'event.data.currency', as: 'known' } }, out),
    );
    start();
    await through();
    expect(world.datas('out')).toEqual([
      { currency: 'EUR', amount: 1, known: { n: 5 } },
      { currency: 'USD', amount: 0, known: null },
    ]);
  });

  it('skips erased events and events that do not match', async () => {
    world.erasures.erase('orders', 'order-3', 1000);
    await world.write([...orders(0, 10), order(10, { type: 'other' })]);
    const filtered = spec(out);
    await world.define('p', {
      ...filtered,
      source: { ...filtered.source, event_types: ['order.placed'], where: 'event.data.amount != 9' },
    });
    start();
    await through();
    expect((await world.counted('p')).processed).toBe(7);
  });

  it('delivers events to webhooks under their derived ids, and stores rejected events as dead letters', async () => {
    await world.define('p', spec({ webhook: { url: 'https://example.com/hook', secret_ref: 's' } }));
    const one = start();
    await world.write([order(0)]);
    await through();
    expect(one.delivered).toMatchObject([{ url: 'https://example.com/hook', secretRef: 's' }]);
    expect(JSON.parse(one.delivered[0]!.body)).toMatchObject({
      event_id: one.delivered[0]!.id,
      data: { amount: 0 },
    });
    one.refusesDeliveries = 'The receiver answered 410.';
    await world.write([order(1)]);
    await through();
    expect(await world.letters()).toMatchObject([
      { reason: 'webhook_failed', error: '/operators/0/webhook: The receiver answered 410.' },
    ]);
    expect(await world.counted('p')).toMatchObject({ emitted: 1, failed: 1 });
  });

  it('delivers CloudEvents if the definition has that format', async () => {
    const webhook = { url: 'https://example.com/hook', secret_ref: 's', format: 'cloudevents' };
    await world.define('p', spec({ webhook }));
    const one = start();
    await world.write([order(0)]);
    await through();
    const [{ contentType, body, id }] = one.delivered as [PendingWebhookDelivery];
    expect(contentType).toBe('application/cloudevents+json');
    expect(JSON.parse(body)).toMatchObject({
      ...{ specversion: '1.0', id, source: '/api/v1/pipelines/p', data: { amount: 0 } },
    });
  });

  it('records spans of a traced request until all its outputs are written', async () => {
    const tracing = new InMemoryTracing();
    const [traceId, spanId] = ['a'.repeat(32), 'b'.repeat(16)];
    const headers = { traceparent: `00-${traceId}-${spanId}-01`, 'x-request-id': 'r-1' };
    await world.define('p', spec(out));
    start({ tracing });
    const value = encodeRecord(recordOf(order(1)));
    const records = [{ topic: world.topicOf('orders'), key: 'e', value }];
    await world.producer.append(records.map((record) => ({ ...record, headers })));
    await world.write([order(2)]);
    await through();
    // A partition may be revoked while its task is being opened.
    const [run, request, ...others] = tracing.spans.filter(({ error }) => error === undefined);
    expect(others).toEqual([]);
    expect(request).toMatchObject({
      ...{ name: 'pipeline p', traceId, parentSpanId: spanId, kind: 'consumer', error: undefined },
      attributes: { 'messaging.destination.name': world.topicOf('orders'), 'tributary.request_id': 'r-1' },
    });
    expect(run).toMatchObject({ name: 'run p', traceId, parentSpanId: request?.spanId, kind: 'internal' });
  });

  it('resumes at its offset in a source that is removed and added again, also if `from` is now', async () => {
    const reading = async (...streams: string[]) => {
      await world.define('p', { ...spec(out), source: { streams }, from: 'now' });
      const { run } = world.pipeline('p')!;
      const sources = Object.entries(run.sources).map(async ([stream, source]) => {
        const ends = await world.log.admin.offsets(world.topicOf(stream));
        return [stream, { ...source, starts: ends.map(({ end }) => end) }] as const;
      });
      await world.change('p', { run: { ...run, sources: Object.fromEntries(await Promise.all(sources)) } });
    };
    await world.write([order(0), order(1)]);
    await reading('orders');
    const before = start();
    await through();
    await world.write([order(2), order(3)]);
    await through();
    await before.pipelines.close(1000);
    await reading('refunds');
    await world.write([order(4), order(5)]);
    await reading('orders', 'refunds');
    start();
    await eventually(() => expect(world.emitted('out')).toHaveLength(4));
  });

  it('waits for the settings of its webhook, and then resumes at its offset', async () => {
    const webhook = { url: 'https://example.com/hook', secret_ref: 's' };
    await world.define('p', spec({ webhook }));
    const before = start();
    await world.write([order(0)]);
    await through();
    await before.pipelines.close(1000);
    const without = start({ missingConfiguration: 'There is no secret s.' });
    await world.write([order(1)]);
    const failure = '/operators/0/webhook: There is no secret s. Then resume the pipeline.';
    await eventually(() => expect(world.pipeline('p')?.failure).toBe(failure));
    await without.pipelines.close(1000);
    const one = start();
    await world.change('p', { failure: null });
    await through();
    expect([before, without, one].map(({ delivered }) => delivered.length)).toEqual([1, 0, 1]);
    expect(await world.letters()).toEqual([]);
  });
});

describe('A window', () => {
  it('collects the events of a key from all partitions, and emits its result when it closes', async () => {
    await world.define('p', spec(...perMinute));
    start();
    await world.write(orders(0, 130));
    await through();
    await eventually(() => expect(world.emitted('out')).toHaveLength(4));
    await idle();
    expect(world.datas('out')).toEqual(
      ['EUR', 'USD']
        .flatMap((key, odd) =>
          [0, 1, 2].map((minute) => {
            const ids = orders(0, 130)
              .map(({ id }) => id)
              .filter((id) => id % 2 === 1 - odd && (id + 0) / 60 >= minute && id / 60 < minute + 1);
            const start = t0 / 1000 + minute * 60_000;
            return {
              key,
              window_start: new Date(start).toISOString().replace('.000Z', 'Z'),
              window_end: new Date(start + 60_000).toISOString().replace('.000Z', 'Z'),
              n: ids.length,
              sum: ids.reduce((a, b) => a + b, 0),
            };
          }),
        )
        .map(
          (expected) =>
            expect.objectContaining({ key: expected.key, n: expected.n, sum: expected.sum }) as unknown,
        ),
    );
    expect(JSON.parse(world.emitted('out')[0]!.metadata)).toMatchObject({
      pipeline: 'p',
      source_events: expect.any(Number) as number,
    });
    expect(await world.counted('p')).toEqual({ processed: 130, emitted: 6, dropped: 0, late: 0, failed: 0 });
    expect(await world.steps('p')).toEqual({
      '/operators/0/window': '130 130 0 0 0',
      '/operators/1/reduce': '130 6 0 0 0',
      '/operators/2/emit': '6 6 0 0 0',
    });
  });

  it('does not close before events that are still being written have arrived', async () => {
    await world.define('p', spec(...perMinute));
    const append: PipelinesProcessorOptions['producer']['append'] = async (records) => {
      // The hook delays repartitioned events, but not watermark records.
      if (records.some(({ value }) => /^\d+\[0,/.test(value ?? ''))) await setTimeout(50);
      return await world.producer.append(records);
    };
    await world.write(orders(0, 600));
    start({ producer: { append } });
    await idle();
    expect(await world.counted('p')).toMatchObject({ processed: 600, late: 0 });
  });

  it('can have more rows than the cache', async () => {
    const operators: OperatorJson[] = [
      { window: { tumbling: '1m', key: 'event.entity_id', lateness: '0s' } },
      { reduce: { n: { op: 'count' } } },
      out,
    ];
    await world.define('p', spec(...operators));
    start({ cache: { keys: 4, weight: 1e9 }, unsaved: { keys: 5, weight: 1e9 } });
    for (let n = 0; n < 600; n += 50)
      await world.write(
        Array.from({ length: 50 }, (_, i) =>
          order(n + i, { at: (n + i) / 5, entity: `e-${((n + i) * 7) % 40}` }),
        ),
      );
    await idle();
    const counts = world.datas('out') as { n: number }[];
    expect(counts.reduce((sum, { n }) => sum + n, 0)).toBe(600);
    expect(counts).toHaveLength(80);
  });

  it('sends late events to its stream for late events, or to the dead letters', async () => {
    const window = { tumbling: '1m', key: 'event.data.currency', lateness: '0s' };
    const rest: OperatorJson[] = [{ reduce: { n: { op: 'count' } } }, out];
    await world.define('p', spec({ window }, ...rest));
    await world.define('q', spec({ window: { ...window, late: { stream: 'late' } } }, ...rest));
    start();
    await world.write([
      order(0),
      order(200),
      order(2, { partition: 0 }),
      order(3, { at: 150, partition: 0 }),
    ]);
    await idle('p');
    await idle('q');
    expect(world.emitted('late').map(({ timestamp }) => timestamp)).toEqual([t0 + 2e6, t0 + 150e6]);
    expect(await world.counted('q')).toMatchObject({ late: 2, failed: 0 });
    expect(await world.steps('q')).toMatchObject({ '/operators/0/window': '4 2 0 2 0' });
    expect((await world.letters()).map(({ source, reason }) => [source, reason])).toEqual([
      ['pipeline:p', 'late_event'],
      ['pipeline:p', 'late_event'],
    ]);
  });

  it('can feed another window', async () => {
    await world.define(
      'p',
      spec(
        { dedupe: { key: 'event.data.amount', within: '10s' } },
        ...perMinute.slice(0, 2),
        { window: { tumbling: '2m', key: '"all"', lateness: '0s' } },
        { reduce: { windows: { op: 'count' }, events: { op: 'sum', value: 'event.data.n' } } },
        out,
      ),
    );
    start();
    await world.write(orders(0, 120).flatMap((one) => [one, { ...one, id: one.id + 1000 }]));
    await idle();
    expect(await world.counted('p')).toMatchObject({ processed: 240 });
    expect(await world.steps('p')).toMatchObject({ '/operators/0/dedupe': '240 120 120 0 0' });
    expect(world.emitted('out').length).toBeGreaterThanOrEqual(1);
    const total = (world.datas('out') as { events: number }[]).reduce((sum, { events }) => sum + events, 0);
    expect(total).toBe(120);
  });
});

describe('An expected event', () => {
  const missing: OperatorJson[] = [
    {
      expect: {
        ...{ after: 'event.event_type == "order.placed"', event: 'event.event_type == "order.paid"' },
        ...{ key: 'event.entity_id', within: '30m', as: 'payment.missing' },
      },
    },
    out,
  ];
  const placed = (id: number, at: number) => order(id, { at, entity: `order-${id}` });
  const paid = (id: number, at: number) => ({ ...placed(id, at), id: 100 + id, type: 'order.paid' });
  const idsOfMissing = () => world.emitted('out').map(({ entity_id }) => entity_id);

  it('that does not come passes the first event on, once, also after a reset', async () => {
    await world.define('p', spec(...missing));
    start();
    await world.write([
      placed(1, 0),
      placed(2, 60),
      paid(1, 1799),
      placed(3, 90),
      paid(2, 1861),
      paid(3, 100),
    ]);
    await idle();
    expect(world.emitted('out')).toMatchObject([
      {
        event_type: 'payment.missing',
        entity_id: 'order-2',
        timestamp: t0 + 60e6,
        event_id: expect.any(String) as string,
      },
    ]);
    expect(JSON.parse(world.emitted('out')[0]!.metadata)).toMatchObject({
      pipeline: 'p',
      source_event_id: uuid(2),
    });
    expect(await world.steps('p')).toEqual({
      '/operators/0/expect': '6 1 3 0 0',
      '/operators/1/emit': '1 1 0 0 0',
    });
    await world.define('p', spec(...missing), { reset: true });
    await idle();
    // The log has it twice with one id, which is refused the second time.
    const { partitions } = world.log.topics.get(world.topicOf('out'))!;
    expect(partitions.flatMap(({ records }) => records)).toHaveLength(2);
    expect(world.emitted('out')).toHaveLength(1);
  });

  it('has the same id after a failure and a replay, also after another reset', async () => {
    const tooShort: OperatorJson[] = [missing[0]!, { filter: 'event.data.paid == false' }, out];
    await world.define('p', spec(...tooShort));
    start();
    await world.write([placed(1, 0)]);
    await idle();
    const [letter] = await world.letters();
    expect(letter).toMatchObject({
      reason: 'operator_failed',
      step: { expected: expect.any(String) as string },
    });
    await world.replay('p', [
      { ...letter!, event: letter!.event.replace('"amount"', '"paid":false,"amount"') },
    ]);
    await eventually(() => expect(world.emitted('out')).toHaveLength(1));
    const before = world.emitted('out')[0]!.event_id;
    await world.define('p', spec(missing[0]!, { filter: 'true' }, out), { reset: true });
    await idle();
    expect(world.emitted('out').map(({ event_id }) => event_id)).toEqual([before]);
  });

  it('is not missed by an event whose entity was erased meanwhile', async () => {
    await world.define('p', spec(...missing));
    start();
    await world.write([placed(1, 0), placed(2, 60)]);
    await through();
    world.erasures.erase('orders', 'order-1', 1000);
    await idle();
    expect(idsOfMissing()).toEqual(['order-2']);
  });

  it('is still expected after a new version that does not change it, and after an hour without a process', async () => {
    await world.define('p', spec(...missing));
    const process = start();
    await world.write([placed(1, 0), placed(2, 5)]);
    await through();
    await process.kill();
    world.now += 3_600_000;
    await world.define('p', spec(...missing, { emit: { stream: 'also' } }));
    await world.write([paid(1, 1000)]);
    start();
    await idle();
    expect(idsOfMissing()).toEqual(['order-2']);
    expect(world.emitted('also')).toHaveLength(1);
  });
});

describe('A pipeline', () => {
  it('pauses and resumes at its offset', async () => {
    await world.define('p', spec(...perMinute));
    start();
    await world.write(orders(0, 30));
    await through();
    await world.change('p', { paused: true });
    await setTimeout(30);
    await world.write(orders(30, 60));
    await setTimeout(30);
    expect((await world.counted('p')).processed).toBe(30);
    await world.change('p', { paused: false });
    await idle();
    expect((world.datas('out') as { n: number }[]).map(({ n }) => n)).toEqual([30, 30]);
  });

  it('has metrics of the operators of its current definition, until it is deleted', async () => {
    const series = async () => {
      const { values } = await pipelineStepEvents.get();
      const own = values.filter(({ labels }) => labels.pipeline === 'measured');
      return own.map(({ labels: { path, operator, result }, value }) =>
        [path, operator, result, value].join(' '),
      );
    };
    await world.define('measured', spec({ filter: 'event.data.amount > 9' }, out));
    start();
    await world.write(orders(0, 30));
    await through('measured');
    const [filtered, emitted] = [
      ['in 30', 'out 20', 'dropped 10'],
      ['in 20', 'out 20'],
    ];
    await eventually(async () =>
      expect(await series()).toEqual([
        ...filtered.map((text) => `/operators/0 filter ${text}`),
        ...emitted.map((text) => `/operators/1 emit ${text}`),
      ]),
    );
    await world.define('measured', spec({ map: { entity_id: '"e"' } }, out));
    await eventually(async () =>
      expect(await series()).toEqual(emitted.map((text) => `/operators/1 emit ${text}`)),
    );
    await world.definitions.pipelines.change('measured', () => undefined, systemActor);
    await eventually(async () => expect(await series()).toEqual([]));
  });

  it('continues with a changed definition, and keeps unchanged windows', async () => {
    await world.define('p', spec(...perMinute));
    start();
    await world.write(orders(0, 30));
    await through();
    await world.define('p', spec(...perMinute, { emit: { stream: 'also' } }));
    await world.write(orders(30, 60));
    await idle();
    expect((world.datas('out') as { n: number }[]).map(({ n }) => n)).toEqual([30, 30]);
    expect(world.emitted('also')).toHaveLength(2);
    expect(JSON.parse(world.emitted('also')[0]!.metadata)).toMatchObject({ pipeline_version: 2 });
  });

  it('processes all events again when it is reset', async () => {
    await world.define('p', spec(out));
    start();
    await world.write(orders(0, 10));
    await through();
    await world.define('p', spec(out), { reset: true });
    await through();
    expect(world.emitted('out')).toHaveLength(20);
  });

  it('fails with a reason when its next record is past its retention; other pipelines continue', async () => {
    await world.define('p', spec(out));
    await world.define('q', spec(out));
    const first = start();
    await world.write(orders(0, 10));
    await through('p');
    await through('q');
    await world.change('p', { paused: true });
    await eventually(() =>
      expect([...first.pipelines.partitions()].every(({ name }) => name === 'q')).toBe(true),
    );
    await world.write(orders(10, 30));
    await through('q');
    for (const partition of [0, 1]) world.log.topics.get(world.topicOf('orders'))!.truncate(partition, 12);
    await world.change('p', { paused: false });
    await eventually(() => expect(world.pipeline('p')?.failure).toContain('past its retention'));
    await world.write(orders(30, 40));
    await through('q');
    expect(world.pipeline('q')?.failure).toBeNull();
  });

  it('fails with a reason when the store has lost its checkpoint', async () => {
    const { run } = await world.define('p', spec(...perMinute));
    const first = start();
    await world.write(orders(0, 10));
    await through();
    await first.pipelines.close(1000);
    await world.store.pipelines.remove(run.id);
    start();
    await eventually(() => expect(world.pipeline('p')?.failure).toContain('lost'));
  });

  it('does not run when it closes a loop, and fails with a reason if the loop remains', async () => {
    const back = (stream: string): PipelineSpec => ({
      ...{ source: { streams: ['refunds'] }, operators: [{ emit: { stream } }], from: 'beginning' },
    });
    for (const name of ['p', 'former']) await world.define(name, spec({ emit: { stream: 'refunds' } }));
    for (const name of ['q', 'taken_back']) await world.define(name, back('orders'));
    start();
    await world.write(orders(0, 10));
    await through('p');
    await world.define('taken_back', back('other'));
    await eventually(() => expect(world.pipeline('q')?.failure).toContain('The pipeline would feed itself'));
    await through('taken_back');
    expect(world.emitted('orders')).toHaveLength(10);
    for (const name of ['p', 'former', 'taken_back']) expect(world.pipeline(name)?.failure).toBeNull();
  });

  it('waits while the store is unreachable, and loses no event', async () => {
    await world.define('p', spec(...perMinute));
    const one = start();
    await world.write(orders(0, 10));
    await through();
    one.storeIsAway = true;
    await world.write(orders(10, 20));
    await eventually(() => expect(one.pipelines.complaint).toContain('away'));
    one.storeIsAway = false;
    await idle();
    expect((world.datas('out') as { n: number }[]).map(({ n }) => n)).toEqual([10, 10]);
  });
});
