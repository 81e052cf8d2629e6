import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { numberTexts } from '../../../../packages/cel/src/decimal.fixture.js';
import { readDecimal, isComputable } from '#cel';
import { compileFold, type FoldState } from './compile-fold.js';
import { event } from './event.fixture.js';
import type { FoldEvent } from './fold-event.js';

const fold = compileFold({
  orders: { op: 'count' },
  revenue: { op: 'sum', value: 'event.data.amount' },
  vat: { op: 'sum', value: 'event.data.amount * 0.2' },
  smallest: { op: 'min', value: 'event.data.amount' },
  largest: { op: 'max', value: 'event.data.amount' },
  mean: { op: 'avg', value: 'event.data.amount' },
  opened: { op: 'first', value: 'event.timestamp' },
  last: { op: 'last', value: 'event.entity_id' },
  customers: { op: 'count_distinct', value: 'event.data.customer' },
  amounts: { op: 'collect', value: 'event.data.amount' },
  customer: { op: 'merge', value: '{event.data.customer: {"paid": event.data.amount}}' },
});

const added = (state: FoldState, one: FoldEvent): FoldState => {
  const { state: next, refused } = fold.add(state, one);
  if (!next) throw new Error(JSON.stringify(refused));
  return next;
};
const through = (state: FoldState): FoldState => JSON.parse(JSON.stringify(state)) as FoldState;

