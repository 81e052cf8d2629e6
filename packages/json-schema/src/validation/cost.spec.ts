import { describe, expect, it, vi } from 'vitest';
import { schemaBounds } from '../bounds.js';
import { compileSchema, readData } from './compile-schema.js';

const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));
const named = <T>(count: number, make: (index: number) => T): Record<string, T> =>
  Object.fromEntries(times(count, (index) => [`k${index}`, make(index)]));

/**
 * Returns a proxy of a JSON value that counts in `work.reads` how often its items and members are read, and the names
 * each time they are listed.
 */
function counting(value: unknown, work: { reads: number }, known = new WeakMap<object, object>()): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const made = known.get(value);
  if (made) return made;
  const proxy: object = new Proxy(value, {
    get(target, name) {
      if (name !== 'length') work.reads++;
      return counting(Reflect.get(target, name), work, known);
    },
    getOwnPropertyDescriptor(target, name) {
      const found = Reflect.getOwnPropertyDescriptor(target, name);
      return found && { ...found, value: counting(found.value, work, known) };
    },
    ownKeys(target) {
      const names = Reflect.ownKeys(target);
      work.reads += names.length;
      return names;
    },
  });
  known.set(value, proxy);
  return proxy;
}

/**
 * Validates an object whose member `v` has this schema and value. Returns how often parts of the value were read, and
 * whether the validation exceeded its limits.
 */
function costOf(schema: unknown, v: unknown, $defs = {}) {
  const compiled = compileSchema({ properties: { v: schema }, $defs });
  const characters = JSON.stringify({ v }).length;
  const work = { reads: 0 };
  const errors = compiled.validate({ v: counting(v, work) }, characters);
  const most = schemaBounds.stepsOfText + schemaBounds.stepsOfCharacter * characters;
  return {
    ...compiled,
    errors,
    gaveUp: compiled.exceededLimits,
    steps: compiled.steps,
    reads: work.reads,
    most,
  };
}

const list = times(20_000, () => 1);
const objects = times(5_000, (p) => ({ p }));
const object = named(5_000, (index) => index);
const deep = (levels: number, inner: unknown): unknown => (levels === 0 ? inner : [deep(levels - 1, inner)]);

describe('a validation that would take too long', () => {
  it.each<[string, object | true, unknown]>([
    ['many contains', { allOf: times(300, () => ({ contains: { type: 'string' }, minContains: 0 })) }, list],
    [
      'many contains with references',
      { allOf: times(300, () => ({ contains: { $ref: '#/$defs/text' }, minContains: 0 })) },
      list,
    ],
    ['a hundred schemas for items', { allOf: times(100, () => ({ items: { type: 'integer' } })) }, list],
    [
      'items with many alternatives',
      { items: { oneOf: times(300, (i) => (i === 299 ? true : { const: `x${i}` })) } },
      list,
    ],
    [
      'alternatives of alternatives',
      { items: { anyOf: times(20, (i) => ({ anyOf: times(20, (j) => ({ const: i * 20 + j - 398 })) })) } },
      list,
    ],
    ['many times uniqueItems', { allOf: times(300, () => ({ uniqueItems: true })) }, objects],
    ['uniqueItems at each level', { $ref: '#/$defs/unique' }, deep(60, object)],
    ['many object constants', { allOf: times(300, (i) => ({ not: { const: { a: i } } })) }, object],
    [
      'many patterns for property names',
      { patternProperties: Object.fromEntries(times(100, (i) => [`^a${i}$`, true])) },
      object,
    ],
    [
      'many times propertyNames',
      { allOf: times(100, () => ({ propertyNames: { pattern: '^k[0-9]+$' } })) },
      object,
    ],
    [
      'many times additionalProperties',
      { allOf: times(300, () => ({ additionalProperties: { type: 'integer' } })) },
      object,
    ],
    [
      'many times unevaluatedProperties',
      { allOf: times(300, () => ({ unevaluatedProperties: { type: 'integer' } })) },
      object,
    ],
    [
      'evaluated members in nested branches',
      {
        anyOf: times(10, () =>
          times(28, () => 0).reduce<object>((nested) => ({ anyOf: [nested] }), {
            allOf: times(10, () => ({ additionalProperties: { type: 'integer' } })),
          }),
        ),
        unevaluatedProperties: false,
      },
      object,
    ],
    [
      'many dependent schemas',
      { items: { dependentSchemas: named(300, () => ({ required: ['p'] })) } },
      objects,
    ],
  ])('is stopped if the schema has %s', (_, schema, v) => {
    const cost = costOf(schema, v, {
      text: { type: 'string' },
      unique: { uniqueItems: true, items: { $ref: '#/$defs/unique' } },
    });
    expect(cost.gaveUp).toBe(true);
    expect(cost.errors).toEqual([
      { pointer: '', detail: expect.stringMatching(/more than \d+ steps .*: make it smaller/) as string },
    ]);
    expect(cost.reads).toBeLessThan(cost.most);
  });

  it('gives the same answer for the same event on every machine', () => {
    const branch = { properties: { next: { $ref: '#/$defs/node' } } };
    const exponential = { $ref: '#/$defs/node', $defs: { node: { allOf: [branch, branch] } } };
    const chain = (length: number): object => (length === 0 ? {} : { next: chain(length - 1) });
    const compiled = compileSchema(exponential);
    expect(compiled.validate(chain(8), 100)).toBeUndefined();
    for (let run = 0; run < 3; run++)
      expect(compiled.validate(chain(40), 400)).toEqual([
        { pointer: '', detail: expect.stringContaining('steps') as string },
      ]);
  });
});

