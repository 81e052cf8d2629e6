import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compilePipeline, type PipelineSpec } from '../compile-pipeline.js';
import { flowOf, pipelineOf } from '../pipeline.fixture.js';
import type { KeyedStage, OperatorOutcome, PipelineEvent, StateEntry } from '../flow/pipeline.js';
import { second, stageOf } from './keyed.fixture.js';

const settings = {
  with: { streams: ['payments'] },
  left: 'event.entity_id',
  right: 'event.data.order',
  within: { before: '2s', after: '10s' },
  as: 'payment',
};
const out = { emit: { stream: 'out' } };

type Side = 'left' | 'right';
interface Arrival {
  side: Side;
  /** Time and watermark in seconds. */
  at: number;
  watermark?: number;
  stageWatermark?: number;
  key?: string;
  data?: string;
  metadata?: string;
}

const throughJson = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

/** The state entries of a join, and its results as text: the times of both sides, in seconds. */
class Joined {
  readonly rows = new Map<string, StateEntry>();
  readonly results: PipelineEvent[] = [];
  readonly outcomes: OperatorOutcome[] = [];
  /** The number of positions of each call that the results have. */
  readonly positions: number[] = [];
  readonly stage: KeyedStage;
  #events = 0;
  #isErased = false;

  constructor(more: Record<string, unknown> = {}) {
    this.stage = stageOf({ join: { ...settings, ...more } });
  }

  add({
    side,
    at,
    watermark = -1e6,
    stageWatermark = -1e6,
    key = 'k',
    data = '{}',
    metadata = '{}',
  }: Arrival): this {
    const stream = side === 'left' ? 'orders' : 'payments';
    const offset = this.#events++;
    const flow = flowOf(data, {
      stream,
      timestamp: at * second,
      offset,
      metadata,
      event_id: eventId(offset),
    });
    const step = this.stage.operator.add(this.rows.get(key), key, {
      ...{ key, flow, watermark: watermark * second, stageWatermark: stageWatermark * second },
      isErased: ({ event }) => this.#isErased && event.data.includes('personal'),
      ...(side === 'right' && { side }),
    });
    if (step.row) this.rows.set(key, throughJson(step.row));
    if (step.outcome) this.outcomes.push(step.outcome);
    this.positions.push(step.results.length);
    this.results.push(...step.results.filter((one) => one !== undefined));
    return this;
  }

  left(at: number, more: Partial<Arrival> = {}): this {
    return this.add({ side: 'left', at, ...more });
  }

  right(at: number, more: Partial<Arrival> = {}): this {
    return this.add({ side: 'right', at, ...more });
  }

  /** Erases the entity of the events with personal data. */
  erase(): this {
    this.#isErased = true;
    return this;
  }

  /** Decides all events that are due at the watermark, in seconds. */
  decide(watermark: number): this {
    for (const [name, row] of [...this.rows]) {
      if (row.closesAt > watermark * second) continue;
      const { row: rest, results } = this.stage.operator.close(row, name, watermark * second);
      if (rest) this.rows.set(name, throughJson(rest));
      else this.rows.delete(name);
      this.positions.push(results.length);
      this.results.push(...results.filter((one) => one !== undefined));
    }
    return this;
  }

  /** Returns all results as texts such as `orders@5 {"payment":…}`: stream and time of the result, and its data. */
  get texts(): string[] {
    return this.results.map(({ event }) => `${event.stream}@${event.timestamp / second} ${event.data}`);
  }
}

function eventId(offset: number): string {
  return `00000000-0000-4000-8000-${String(offset).padStart(12, '0')}`;
}

