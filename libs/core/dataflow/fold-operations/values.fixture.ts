import fc from 'fast-check';
import { numberTexts } from '../../../../packages/cel/src/decimal.fixture.js';
import { parseExactJson, Duration, Timestamp, type CelValue } from '#cel';
import type { FoldEventSortKey } from './position.js';

/** Numbers as they occur in events: of any size, with any number of decimal places. */
export const numbers: fc.Arbitrary<CelValue> = numberTexts.map(parseExactJson);

export const texts: fc.Arbitrary<CelValue> = fc.oneof(
  fc.string({ maxLength: 4 }),
  fc.constantFrom('', 'a', 'é', '🎉', '\uffff', '__proto__', 'x'.repeat(100)),
);

/** Values of all kinds that a state can store. There are few distinct values, so that equal values occur. */
export const anyValues: fc.Arbitrary<CelValue> = fc.oneof(
  numbers,
  texts,
  fc.boolean(),
  fc.integer({ min: -3, max: 3 }).map((micros) => new Timestamp(micros * 1_000_000)),
  fc.integer({ min: -3, max: 3 }).map((micros) => new Duration(micros)),
  fc.jsonValue({ maxDepth: 3 }).filter((value) => value !== null) as fc.Arbitrary<CelValue>,
);

/** Returns the position of the n-th event; events are one second apart. */
export const at = (n: number): FoldEventSortKey => [n * 1_000_000, 0, n, 'orders'];
