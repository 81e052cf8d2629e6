import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { areUnique, isOneOf } from './equality.js';
import { StepMeter } from './step-meter.js';

const name = fc.constantFrom('a', 'b', 'constructor', 'valueOf', '__proto__');
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom<unknown>(null, true, false, 0, -0, 1, '1', '', 'null', '"', '{}', '[]', 0.1, 1e300),
    fc.array(tie('value'), { maxLength: 3 }),
    fc
      .array(fc.tuple(name, tie('value')), { maxLength: 3 })
      .map((members) => JSON.parse(textOf(members)) as unknown),
  ),
}));
const textOf = (members: [string, unknown][]) =>
  `{${members.map(([key, member]) => `${JSON.stringify(key)}:${JSON.stringify(member)}`).join()}}`;

function equal(a: unknown, b: unknown): boolean {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const [left, right] = [new Map(Object.entries(a)), new Map(Object.entries(b))];
  return (
    left.size === right.size &&
    [...left].every(([key, member]) => right.has(key) && equal(member, right.get(key)))
  );
}

const meter = Object.assign(new StepMeter(), { left: Infinity });

describe('equality of JSON values', () => {
  it('is that of JSON Schema, for any member names', () => {
    fc.assert(
      fc.property(value, value, (a, b) => {
        expect(isOneOf([a])(b, meter)).toBe(equal(a, b));
      }),
      { numRuns: 2_000 },
    );
  });

  it('determines whether items are unique', () => {
    const pairs = (items: unknown[]) =>
      items.some((item, i) => items.slice(0, i).some((other) => equal(item, other)));
    fc.assert(
      fc.property(fc.array(value, { maxLength: 5 }), (items) => {
        expect(areUnique(items, meter)).toBe(!pairs(items));
      }),
      { numRuns: 2_000 },
    );
  });
});