describe('two events with the same key join', () => {
  it.each([-2, 0, 10])('if the right one is %d seconds later, in both orders of arrival', (later) => {
    const expected = [`orders@${Math.max(100, 100 + later)} {"n":1,"payment":{"p":2}}`];
    const [left, right] = [{ data: '{"n":1}' }, { data: '{"p":2}' }];
    expect(new Joined().left(100, left).right(100 + later, right).texts).toEqual(expected);
    expect(new Joined().right(100 + later, right).left(100, left).texts).toEqual(expected);
  });

  it.each([-2.000001, 10.000001])('and not if the right one is %d seconds later', (later) => {
    expect(new Joined().left(100).right(100 + later).texts).toEqual([]);
    expect(new Joined().right(100 + later).left(100).texts).toEqual([]);
  });

  it('and others do not', () => {
    expect(new Joined().left(0, { key: 'a' }).right(0, { key: 'b' }).texts).toEqual([]);
  });

  it('each with each', () => {
    const all = new Joined().left(0).left(1).right(1, { data: '{"p":1}' }).right(2, { data: '{"p":2}' });
    expect(all.texts).toEqual([
      ...['orders@1 {"payment":{"p":1}}', 'orders@1 {"payment":{"p":1}}'],
      ...['orders@2 {"payment":{"p":2}}', 'orders@2 {"payment":{"p":2}}'],
    ]);
    expect(new Set(all.results.map(({ origin }) => JSON.stringify(origin))).size).toBe(4);
  });

  it('within an interval of which one side is left out', () => {
    const after = new Joined({ within: { after: '1s' } }).left(5).right(4.999999).right(5).right(6);
    expect(after.results).toHaveLength(2);
    const before = new Joined({ within: { before: '1s' } }).left(5).right(4).right(5).right(5.000001);
    expect(before.results).toHaveLength(2);
  });
});

describe('the result of a pair', () => {
  const pairOf = (left: string, right: string, metadata = '{}') => {
    const { operator } = stageOf({ join: settings });
    const [order, payment] = [
      flowOf(left, { metadata, timestamp: 0, offset: 3 }),
      flowOf(right, {
        ...{ stream: 'payments', event_type: 'paid', timestamp: second, offset: 7, partition: 2 },
        event_id: eventId(9),
      }),
    ];
    const { row } = operator.add(undefined, 'k', { key: 'k', flow: order, watermark: 0 });
    const { results } = operator.add(row, 'k', { key: 'k', flow: payment, watermark: 0, side: 'right' });
    return { order, payment, pair: results[0]! };
  };

  it('is the left event at the time of the later one, with exact data of both', () => {
    const { order, payment, pair } = pairOf('{"n":1.0}', '{"amount":12345678901234567890.10}');
    expect(pair.event).toEqual({
      ...order.event,
      timestamp: second,
      schema_version: null,
      data: '{"n":1.0,"payment":{"amount":12345678901234567890.10}}',
      metadata: `{"joined_stream":"payments","joined_event_id":"${eventId(9)}","joined_event_type":"paid","joined_timestamp":"1970-01-01T00:00:01.000000Z"}`,
    });
    expect(pair.joined?.event).toEqual(payment.event);
  });

  it('replaces a member of that name, and keeps other metadata', () => {
    const { pair } = pairOf('{"payment":1,"n":2}', '{"p":1}', '{"trace":"t","joined_stream":"old"}');
    expect(pair.event.data).toBe('{"n":2,"payment":{"p":1}}');
    expect(JSON.parse(pair.event.metadata)).toMatchObject({ trace: 't', joined_stream: 'payments' });
  });
});

describe('an event that joins none', () => {
  const alone = (kind: string) =>
    new Joined({ kind }).left(0, { data: '{"n":1}' }).right(20, { data: '{"p":1}' });

  it('ends in an inner join', () => {
    const all = alone('inner').decide(1000);
    expect(all.texts).toEqual([]);
    expect(all.rows.size).toBe(0);
  });

  it('passes in a left join if it is a left one, once the watermark has passed the last time of a partner', () => {
    const all = alone('left').decide(10);
    expect(all.texts).toEqual([]);
    expect(all.decide(10.000001).texts).toEqual(['orders@0 {"n":1,"payment":null}']);
    expect(all.decide(1000).results).toHaveLength(1);
    expect(all.rows.size).toBe(0);
  });

  it('passes in an outer join, also if it is a right one', () => {
    const all = alone('outer').decide(22.000001);
    expect(all.texts).toEqual(['orders@0 {"n":1,"payment":null}', 'payments@20 {"payment":{"p":1}}']);
  });

  it('waits for the lateness', () => {
    const all = new Joined({ kind: 'left', lateness: '5s' }).left(0).decide(15);
    expect(all.texts).toEqual([]);
    expect(all.right(10, { watermark: 15, stageWatermark: 15 }).texts).toEqual(['orders@10 {"payment":{}}']);
  });

  it('does not pass if it has joined one', () => {
    const all = new Joined({ kind: 'outer' }).left(0).left(1).right(1).decide(1000);
    expect(all.results).toHaveLength(2);
  });
});