describe('a fold', () => {
  it('has initial results without events', () => {
    expect(fold.result(fold.empty)).toBe(
      '{"orders":0,"revenue":0,"vat":0,"smallest":null,"largest":null,"mean":null,"opened":null,"last":null,' +
        '"customers":0,"amounts":[],"customer":{}}',
    );
  });

  it('has one result for each field, in the order of the definition', () => {
    const events = [
      '{"amount":0.1,"customer":"a"}',
      '{"amount":0.2,"customer":"b"}',
      '{"amount":9007199254740993,"customer":"a"}',
    ];
    const state = events.reduce((s, data, offset) => through(added(s, event(data, { offset }))), fold.empty);
    expect(fold.result(state)).toBe(
      '{"orders":3,"revenue":9007199254740993.3,"vat":1801439850948198.66,"smallest":0.1,"largest":9007199254740993,' +
        '"mean":3002399751580331.1,"opened":"2026-11-21T04:00:00.000000Z","last":"order-17","customers":2,' +
        '"amounts":[0.1,0.2,9007199254740993],"customer":{"a":{"paid":9007199254740993},"b":{"paid":0.2}}}',
    );
    expect(fold.results(state).revenue).toBe('9007199254740993.3');
  });

  it('merged from several partitions equals the fold of all events in time order', () => {
    const records = fc.record({
      amount: numberTexts.filter((text) => isComputable(readDecimal(text)!)),
      customer: fc.constantFrom('a', 'b', '__proto__'),
      second: fc.nat(3),
      partition: fc.nat(2),
    });
    fc.assert(
      fc.property(fc.array(records, { maxLength: 10 }), (list) => {
        const events = list.map(({ amount, customer, second, partition }, offset) =>
          event(`{"amount":${amount},"customer":"${customer}"}`, {
            offset,
            partition,
            timestamp: second * 1_000_000,
          }),
        );
        const parts = [0, 1, 2].map((partition) =>
          events
            .filter(({ position }) => position[1] === partition)
            .reduce((state, one) => through(added(state, one)), fold.empty),
        );
        const merged = parts.reduce((a, b) => fold.merge(b, a), fold.empty);
        const inOrder = events.toSorted(
          ({ position: a }, { position: b }) => a[0] - b[0] || a[1] - b[1] || a[2] - b[2],
        );
        expect(fold.result(merged)).toBe(fold.result(inOrder.reduce(added, fold.empty)));
      }),
      { numRuns: 60 },
    );
  });

  it('ignores a null value in that field only', () => {
    const paid = compileFold({
      all: { op: 'count' },
      paid: { op: 'sum', value: 'event.data.paid ? event.data.amount : null' },
    });
    const state = paid.add(paid.empty, event('{"paid":false,"amount":5}')).state!;
    expect(paid.result(state)).toBe('{"all":1,"paid":0}');
  });

  it.each([
    [
      '{"customer":"a"}',
      '/fields/revenue/value',
      'There is no member amount in this object. (at character 12)',
    ],
    ['{"amount":"5","customer":"a"}', '/fields/revenue/value', 'This is a string, but a number is needed.'],
    ['{"amount":1e999,"customer":"a"}', '/fields/revenue/value', 'A number has at most 308 digits'],
    ['{"amount":1,"customer":[]}', '/fields/customer/value', 'A name in an object is a string.'],
  ])('rejects %s with a reason, and does not modify the state', (data, pointer, detail) => {
    const state = added(fold.empty, event('{"amount":1,"customer":"a"}'));
    const before = JSON.stringify(state);
    const outcome = fold.add(state, event(data, { offset: 1 }));
    expect(outcome.refused).toMatchObject({ pointer, detail: expect.stringContaining(detail) as string });
    expect(outcome.state).toBeUndefined();
    expect(JSON.stringify(state)).toBe(before);
  });

  describe('with a top and a quantile', () => {
    const ranked = compileFold({
      n: { op: 'count' },
      largest: { op: 'top', n: 2, by: 'event.data.amount', value: 'event.data.customer' },
      amounts: { op: 'quantile', p: [0, 1], value: 'event.data.amount' },
    });
    const after = (...events: string[]) =>
      events.reduce(
        (state, data, offset) => through(ranked.add(state, event(data, { offset })).state!),
        ranked.empty,
      );

    it('has the parameters of its fields', () => {
      const state = after(
        '{"amount":5,"customer":"a"}',
        '{"amount":9,"customer":"b"}',
        '{"amount":-1,"customer":"c"}',
      );
      const result = JSON.parse(ranked.result(state)) as { amounts: Record<string, number> };
      expect(result).toMatchObject({
        n: 3,
        largest: [
          { by: 9, value: 'b' },
          { by: 5, value: 'a' },
        ],
      });
      expect(Math.abs(result.amounts['0']! + 1)).toBeLessThanOrEqual(0.01);
      expect(Math.abs(result.amounts['1']! - 9)).toBeLessThanOrEqual(0.09);
    });

    it.each(['{"amount":null,"customer":"a"}', '{"amount":1,"customer":null}'])(
      'leaves %s out of the top',
      (data) => {
        expect(ranked.results(after(data))).toMatchObject({ n: '1', largest: '[]' });
      },
    );

    it.each([
      ['{"amount":[],"customer":"a"}', 'by', 'This is a list, but a number, a string'],
      ['{"customer":"a"}', 'by', 'There is no member amount in this object. (at character 12)'],
      ['{"amount":1e999,"customer":"a"}', 'by', 'A number has at most 308 digits'],
      ['{"amount":1}', 'value', 'There is no member customer in this object. (at character 12)'],
    ])('rejects %s at its %s', (data, member, detail) => {
      expect(ranked.add(ranked.empty, event(data)).refused).toEqual({
        pointer: `/fields/largest/${member}`,
        detail: expect.stringContaining(detail) as string,
      });
    });

    it('has values to send for a quantile, and none for a top', () => {
      const one = event('{"amount":1,"customer":"a"}');
      expect(ranked.valuesOf(one)).toBeUndefined();
      const amounts = compileFold({ amounts: { op: 'quantile', p: [1], value: 'event.data.amount' } });
      expect(amounts.valuesOf(one)).toEqual([1]);
      expect(amounts.addValues(amounts.empty, [1], one.position).state).toEqual(
        amounts.add(amounts.empty, one).state,
      );
    });
  });

  it('adds the values of an event as it adds the event, also after JSON', () => {
    const numbers = fc.oneof(numberTexts, fc.constantFrom('0', '-0', '0.1', '1e3', '9007199254740993'));
    const text = fc.oneof(fc.string(), fc.string({ minLength: 200, maxLength: 300 }));
    fc.assert(
      fc.property(fc.array(fc.tuple(numbers, text)), (list) => {
        const plain = compileFold({
          n: { op: 'count' },
          sum: { op: 'sum', value: 'event.data.amount' },
          least: { op: 'min', value: 'event.data.amount' },
          last: { op: 'last', value: 'event.data.amount' },
          customers: { op: 'count_distinct', value: 'event.data.customer' },
          large: { op: 'last', value: 'event.data.amount > 5 ? event.data.customer : null' },
        });
        let [state, byValues] = [plain.empty, plain.empty];
        for (const [offset, [amount, customer]] of list.entries()) {
          const one = event(`{"amount":${amount},"customer":${JSON.stringify(customer)}}`, { offset });
          const values = plain.valuesOf(one);
          const sent = values && (JSON.parse(JSON.stringify(values)) as typeof values);
          const { state: next } = plain.add(state, one);
          const added = sent ? plain.addValues(byValues, sent, one.position) : plain.add(byValues, one);
          expect(added.state).toEqual(next);
          if (next) [state, byValues] = [next, added.state!];
        }
        expect(plain.result(byValues)).toBe(plain.result(state));
      }),
    );
  });

  it.each([
    ['a value that is no double', '{"amount":9007199254740993,"customer":"a"}'],
    ['the sign of zero, which JSON loses', '{"amount":-0,"customer":"a"}'],
    ['long values', `{"amount":1,"customer":"${'x'.repeat(257)}"}`],
    ['a member that is missing', '{"amount":1}'],
    ['a value of another kind', '{"amount":"1","customer":"a"}'],
  ])('has no values to send for an event with %s', (_, data) => {
    const plain = compileFold({
      sum: { op: 'sum', value: 'event.data.amount' },
      last: { op: 'last', value: 'event.data.customer' },
    });
    expect(plain.valuesOf(event('{"amount":1,"customer":"a"}'))).toEqual([1, 'a']);
    expect(plain.valuesOf(event(data))).toBeUndefined();
  });

  it('computes statistics of flight delays', () => {
    const delays = compileFold({
      flights: { op: 'count' },
      late: { op: 'sum', value: 'event.data.delay > 15 ? 1 : 0' },
      mean: { op: 'avg', value: 'event.data.delay' },
      worst: { op: 'max', value: 'event.data.delay' },
      routes: { op: 'count_distinct', value: 'event.entity_id' },
    });
    const flights = [-5, 30, 7];
    const state = flights.reduce(
      (s, delay, offset) => delays.add(s, event(`{"delay":${delay}}`, { offset })).state!,
      delays.empty,
    );
    expect(delays.result(state)).toBe(
      '{"flights":3,"late":1,"mean":10.666666666666666,"worst":30,"routes":1}',
    );
  });
});

it('an event without a `by` changes no top, also if it has no value', () => {
  const by = 'has(event.data.price) ? event.data.price : null';
  const top = compileFold({ largest: { op: 'top', n: 2, by, value: 'event.data.tea' } });
  const { state } = top.add(top.empty, event('{"price":2,"tea":"assam"}'));
  expect(top.add(state!, event('{}')).state).toEqual(state);
  expect(top.add(state!, event('{"price":3}')).refused).toMatchObject({
    pointer: '/fields/largest/value',
  });
});
