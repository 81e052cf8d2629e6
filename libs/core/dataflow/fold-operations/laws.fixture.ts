import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { CelValue } from '#cel';
import type { FoldOperation } from './fold-operation.js';
import type { Json } from './fold-operation.js';
import { comparePositions, type FoldEventSortKey } from './position.js';

interface AddedValue {
  value: CelValue;
  position: FoldEventSortKey;
}

/** Returns arbitrary events in any order, each as [group, event]. No two events have the same position. */
function arrivals(values: fc.Arbitrary<CelValue>, maxLength: number): fc.Arbitrary<[number, AddedValue][]> {
  const event = fc.record({
    value: values,
    timestamp: fc.integer({ min: -2, max: 2 }),
    partition: fc.nat(2),
    stream: fc.constantFrom('a', 'b'),
    piece: fc.nat(3),
  });
  return fc
    .array(event, { maxLength })
    .map((events) =>
      events.map(({ value, timestamp, partition, stream, piece }, offset): [number, AddedValue] => [
        piece,
        { value, position: [timestamp, partition, offset, stream] },
      ]),
    )
    .chain((events) => fc.shuffledSubarray(events, { minLength: events.length }));
}

const throughJson = <T extends Json>(state: T): T => JSON.parse(JSON.stringify(state)) as T;

/** Adds specs for the laws that every fold operation must satisfy, for any values. */
export function itSatisfiesTheFoldLaws<State extends Json>(
  operation: FoldOperation<State>,
  values: fc.Arbitrary<CelValue>,
  { maxLength = 12, numRuns = 100 } = {},
): void {
  const { empty } = operation;
  const merge = (a: State, b: State) => operation.merge(a, b);
  const result = (state: State) => operation.result(state);
  const fold = (events: AddedValue[]) =>
    events.reduce<State>((state, { value, position }) => operation.add(state, value, position), empty);
  const pieces = (events: [number, AddedValue][]) =>
    [0, 1, 2, 3].map((i) => fold(events.filter(([piece]) => piece === i).map(([, event]) => event)));
  const inOrder = (events: [number, AddedValue][]) =>
    events.map(([, event]) => event).sort((a, b) => comparePositions(a.position, b.position));
  const law = (check: (events: [number, AddedValue][]) => void) => () =>
    fc.assert(fc.property(arrivals(values, maxLength), check), { numRuns });

  it(
    'folding groups of events and merging their states equals folding all events at once',
    law((events) => {
      const [a, b, c, d] = pieces(events) as [State, State, State, State];
      const expected = result(fold(inOrder(events)));
      expect(result(merge(merge(a, b), merge(c, d)))).toBe(expected);
      expect(result(fold(events.map(([, event]) => event)))).toBe(expected);
    }),
  );

  it(
    'merging is commutative and associative, and the empty state is neutral',
    law((events) => {
      const [a, b, c] = pieces(events) as [State, State, State, State];
      expect(merge(a, b)).toEqual(merge(b, a));
      expect(merge(merge(a, b), c)).toEqual(merge(a, merge(b, c)));
      expect([merge(a, empty), merge(empty, a)]).toEqual([a, a]);
    }),
  );

  it(
    'a state that is written as JSON and read again behaves the same',
    law((events) => {
      let [kept, read]: [State, State] = [empty, throughJson(empty)];
      for (const [, { value, position }] of events) {
        kept = operation.add(kept, value, position);
        read = throughJson(operation.add(read, value, position));
        expect(read).toEqual(kept);
      }
      expect(merge(read, read)).toEqual(merge(kept, kept));
      expect(JSON.parse(result(read))).toEqual(JSON.parse(result(kept)));
    }),
  );

  it(
    'adding an event does not modify the earlier state',
    law((events) => {
      const states = [empty];
      for (const [, { value, position }] of events) {
        const before = JSON.stringify(states.at(-1));
        states.push(operation.add(states.at(-1) as State, value, position));
        expect(JSON.stringify(states.at(-2))).toBe(before);
      }
    }),
  );
}