describe('an event that arrives after its time', () => {
  it('is late if everything that could join it has been decided, and changes nothing', () => {
    const late = { stream: 'too_late' };
    const all = new Joined({ kind: 'outer', late })
      .left(0, { watermark: 12.000001 })
      .right(0, { watermark: 12.000001 });
    expect(all.outcomes).toMatchObject([
      { kind: 'late', stream: 'too_late', at: '/operators/0/join' },
      { kind: 'late', stream: 'too_late', at: '/operators/0/join/right' },
    ]);
    expect([all.rows.size, all.results.length]).toEqual([0, 0]);
    expect(new Joined({ kind: 'outer' }).left(0, { watermark: 12 }).outcomes).toEqual([]);
  });

  it('joins what still waits, such as the first payment after a silence, and does not wait itself', () => {
    const all = new Joined({ kind: 'outer' }).left(0).right(5, { watermark: 9, stageWatermark: 9 });
    expect(all.texts).toEqual(['orders@5 {"payment":{}}']);
    expect(all.decide(1000).results).toHaveLength(1);
  });

  it('passes at once if nothing waits for it and its side is kept', () => {
    const all = new Joined({ kind: 'outer' }).right(5, { watermark: 9, stageWatermark: 9, data: '{"p":1}' });
    expect(all.texts).toEqual(['payments@5 {"payment":{"p":1}}']);
    expect(all.rows.size).toBe(0);
  });

  it('joins an event that is out of order in its partition by less than the interval', () => {
    const all = new Joined({ kind: 'left' }).right(1).decide(3).left(0, { watermark: 3 });
    expect(all.texts).toEqual(['orders@1 {"payment":{}}']);
  });
});

describe('an erased event', () => {
  const personal = '{"personal":1}';

  it('is no partner: its pair is marked for the stage to skip, and the other event passes alone', () => {
    const all = new Joined({ kind: 'left' }).right(1, { data: personal }).erase().left(0);
    expect(all.results.map(({ joined }) => joined?.event.data)).toEqual([personal]);
    expect(all.decide(1000).texts.slice(1)).toEqual(['orders@0 {"payment":null}']);
  });

  it('is no partner either if it was erased before it arrived', () => {
    const all = new Joined({ kind: 'left' }).left(0).erase().right(1, { data: personal });
    expect(all.results.map(({ joined }) => joined?.event.data)).toEqual([personal]);
    expect(all.decide(1000).texts.slice(1)).toEqual(['orders@0 {"payment":null}']);
  });
});

it('the positions of results do not depend on when an entity is erased', () => {
  const positionsOf = (...erase: boolean[]): number[] => {
    const all = new Joined({ kind: 'outer' });
    const eraseIf = (now: boolean | undefined) => (now ? all.erase() : all);
    eraseIf(erase[0]).right(1, { data: '{"personal":1}' });
    eraseIf(erase[1]).left(0).left(30, { data: '{"personal":2}' });
    eraseIf(erase[2]).right(1.5).right(31);
    return eraseIf(erase[3]).decide(1000).positions;
  };
  const expected = positionsOf();
  expect(expected.length).toBeGreaterThan(5);
  for (const at of [0, 1, 2, 3])
    expect(positionsOf(...Array.from({ length: at }, () => false), true)).toEqual(expected);
});

