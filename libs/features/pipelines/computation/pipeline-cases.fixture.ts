import fc from 'fast-check';
import type { EventFromKafka } from '#event';
import { sourceStreams } from './operators/index.js';
import type { OperatorJson } from './operators/operator.js';
import type { PipelineSpec } from './compile-pipeline.js';
import { logEvent } from './pipeline.fixture.js';
import type { EventsBySourcePartition } from './simulation.fixture.js';

const second = 1_000_000;

/** A pipeline definition and all events of its source streams, for which exactly one result is correct. */
export interface PipelineCase {
  readonly spec: PipelineSpec;
  readonly source: EventsBySourcePartition;
}

/** The maximum disorder within a partition, in seconds; a lateness of this length covers it. */
const disorder = 12;

/** Operators before the window that keep `k`, `n` and the entity. */
const prefixes = fc.subarray<OperatorJson>([
  { filter: 'event.data.n != 3' },
  { map: { data: { k: 'event.data.k', n: 'event.data.n', l: 'event.data.l', was: 'event.event_type' } } },
  { flat_map: { list: 'event.data.l', as: 'e' } },
  { enrich: { from: { table: { a: 1, b: { c: [2] } } }, key: 'event.data.k', as: 'known' } },
  { emit: { stream: 'seen' } },
]);

const fields = {
  count: { op: 'count' },
  sum: { op: 'sum', value: 'event.data.n' },
  first: { op: 'first', value: 'event.data.k' },
  last: { op: 'last', value: 'event.data.n' },
  all: { op: 'collect', value: 'event.data.n' },
  largest: { op: 'top', n: 2, by: 'event.data.n', value: 'event.data.k' },
  amounts: { op: 'quantile', p: [0, 0.5, 1], value: 'event.data.n' },
} as const;
const reduces = fc
  .subarray(Object.keys(fields) as (keyof typeof fields)[], { minLength: 1 })
  .map((names) => ({ reduce: Object.fromEntries(names.map((name) => [name, fields[name]])) }));

const fixedShapes = fc.constantFrom(
  { tumbling: '2s' },
  { tumbling: '5s' },
  { tumbling: '1m' },
  { hopping: { size: '6s', every: '2s' } },
  { hopping: { size: '20s', every: '8s' } },
  { calendar: 'day', zone: 'Europe/Berlin' },
);
const sessionShapes = fc.constantFrom({ session: '3s' }, { session: '15s' });
const lateOutput = fc.constantFrom({}, { late: { stream: 'late' } });

/**
 * Arbitrary windows whose keys are spread over all partitions. Session windows of this kind have one correct result
 * only if no event is late.
 */
const spreadWindow = fc
  .tuple(
    fc.oneof(
      fc.tuple(fixedShapes, fc.constantFrom('0s', '2s', `${disorder}s`)),
      fc.tuple(
        fc.constantFrom({ session: '3s' }, { session: '15s' }),
        fc.constantFrom(`${disorder}s`, '20s'),
      ),
    ),
    fc.constantFrom('event.data.k', '"all"'),
    lateOutput,
  )
  .map(([[shape, lateness], key, late]) => ({ window: { ...shape, key, lateness, ...late } }));

/**
 * Arbitrary windows whose keys are each in one partition. Windows with each key in one partition always have one
 * correct result.
 */
const entityWindow = fc
  .record({
    shape: fc.oneof({ weight: 2, arbitrary: fixedShapes }, { weight: 1, arbitrary: sessionShapes }),
    lateness: fc.constantFrom('0s', '2s'),
    emit: fc.constantFrom<'final' | 'updates'>('final', 'updates'),
    late: lateOutput,
  })
  .map(({ shape, lateness, emit, late }) => ({
    window: { ...shape, key: 'event.entity_id', lateness, emit, ...late },
  }));

const out: OperatorJson = { emit: { stream: 'out' } };

/** Arbitrary operators that follow a window. */
const endings = fc.oneof<fc.Arbitrary<OperatorJson[]>[]>(
  fc.constant([out]),
  fc.constant([
    { map: { data: { of: 'event.data.key', until: 'event.timestamp' }, event_type: '"result"' } },
    out,
  ]),
  fixedShapes.map<OperatorJson[]>((shape) => [
    out,
    { window: { ...shape, key: '"all"', lateness: '0s' } },
    { reduce: { results: { op: 'count' }, keys: { op: 'collect', value: 'event.data.key' } } },
    { emit: { stream: 'again', event_type: 'again' } },
  ]),
);

const windows = fc
  .tuple(fc.oneof(spreadWindow, entityWindow), reduces, endings)
  .map(([window, reduce, ending]): OperatorJson[] => [window, reduce, ...ending]);

const dedupes = fc.constantFrom<OperatorJson[]>([], [{ dedupe: { key: 'event.entity_id', within: '2s' } }]);

/** Arbitrary expectations, whose keys may be spread over all partitions; they have one correct result. */
const expectation = fc
  .record({
    key: fc.constantFrom('event.data.k', 'event.entity_id'),
    within: fc.constantFrom('1s', '5s', '30s'),
    lateness: fc.constantFrom('0s', '2s'),
    after: fc.constantFrom('event.data.n < 2', 'event.data.n < 4'),
    late: lateOutput,
  })
  .map(({ late, ...spec }): OperatorJson => ({
    expect: { ...spec, event: 'event.data.n >= 3', as: 'missing', ...late },
  }));