describe('a keyword that reads a whole value', () => {
  it.each<[string, { schema: object; v: unknown; reads: number }]>([
    [
      'counts members',
      {
        schema: { allOf: times(300, () => ({ minProperties: 1, maxProperties: 9_999 })) },
        v: object,
        reads: 5_000,
      },
    ],
    [
      'stops at the first item that fits',
      { schema: { allOf: times(300, () => ({ contains: true })) }, v: list, reads: 301 },
    ],
    [
      'stops at the first alternative that fits',
      { schema: { anyOf: times(300, () => ({ items: { type: 'integer' } })) }, v: list, reads: 20_001 },
    ],
    ['compares each item once', { schema: { uniqueItems: true }, v: objects, reads: 3 * 5_000 }],
  ])('%s without listing it repeatedly', (_, { schema, v, reads }) => {
    const cost = costOf(schema, v);
    expect(cost).toMatchObject({ errors: undefined, gaveUp: false });
    expect(cost.reads).toBeLessThan(reads + 1_000);
  });

  it.each([
    ['fit', { additionalProperties: { type: 'integer' } }],
    ['do not fit', { additionalProperties: { type: 'integer' }, maxProperties: 1 }],
  ])('records evaluated names of nested branches, which %s, within the charged steps', (_, inner) => {
    const branch = times(28, () => 0).reduce<object>((nested) => ({ anyOf: [nested] }), inner);
    const schema = {
      anyOf: [...times(10, () => branch), true],
      unevaluatedProperties: { type: 'integer' },
    };
    const added = vi.spyOn(Set.prototype, 'add');
    try {
      const cost = costOf(
        schema,
        named(2_000, (index) => index),
      );
      expect(cost).toMatchObject({ errors: undefined, gaveUp: false });
      expect(added.mock.calls.length).toBeLessThan(cost.steps);
    } finally {
      added.mockRestore();
    }
  });

  it('takes time independent of an exponent', () => {
    const compiled = compileSchema({ properties: { v: { items: { multipleOf: 7e-300 } } } });
    expect(compiled.validate(readData('{"v":[7e999999999999, 14e-300]}'))).toBeUndefined();
    expect(compiled.steps).toBeLessThan(500);
  });

  it('is stopped for many numbers that need a long division', () => {
    const schema = { properties: { v: { items: { allOf: times(10, () => ({ multipleOf: 0.01 })) } } } };
    const text = `{"v":[${times(10_000, () => '9e99').join()}]}`;
    const compiled = compileSchema(schema);
    expect(compiled.validateText(text)).toHaveLength(1);
    expect(compiled.exceededLimits).toBe(true);
  });

  it('is stopped for a number with very many digits', () => {
    const schema = { properties: { v: { allOf: times(50, () => ({ multipleOf: 1 })) } } };
    const text = `{"v":${'1'.repeat(100_000)}}`;
    const compiled = compileSchema(schema);
    expect(compiled.validateText(text)).toHaveLength(1);
    expect(compiled.exceededLimits).toBe(true);
  });
});

describe('reading numbers that a double cannot represent', () => {
  const read = (numbers: readonly string[]) => {
    const compiled = compileSchema({ properties: { n: { items: { type: 'number' } } } });
    const errors = compiled.validateText(`{"n":[${numbers.join()}]}`);
    return { errors, gaveUp: compiled.exceededLimits, steps: compiled.steps };
  };

  it('is stopped if there are too many of them', () => {
    const { errors, gaveUp } = read(times(170_000, () => '1e400'));
    expect(gaveUp).toBe(true);
    expect(errors).toEqual([{ pointer: '', detail: expect.stringContaining('steps') as string }]);
  });

  it('takes steps for each such number, but not for other numbers and texts', () => {
    const other = ['1', '1.5', '"1e400"', '"12345678901234567890"', '"\\"1e400"'];
    const only = read(other).steps;
    expect(read([...other, '1e400']).steps).toBeGreaterThan(only + 30);
    expect(read([...other, '1e99']).steps).toBeLessThan(only + 10);
  });

  it('has enough steps for an event that consists of 17-digit numbers', () => {
    expect(read(times(50_000, (i) => `0.${12345678901234567n + BigInt(i)}`))).toMatchObject({
      errors: undefined,
      gaveUp: false,
    });
  });
});

describe('collecting errors', () => {
  it('stops at twenty errors, and takes few more steps than finding the first one', () => {
    const { errors, reads } = costOf({ items: { type: 'string' } }, list);
    expect(errors).toHaveLength(20);
    expect(reads).toBeLessThan(100);
  });
});
