import { describe, expect, it, vi } from 'vitest';
import { compilePipeline } from './compile-pipeline.js';
import { dryRun, type FetchProjectionStates } from './dry-run.js';
import { dryRunLimits, dryRunText } from './dry-run-recorder.js';
import { logEvent, pipelineOf } from './pipeline.fixture.js';
import type { OperatorJson } from './operators/operator.js';

const noneKnown: FetchProjectionStates = (lookups) => Promise.resolve(lookups.map(() => null));
const start = Date.parse('2026-11-21T04:00:00Z') * 1000;

/** Returns events with the given data; the event time of each is the given number of seconds after 04:00. */
const eventsAt = (...given: [second: number, data: string][]) =>
  given.map(([second, data], offset) => logEvent(data, { offset, timestamp: start + second * 1_000_000 }));

async function answer(operators: OperatorJson[], ...given: [number, string][]) {
  const result = await dryRun(pipelineOf(...operators), eventsAt(...given), noneKnown);
  return JSON.parse(dryRunText(result)) as {
    events: { event: object; steps: { at: string; operator: string; outcome: string; reason?: string }[] }[];
    windows: { at: string; event: { data: object }; steps: object[] }[];
    emitted: { at: string; stream: string; event: { data: object } }[];
    late: object[];
    failed: object[];
    truncated: boolean;
  };
}

const perMinute: OperatorJson[] = [
  { window: { tumbling: '1m', key: 'event.data.currency', lateness: '10s' } },
  { reduce: { orders: { op: 'count' }, revenue: { op: 'sum', value: 'event.data.amount' } } },
];