const joinKeys = fc.constantFrom('event.data.k', 'event.entity_id');

/** Arbitrary joins with another stream, with the same stream or with both; they have one correct result. */
const joining = fc
  .record({
    with: fc.constantFrom(
      { streams: ['payments'] },
      { streams: ['orders'], where: 'event.data.n >= 3' },
      { streams: ['payments', 'orders'], event_types: ['order.placed'] },
    ),
    left: joinKeys,
    right: joinKeys,
    within: fc.constantFrom({ after: '5s' }, { before: '2s', after: '0s' }, { before: '20s', after: '60s' }),
    lateness: fc.constantFrom('0s', '2s'),
    kind: fc.constantFrom('inner', 'left', 'outer'),
    late: lateOutput,
  })
  .map(({ late, ...spec }): OperatorJson => ({ join: { ...spec, as: 'other', ...late } }));

const joins = fc.oneof(
  fc.tuple(prefixes, joining).map(([prefix, one]) => [...prefix, one, out]),
  fc.tuple(joining, joining).map(([one, other]) => [one, out, other, { emit: { stream: 'again' } }]),
  fc
    .tuple(dedupes, joining, fixedShapes, reduces)
    .map(([dedupe, one, shape, reduce]) => [
      ...[...dedupe, one, out, { window: { ...shape, key: 'event.data.k', lateness: '0s' } }],
      ...[reduce, { emit: { stream: 'again' } }],
    ]),
  fc
    .tuple(fixedShapes, reduces, joining)
    .map(([shape, reduce, one]) => [
      ...[{ window: { ...shape, key: 'event.data.k', lateness: '0s' } }, reduce],
      ...[{ map: { data: { k: 'event.data.key' } } }, one, out],
    ]),
);

const operators: fc.Arbitrary<OperatorJson[]> = fc.oneof(
  { weight: 3, arbitrary: joins },
  { weight: 4, arbitrary: fc.tuple(prefixes, dedupes, windows).map((parts) => parts.flat()) },
  {
    weight: 1,
    arbitrary: fc.tuple(prefixes, windows, windows).map(([prefix, one, other]) => [
      ...prefix,
      {
        branch: [
          { when: 'event.data.n > 2', operators: one },
          { otherwise: true as const, operators: other },
        ],
      },
    ]),
  },
  { weight: 1, arbitrary: fc.tuple(prefixes, expectation).map(([prefix, one]) => [...prefix, one, out]) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(expectation, fixedShapes, reduces)
      .map(([one, shape, reduce]) => [
        ...[one, out, { window: { ...shape, key: 'event.data.k', lateness: '0s' } }],
        ...[reduce, { emit: { stream: 'again' } }],
      ]),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(prefixes, dedupes).map(([prefix, dedupe]) => [...prefix, ...dedupe, out]),
  },
);

const datas = fc.oneof(
  {
    weight: 20,
    arbitrary: fc
      .record({
        k: fc.constantFrom('a', 'b', 'c'),
        n: fc.integer({ min: 0, max: 5 }),
        l: fc.array(fc.nat(2), { maxLength: 2 }),
      })
      .map((data) => JSON.stringify(data)),
  },
  { weight: 1, arbitrary: fc.constantFrom('{}', '{"k":null,"n":1,"l":[]}', '{"k":"a","n":"x","l":1}') },
);

const arrival = fc.record({
  data: datas,
  entity: fc.nat(2),
  /** Seconds between the previous event and this one. */
  after: fc.oneof({ weight: 4, arbitrary: fc.nat(4) }, { weight: 1, arbitrary: fc.nat(40) }),
  back: fc.nat(disorder),
});

/** Arbitrary partitions of a stream, in order except for some disorder. Each partition has its own entities. */
const partitionsOf = (stream: string) =>
  fc
    .array(fc.array(arrival, { maxLength: 14 }), { minLength: 1, maxLength: 3 })
    .map((all): EventsBySourcePartition => {
      const named = all.map((events, partition): [string, EventFromKafka[]] => {
        let time = -60;
        const log = events.map(({ data, entity, after, back }, offset) => {
          time += after;
          const timestamp = (time - back) * second;
          return logEvent(data, {
            stream,
            timestamp,
            ingested_at: timestamp + second,
            partition,
            offset,
            entity_id: `e${partition}${entity}`,
            event_id: eventId(stream, partition, offset),
          });
        });
        return [`${stream}/${partition}`, log];
      });
      return Object.fromEntries(named);
    });

/**
 * Pipelines and inputs that have one correct result for every interleaving: sessions over several partitions see no
 * late events, and windows that emit updates have each key in one partition.
 */
export const pipelineCases: fc.Arbitrary<PipelineCase> = fc
  .record({ list: operators, orders: partitionsOf('orders'), payments: partitionsOf('payments') })
  .map(({ list, orders, payments }) => {
    const spec: PipelineSpec = { source: { streams: ['orders'] }, operators: list, from: 'beginning' };
    return { spec, source: { ...orders, ...(sourceStreams(spec).has('payments') && payments) } };
  });

/** Returns the id of the event at a position: the same in each run. */
export function eventId(stream: string, partition: number, offset: number): string {
  const number = (stream === 'orders' ? 0 : 100_000) + partition * 1000 + offset;
  return `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
}