describe('an event fails', () => {
  it('if the waiting events of its key are too large, and the others remain', () => {
    const all = new Joined({ kind: 'left' });
    const data = JSON.stringify({ text: 'x'.repeat(60_000) });
    for (let i = 0; i < 18; i++) all.left(i / 10, { data });
    expect(all.outcomes).toMatchObject([
      { kind: 'fail', detail: expect.stringMatching(/at most 1048576 .* bring them to \d+/) as string },
    ]);
    expect(all.decide(1000).results).toHaveLength(17);
  });

  it('and not if it is the second one, however large', () => {
    const data = JSON.stringify({ text: 'x'.repeat(700_000) });
    const all = new Joined().left(0, { data }).right(0, { data });
    expect([all.outcomes.length, all.results.length]).toEqual([0, 1]);
  });

  it('if it would join too much at once', () => {
    const all = new Joined();
    for (let i = 0; i < 100; i++) all.left(0);
    all.right(0, { data: JSON.stringify({ text: 'x'.repeat(200_000) }) });
    all.right(0, { metadata: JSON.stringify({ text: 'x'.repeat(200_000) }) });
    expect(all.outcomes).toMatchObject([
      { kind: 'fail', detail: expect.stringMatching(/would join 100 events/) as string },
      { kind: 'fail', detail: expect.stringMatching(/would join 100 events/) as string },
    ]);
    expect(all.results).toEqual([]);
  });
});

