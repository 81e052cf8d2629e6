import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { flowOf, pipelineOf } from '../pipeline.fixture.js';
import type { StateEntry } from '../flow/pipeline.js';
import { KeyedOperatorTestHarness, second, stageOf } from './keyed.fixture.js';

const settings = {
  after: 'event.data.is == "order"',
  event: 'event.data.is == "payment"',
  key: 'event.entity_id',
  within: '10s',
  as: 'payment.missing',
};
const order = { data: '{"is":"order"}' };
const payment = { data: '{"is":"payment"}' };

/** State entries of the operator, which also returns the times of missing events, in seconds. */
class Expectations {
  readonly #harness: KeyedOperatorTestHarness;
  readonly missing: number[] = [];

  constructor(more: Record<string, unknown> = {}) {
    this.#harness = new KeyedOperatorTestHarness(stageOf({ expect: { ...settings, ...more } }).operator);
  }

  get outcomes(): unknown[] {
    return this.#harness.outcomes;
  }

  get rows(): Map<string, StateEntry> {
    return this.#harness.rows;
  }

  add(at: number, what: { data: string; key?: string; watermark?: number }): this {
    this.#harness.add(at, what);
    return this;
  }

  /** Decides all events that are due at the watermark, in seconds, and returns the times of those that are missing. */
  decide(watermark: number): number[] {
    const { operator, rows } = this.#harness;
    const found: number[] = [];
    for (const [name, row] of [...rows]) {
      if (row.closesAt > watermark * second) continue;
      const { row: rest, results } = operator.close(row, name, watermark * second);
      if (rest) rows.set(name, rest);
      else rows.delete(name);
      found.push(...results.map((one) => one!.event.timestamp / second));
    }
    this.missing.push(...found);
    return found;
  }
}

describe('an expected event', () => {
  it('is missing if none comes in time, once the watermark has passed that time', () => {
    const all = new Expectations().add(0, order).add(1, { ...order, key: 'j' });
    expect(all.decide(10)).toEqual([]);
    expect(all.decide(10.000001)).toEqual([0]);
    expect(all.decide(1000)).toEqual([1]);
    expect(all.rows.size).toBe(0);
  });

  it.each([0, 5, 10])('is not missing if it comes %d seconds after the first event', (at) => {
    const all = new Expectations().add(0, order).add(at, payment);
    expect(all.decide(1000)).toEqual([]);
    expect(all.outcomes).toMatchObject([{ kind: 'drop', reason: 'Expected events end here.' }]);
    expect(all.rows.size).toBe(0);
  });

  it.each([-0.000001, 10.000001])(
    'is missing if another one comes %d seconds after the first event',
    (at) => {
      expect(new Expectations().add(0, order).add(at, payment).decide(1000)).toEqual([0]);
    },
  );

  it('may arrive before the first event', () => {
    const all = new Expectations().add(5, payment).add(0, order);
    expect(all.decide(1000)).toEqual([]);
    expect(all.outcomes).toHaveLength(1);
  });

  it('of another key does not count', () => {
    const all = new Expectations().add(0, order).add(5, { ...payment, key: 'j' });
    expect(all.decide(1000)).toEqual([0]);
  });

  it('counts for every first event that it follows in time', () => {
    const all = new Expectations().add(0, order).add(3, order).add(12, order).add(11, payment);
    expect(all.decide(1000)).toEqual([0, 12]);
  });

  it('counts within the lateness, and not after it', () => {
    const late = (watermark: number) =>
      new Expectations({ lateness: '5s' })
        .add(0, order)
        .add(9, { ...payment, watermark })
        .decide(1000);
    expect(late(15)).toEqual([]);
    expect(late(15.000001)).toEqual([0]);
  });

  it('may be of the kind of the first event, like a heartbeat', () => {
    const heartbeats = new Expectations({ event: settings.after }).add(0, order).add(20, order).add(9, order);
    expect(heartbeats.decide(29)).toEqual([9]);
    expect(heartbeats.decide(1000)).toEqual([20]);
  });
});

describe('a first event', () => {
  it('that arrives after its time has passed is late', () => {
    const all = new Expectations({ late: { stream: 'too_late' } }).add(0, { ...order, watermark: 10.000001 });
    expect(all.outcomes).toMatchObject([{ kind: 'late', stream: 'too_late' }]);
    expect(all.rows.size).toBe(0);
  });

  it('is passed on with the type of `as`, and is otherwise the same', () => {
    const stage = stageOf({ expect: settings });
    const flow = flowOf('{"is":"order","n":1.0}', { entity_id: 'o-1', timestamp: 5 * second, offset: 7 });
    const row = stage.operator.add(undefined, 'o-1', { key: 'o-1', flow, watermark: 0 }).row!;
    const [result] = stage.operator.close(row, 'o-1', Infinity).results;
    expect(result?.event).toEqual({ ...flow.event, event_type: 'payment.missing' });
    expect(result?.origin).toEqual({ ...flow.origin, expected: stage.id });
  });

  it('fails if what its key waits for is too large, and the others remain', () => {
    const all = new Expectations();
    const large = { data: JSON.stringify({ is: 'order', text: 'x'.repeat(60_000) }) };
    for (let i = 0; i < 18; i++) all.add(i / 10, large);
    expect(all.outcomes).toMatchObject([
      {
        kind: 'fail',
        detail: expect.stringMatching(/at most 1048576 characters .*would bring it to \d+/) as string,
      },
    ]);
    expect(all.decide(1000)).toHaveLength(17);
  });
});