describe('a dry run', () => {
  it('shows the outcome of each operator for each event, with the reason', async () => {
    const { events, emitted, failed } = await answer(
      [
        { filter: 'event.data.amount > 100.0' },
        { map: { data: { amount: 'event.data.amount', vat: 'event.data.amount * 0.2' } } },
        { emit: { stream: 'big_orders' } },
      ],
      [0, '{"amount":250.5}'],
      [1, '{"amount":99}'],
      [2, '{"amount":"x"}'],
    );
    expect(events[0]).toMatchObject({
      event: { event_type: 'order.placed', entity_id: 'order-17', timestamp: '2026-11-21T04:00:00.000000Z' },
      steps: [
        {
          at: '/operators/0/filter',
          operator: 'filter',
          outcome: 'passed',
          result: { data: { amount: 250.5 } },
        },
        {
          at: '/operators/1/map',
          operator: 'map',
          outcome: 'passed',
          result: { data: { amount: 250.5, vat: 50.1 } },
        },
        { at: '/operators/2/emit', operator: 'emit', outcome: 'emitted' },
      ],
    });
    expect(events[1]?.steps).toEqual([
      {
        at: '/operators/0/filter',
        operator: 'filter',
        outcome: 'dropped',
        reason: 'The condition is false.',
      },
    ]);
    expect(events[2]?.steps).toMatchObject([
      {
        outcome: 'failed',
        reason: '/operators/0/filter: A string and a number have no order. (at character 1)',
      },
    ]);
    expect(emitted).toMatchObject([
      { at: '/operators/2/emit', stream: 'big_orders', event: { data: { vat: 50.1 } } },
    ]);
    expect(failed).toMatchObject([{ pointer: '/operators/0/filter', event: { data: { amount: 'x' } } }]);
  });

  it('closes all windows, the earliest first, and processes their results', async () => {
    const { events, windows, emitted } = await answer(
      [
        ...perMinute,
        { filter: 'event.data.orders > 1' },
        { emit: { stream: 'per_minute', event_type: 'minute' } },
      ],
      [0, '{"currency":"USD","amount":1.10}'],
      [61, '{"currency":"EUR","amount":5}'],
      [62, '{"currency":"EUR","amount":5.5}'],
    );
    expect(events[0]?.steps).toEqual([
      { at: '/operators/0/window', operator: 'window', outcome: 'forwarded', key: 'USD' },
      { at: '/operators/0/window', operator: 'window', outcome: 'passed', key: 'USD' },
    ]);
    expect(windows).toMatchObject([
      {
        at: '/operators/0/window',
        event: { data: { key: 'USD', orders: 1, revenue: 1.1, window_start: '2026-11-21T04:00:00.000000Z' } },
        steps: [{ operator: 'filter', outcome: 'dropped' }],
      },
      { event: { data: { key: 'EUR' } }, steps: [{ outcome: 'passed' }, { outcome: 'emitted' }] },
    ]);
    expect(emitted).toMatchObject([
      { stream: 'per_minute', event: { event_type: 'minute', data: { orders: 2, revenue: 10.5 } } },
    ]);
  });

  it('shows late events', async () => {
    const { events, late } = await answer(
      [...perMinute, { emit: { stream: 'per_minute' } }],
      [0, '{"currency":"USD","amount":1}'],
      [69, '{"currency":"EUR","amount":1}'],
      [1, '{"currency":"USD","amount":1}'],
      [70, '{"currency":"EUR","amount":1}'],
      [2, '{"currency":"USD","amount":1}'],
    );
    expect(events.map(({ steps }) => steps.at(-1)?.outcome)).toEqual([
      'passed',
      'passed',
      'passed',
      'passed',
      'late',
    ]);
    expect(late).toMatchObject([
      { at: '/operators/0/window', event: { timestamp: '2026-11-21T04:00:02.000000Z' } },
    ]);
  });

  it('adds results of windows to other windows', async () => {
    const { emitted } = await answer(
      [
        ...perMinute,
        { window: { tumbling: '1h', key: '"all"', lateness: '0s' } },
        { reduce: { minutes: { op: 'count' }, most: { op: 'max', value: 'event.data.revenue' } } },
        { emit: { stream: 'per_hour' } },
      ],
      [0, '{"currency":"USD","amount":1}'],
      [59, '{"currency":"USD","amount":2}'],
      [60, '{"currency":"USD","amount":4}'],
      [3600, '{"currency":"USD","amount":8}'],
    );
    expect(emitted).toMatchObject([
      { event: { data: { key: 'all', minutes: 2, most: 4 } } },
      { event: { data: { key: 'all', minutes: 1, most: 8 } } },
    ]);
  });

  it('shows branches, duplicates and events that the source does not match', async () => {
    const pipeline = compilePipeline({
      source: { streams: ['orders'], where: 'event.data.id > 0' },
      operators: [
        { dedupe: { key: 'event.data.id', within: '1h' } },
        { branch: [{ when: 'event.data.n > 1', operators: [{ emit: { stream: 'big' } }] }] },
      ],
      from: 'beginning',
    });
    const given = eventsAt([0, '{"id":1,"n":2}'], [1, '{"id":1,"n":2}'], [2, '{"id":2,"n":1}'], [3, '{}']);
    const { events } = await dryRun(pipeline, given, noneKnown);
    expect(
      events.map(({ steps }) => steps.map(({ at, operator, outcome }) => `${at} ${operator} ${outcome}`)),
    ).toEqual([
      [
        '/operators/0/dedupe dedupe forwarded',
        '/operators/0/dedupe dedupe passed',
        '/operators/1/branch/0 branch passed',
        '/operators/1/branch/0/operators/0/emit emit emitted',
      ],
      ['/operators/0/dedupe dedupe forwarded', '/operators/0/dedupe dedupe dropped'],
      [
        '/operators/0/dedupe dedupe forwarded',
        '/operators/0/dedupe dedupe passed',
        '/operators/1/branch branch dropped',
      ],
      ['/source source dropped'],
    ]);
  });

  it('fetches the lookups of all events from projections in one request', async () => {
    const asked: string[][] = [];
    const ask: FetchProjectionStates = (lookups) => {
      asked.push(lookups.map(({ key }) => key));
      return Promise.resolve(lookups.map(({ key }) => `"${key}!"`));
    };
    const pipeline = pipelineOf(
      { enrich: { from: { projection: 'p' }, key: 'event.data.id', as: 'found' } },
      { emit: { stream: 'out' } },
    );
    const { emitted } = await dryRun(
      pipeline,
      eventsAt([0, '{"id":"a"}'], [1, '{"id":"b"}'], [2, '{"id":"a"}']),
      ask,
    );
    expect(asked).toEqual([['a', 'b']]);
    expect(emitted.map(({ event }) => event.data)).toEqual([
      '{"id":"a","found":"a!"}',
      '{"id":"b","found":"b!"}',
      '{"id":"a","found":"a!"}',
    ]);
  });

  it('keeps the original text of numbers', async () => {
    const result = await dryRun(
      pipelineOf({ emit: { stream: 'out' } }),
      eventsAt([0, '{"n":12345678901234567890.10}']),
      noneKnown,
    );
    expect(dryRunText(result)).toContain('"data":{"n":12345678901234567890.10}');
  });

  it('stops when its result is full', async () => {
    const pipeline = pipelineOf(
      { flat_map: { list: 'event.data.a' } },
      { window: { tumbling: '60s', key: '"all"', lateness: '1s' } },
      { reduce: { n: { op: 'count' } } },
      { emit: { stream: 'out' } },
    );
    const windowed = vi.spyOn(pipeline.stages[0]!.operator, 'rowsOf');
    const many = `{"a":[${'{},'.repeat(8999)}{}]}`;
    const { truncated } = await dryRun(pipeline, eventsAt([0, many]), noneKnown);
    expect(truncated).toBe(true);
    expect(windowed.mock.calls.length).toBeLessThan(9000);
  });

  it('lets other work run between the elements of one event', async () => {
    const elements = `{"a":[${'1,'.repeat(2_000)}1]}`;
    const windowed = pipelineOf(
      { flat_map: { list: 'event.data.a', as: 'e' } },
      { window: { hopping: { size: '60s', every: '1s' }, key: 'string(event.data.e)', lateness: '1s' } },
      { reduce: { n: { op: 'count' } } },
      { emit: { stream: 'out' } },
    );
    let [rounds, done] = [0, false];
    const count = (): void => {
      rounds++;
      if (!done) setImmediate(count);
    };
    setImmediate(count);
    await dryRun(windowed, eventsAt([0, elements]), noneKnown);
    done = true;
    expect(rounds).toBeGreaterThan(2);
  });

  it('limits its result, and marks it as truncated', async () => {
    const many = `{"a":[${'{},'.repeat(8999)}{}]}`;
    const { events, emitted, truncated } = await dryRun(
      pipelineOf({ flat_map: { list: 'event.data.a' } }, { emit: { stream: 'out' } }),
      eventsAt([0, many], [1, many]),
      noneKnown,
    );
    expect(truncated).toBe(true);
    const entries = events.reduce((sum, { steps }) => sum + 1 + steps.length, emitted.length);
    expect(entries).toBeLessThanOrEqual(dryRunLimits.entries);
  });
});