describe('the result of a join', () => {
  /** The pairs of a join by the definition: times and watermarks decide, and not the order of arrival. */
  const model = (arrivals: readonly Arrival[], kind: string): string[] => {
    const [before, after, lateness] = [2, 10, 1];
    const keeps = { left: kind !== 'inner', right: kind === 'outer' };
    const wait = {
      left: (keeps.left ? after : before + after) + lateness,
      right: (keeps.right ? before : before + after) + lateness,
    };
    const onTime = arrivals.filter(
      ({ side, at, watermark }) =>
        watermark! <= at + (side === 'left' ? after + wait.right : before + wait.left),
    );
    const [lefts, rights] = [onTime.filter(isLeft), onTime.filter((one) => !isLeft(one))];
    const pairs = lefts.flatMap((left) =>
      rights
        .filter(({ at }) => left.at - before <= at && at <= left.at + after)
        .filter(
          (right) => left.watermark! <= right.at + wait.right && right.watermark! <= left.at + wait.left,
        )
        .map((right) => ({ left, right })),
    );
    const alone = (one: Arrival) => !pairs.some(({ left, right }) => left === one || right === one);
    return [
      ...pairs.map(({ left, right }) => `${left.data} ${right.data}`),
      ...(keeps.left ? lefts.filter(alone).map(({ data }) => `${data} none`) : []),
      ...(keeps.right ? rights.filter(alone).map(({ data }) => `none ${data}`) : []),
    ].sort();
  };
  const isLeft = ({ side }: Arrival) => side === 'left';
  const textOf = ({ event }: PipelineEvent): string => {
    const { n, payment } = JSON.parse(event.data) as { n?: number; payment: { n: number } | null };
    return `${n === undefined ? 'none' : `{"n":${n}}`} ${payment === null ? 'none' : `{"n":${payment.n}}`}`;
  };

  it('is that of the definition, in every order of arrival', () => {
    const arrival = fc.record({
      side: fc.constantFrom<Side>('left', 'right'),
      at: fc.integer({ min: 0, max: 30 }),
      /** How far the partition of the event is ahead of the event. */
      ahead: fc.integer({ min: 0, max: 16 }),
    });
    fc.assert(
      fc.property(
        fc.array(arrival, { maxLength: 10 }),
        fc.record({ kind: fc.constantFrom('inner', 'left', 'outer'), isEager: fc.boolean() }),
        fc.infiniteStream(fc.nat()),
        (given, { kind, isEager }, order) => {
          const arrivals = given.map(({ side, at, ahead }, n) => ({
            ...{ side, at, watermark: at + ahead, data: `{"n":${n}}` },
          }));
          const all = new Joined({ kind, lateness: '1s' });
          const shuffled = arrivals
            .map((one) => ({ one, rank: order.next().value as number }))
            .sort((a, b) => a.rank - b.rank);
          // The stage may be as far as the slowest partition, which has the event that is behind most of those to come.
          shuffled.forEach(({ one }, i) => {
            const behind = Math.min(...shuffled.slice(i).map((later) => later.one.watermark));
            const stageWatermark = isEager ? behind : -1e6;
            all.decide(stageWatermark).add({ ...one, stageWatermark });
          });
          all.decide(1000);
          expect(all.results.map(textOf).sort()).toEqual(model(arrivals, kind));
          expect(all.rows.size).toBe(0);
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe('the definition of a join', () => {
  const errorsOf = (spec: Record<string, unknown>): string[] => {
    try {
      pipelineOf({ join: { ...settings, ...spec } }, out);
      return [];
    } catch (error) {
      return (error as { errors: { pointer: string; detail: string }[] }).errors.map(
        ({ pointer, detail }) => `${pointer}: ${detail}`,
      );
    }
  };

  it.each<[Record<string, unknown>, string]>([
    [{ with: { streams: [] } }, '/operators/0/join/with/streams: must be a list of 1 to 20 elements'],
    [{ with: { streams: ['a', 'a'] } }, '/operators/0/join/with/streams/1: is a duplicate'],
    [{ with: { streams: ['a'], where: '1 +' } }, '/operators/0/join/with/where: '],
    [{ with: { streams: ['a'], idle_after: '1s' } }, '/operators/0/join/with/idle_after: '],
    [{ within: {} }, '/operators/0/join/within: must have before or after, or both'],
    [{ within: { after: '367d' } }, '/operators/0/join/within/after: '],
    [{ kind: 'right' }, '/operators/0/join/kind: must be '],
    [{ right: 'event.' }, '/operators/0/join/right: '],
    [{ as: '' }, '/operators/0/join/as: '],
    [{ other: 1 }, '/operators/0/join/other: '],
  ])('is invalid: %j', (spec, error) => {
    expect(errorsOf(spec)).toEqual([expect.stringContaining(error)]);
  });

  it('names at most 20 streams together with the source', () => {
    const streams = Array.from({ length: 20 }, (_, i) => `s${i}`);
    expect(errorsOf({ with: { streams } })).toEqual([
      '/operators: has at most 20 streams in the source and in joins',
    ]);
    expect(errorsOf({ with: { streams: [...streams.slice(1), 'orders'] } })).toEqual([]);
  });

  it('says which streams feed the join, and through which input', () => {
    const spec: PipelineSpec = {
      source: { streams: ['orders'] },
      operators: [
        { dedupe: { key: 'event.entity_id', within: '1m' } },
        { join: { ...settings, with: { streams: ['orders', 'payments'], where: 'event.data.n > 1' } } },
        out,
      ],
      from: 'beginning',
    };
    const pipeline = compilePipeline(spec);
    const { inputs, stages } = pipeline;
    const [dedupe, join] = stages.map(({ id }) => id) as [string, string];
    expect(pipeline.upstreamOf(dedupe)).toEqual({ stage: undefined, streams: ['orders'] });
    expect(pipeline.upstreamOf(join)).toEqual({ stage: dedupe, streams: ['orders', 'payments'] });
    expect(inputs.map(({ streams }) => streams)).toEqual([['orders'], ['orders', 'payments']]);
    const right = inputs[1]!;
    expect(right.matches(flowOf('{"n":2}'))).toBe(true);
    expect(right.matches(flowOf('{"n":1}'))).toBe(false);
    expect(right.chain.run(flowOf('{"order":"o-1"}'), () => null)).toMatchObject([
      { kind: 'forward', stage: join, key: 'o-1', side: 'right', at: '/operators/1/join/right' },
    ]);
    expect(right.chain.run(flowOf('{"order":null}'), () => null)).toMatchObject([
      { kind: 'drop', at: '/operators/1/join/right' },
    ]);
  });

  it('lets a replayed dead letter of a right event continue on the right side', () => {
    const pipeline = pipelineOf({ join: settings }, out);
    const kindAt = (at: string) => pipeline.entry(at)?.run(flowOf('{"order":"o-1"}'), () => null)[0];
    expect(kindAt('/operators/0/join')).not.toHaveProperty('side');
    expect(kindAt('/operators/0/join/right')).toMatchObject({ side: 'right' });
  });
});