it('an expected event fails if the key has too many of them that are far apart', () => {
  const { operator } = stageOf({ expect: { ...settings, within: '1s', lateness: '366d' } });
  const satisfied = Array.from({ length: 10_485 }, (_, i) => [i * 10 * second, (i * 10 + 1) * second]);
  const row = { state: { waiting: [], satisfied }, closesAt: 0 };
  const kindAt = (at: number) => {
    const flow = flowOf(payment.data, { timestamp: at * second });
    return operator.add(row, 'k', { key: 'k', flow, watermark: 0 }).outcome?.kind;
  };
  expect([kindAt(11), kindAt(15)]).toEqual(['drop', 'fail']);
});

it('an event that neither condition selects goes no further, nor one without a key', () => {
  const {
    source: { chain },
  } = pipelineOf({ expect: { ...settings, key: 'event.data.k' } }, { emit: { stream: 'out' } });
  const reason = 'Neither `after` nor `event` selects it, or its key is null.';
  const at = '/operators/0/expect';
  const run = (data: string) => chain.run(flowOf(data), () => null);
  expect(run('{"is":"other","k":"a"}')).toMatchObject([{ kind: 'drop', at, reason }]);
  expect(run('{"is":"order","k":null}')).toMatchObject([{ kind: 'drop', at, reason }]);
  expect(run('{"is":"order","k":"a"}')).toMatchObject([{ kind: 'forward', key: 'a' }]);
  expect(run('{"k":"a"}')).toMatchObject([{ kind: 'fail', pointer: '/operators/0/expect/after' }]);
});

it('an event for which one condition has no value does not fail if the other selects it', () => {
  const conditions = { after: 'event.data.total > 100', event: 'event.data.is == "payment"' };
  const {
    source: { chain },
  } = pipelineOf({ expect: { ...settings, ...conditions } }, { emit: { stream: 'out' } });
  const kindOf = (data: string) => chain.run(flowOf(data), () => null)[0]?.kind;
  expect(kindOf('{"is":"payment"}')).toBe('forward');
  expect(kindOf('{"total":500}')).toBe('forward');
  expect(kindOf('{"is":"other"}')).toBe('fail');
  const all = new Expectations(conditions).add(0, { data: '{"total":500}' }).add(5, payment);
  expect(all.decide(1000)).toEqual([]);
});

it('an expected event that is too late for every first event is late', () => {
  const all = new Expectations().add(0, { ...payment, watermark: 10.000001 });
  expect(all.outcomes).toMatchObject([{ kind: 'late' }]);
});

it.each([
  ['no key', { key: undefined }, '/operators/0/expect/key'],
  ['a time that is no duration', { within: 'soon' }, '/operators/0/expect/within'],
  ['an unknown member', { until: '1m' }, '/operators/0/expect/until'],
  ['a type with a line break', { as: 'a\nb' }, '/operators/0/expect/as'],
  ['a condition that is a text', { after: '"x"' }, '/operators/0/expect/after'],
  ['a stream name that is none', { late: { stream: 'A B' } }, '/operators/0/expect/late/stream'],
])('%s is an error of the definition', (_what, more, pointer) => {
  const definition = JSON.parse(JSON.stringify({ expect: { ...settings, ...more } })) as Record<
    string,
    unknown
  >;
  expect(() => pipelineOf(definition, { emit: { stream: 'out' } })).toThrow(
    expect.objectContaining({ errors: [expect.objectContaining({ pointer })] }) as Error,
  );
});

describe('any events in any order', () => {
  const arrivals = fc
    .array(fc.record({ at: fc.integer({ min: 0, max: 60 }), goesOn: fc.nat(6), is: fc.nat(2) }), {
      maxLength: 14,
    })
    .map((all) => {
      let watermark = -20;
      return all.map(({ at, goesOn, is }) => ({ at, is, watermark: (watermark += goesOn) }));
    });

  /** The missing events by the rule of docs/pipeline-operators.md, from the whole history. */
  function missingByTheBook(history: readonly { at: number; is: number; watermark: number }[]): number[] {
    const isDecided = (at: number, watermark: number) => watermark > at + 10;
    const comesFor = (first: { at: number; is: number }) =>
      history.some(
        (one) =>
          one.is >= 1 &&
          (one.is === 2 ? one.at > first.at : one.at >= first.at) &&
          one.at <= first.at + 10 &&
          !isDecided(first.at, one.watermark),
      );
    return history
      .filter((one) => one.is !== 1 && !isDecided(one.at, one.watermark) && !comesFor(one))
      .map(({ at }) => at);
  }

  it.each([true, false])(
    'have the same result as a model without state; decided between them: %s',
    (between) => {
      // 0 is a first event, 1 an expected one, and 2 is both.
      const more = { after: 'event.data.is != 1', event: 'event.data.is >= 1' };
      let found = 0;
      fc.assert(
        fc.property(arrivals, (history) => {
          const all = new Expectations(more);
          for (const { at, is, watermark } of history) {
            if (between) all.decide(watermark);
            all.add(at, { data: `{"is":${is}}`, watermark });
          }
          all.decide(1000);
          const byNumber = (a: number, b: number) => a - b;
          expect(all.missing.sort(byNumber)).toEqual(missingByTheBook(history).sort(byNumber));
          expect(all.rows.size).toBe(0);
          found += all.missing.length;
        }),
        { numRuns: 400 },
      );
      expect(found).toBeGreaterThan(200);
    },
  );
});
