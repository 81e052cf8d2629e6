import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JsonScanner } from '#json';
import { InvalidSchemaError } from '../document/invalid-schema-error.js';
import { compileSchema, type CompiledSchema } from '../validation/compile-schema.js';
import { schemaScanOf } from './schema-scan.js';
import { ValidatingJsonScanner } from './validating-json-scanner.js';

/** Returns whether the scan finds that the text matches the schema. */
function fits(schema: unknown, text: string): boolean {
  const scan = schemaScanOf(schema);
  if (!scan) throw new Error('the schema is not simple');
  const scanner = new ValidatingJsonScanner(text);
  return scanner.check(scan, 0, 1) === text.length && scanner.fits;
}

describe('a schema scan', () => {
  const order = {
    type: 'object',
    required: ['amount', 'items'],
    properties: {
      amount: { type: 'number', minimum: 0, exclusiveMaximum: 100 },
      currency: { type: 'string', pattern: '^[A-Z]{3}$' },
      at: { type: 'string', format: 'date-time' },
      channel: { enum: ['web', 'app', null] },
      note: { type: ['string', 'null'], maxLength: 5 },
      items: {
        type: 'array',
        minItems: 1,
        items: { type: 'object', properties: { n: { type: 'integer' } } },
      },
    },
  };

  it.each([
    '{"amount":0,"items":[{}]}',
    '{ "items" : [ { "n" : 1 } , {"m":[{"x":1}]} ],\n"amount":99.99, "more":{"a":[1,{}]} }',
    '{"amount":1,"currency":"EUR","at":"2026-11-21T04:00:00Z","channel":"web","note":"12345","items":[{"n":-5}]}',
    '{"amount":1e1,"channel":null,"note":null,"items":[{"n":900719925474099312345}]}',
    '{"amount":0.1,"note":"éèü","items":[1e400,{"n":0}]}'.replace('1e400,', ''),
  ])('finds that %s matches', (text) => {
    expect(fits(order, text)).toBe(true);
  });

  it.each([
    '{"amount":-0.1,"items":[{}]}',
    '{"amount":100,"items":[{}]}',
    '{"amount":1}',
    '{"amount":1,"items":[]}',
    '{"amount":"1","items":[{}]}',
    '{"amount":1,"items":[{}],"currency":"EURO"}',
    '{"amount":1,"items":[{}],"at":"yesterday"}',
    '{"amount":1,"items":[{}],"channel":"shop"}',
    '{"amount":1,"items":[{}],"channel":1}',
    '{"amount":1,"items":[{}],"note":"123456"}',
    '{"amount":1,"items":[{"n":1.5}]}',
    '[]',
  ])('does not find that %s matches', (text) => {
    expect(fits(order, text)).toBe(false);
  });

  it.each<[string, unknown, string]>([
    ['escapes', { type: 'string' }, '"\\u0061"'],
    ['an escaped name', true, '{"\\u0061":1}'],
    ['1.0 as an integer', { type: 'integer' }, '1.0'],
    ['surrogate pairs if the length matters', { minLength: 2 }, '"😀x"'],
  ])('leaves %s to the validator', (_what, ofMember, value) => {
    const [schema, text] = [{ properties: { v: ofMember, a: {} } }, `{"v":${value}}`];
    expect(fits(schema, text) && fits(schema, value)).toBe(false);
    expect(
      compileSchema(schema, { pointer: '/data', objectsOnly: true }).validate(JSON.parse(text)),
    ).toBeUndefined();
  });

  it.each([
    ['{"a":{"b":1,"c":{}},"b":{"c":1}}', false],
    ['{"a":{"b":1,"b":2}}', true],
    ['{"a":1,"x":{"a":1},"a":2}', true],
  ])('finds whether %s has a duplicate name in an object: %s', (text, twice) => {
    const scanner = new ValidatingJsonScanner(text);
    scanner.check(schemaScanOf({ properties: { a: { minLength: 0 } } })!, 0, 1);
    expect(scanner.duplicate).toBe(twice);
  });

  it.each([
    { $ref: '#/$defs/a', $defs: { a: true } },
    { oneOf: [true, false] },
    { properties: { a: { not: {} } } },
    { items: { enum: [1] } },
    { const: {} },
    { multipleOf: 2 },
    { pattern: '(a|b)*a(a|b){90}$' },
    { properties: { a: { pattern: 'E$' } } },
    { additionalProperties: { uniqueItems: true } },
    { format: 'of tomorrow' },
    false,
  ])('does not support %j', (schema) => {
    expect(schemaScanOf(schema)).toBeUndefined();
  });
});

const names = ['a', 'b', 'c', 'constructor'];
const few = fc.integer({ min: 0, max: 3 });
const bound = fc.constantFrom(-1, 0, 0.1, 1, 2.5, 100);
const listed = fc.constantFrom('a', 'DE', 'é', '', 'null', null);

/** A keyword that a scan supports, and its value. */
function keyword(schema: fc.Arbitrary<unknown>): fc.Arbitrary<[string, unknown]> {
  const members = fc.uniqueArray(fc.tuple(fc.constantFrom(...names), schema), { selector: ([name]) => name });
  const types = ['object', 'string', 'number', 'integer', 'boolean', 'null'];
  const values: Record<string, fc.Arbitrary<unknown>> = {
    type: fc.oneof(fc.constantFrom(...types), fc.constant(['array', 'null'])),
    title: fc.constant('what it is'),
    ...{ minimum: bound, maximum: bound, exclusiveMinimum: bound, exclusiveMaximum: bound },
    ...{ minLength: few, maxLength: few, minItems: few, maxItems: few },
    pattern: fc.constantFrom('^[a-z]*$', '^[A-Z]{2}$', '^a?b$'),
    format: fc.constantFrom('date', 'uuid', 'ipv4'),
    items: schema,
    required: fc.subarray(names, { maxLength: 2 }),
    properties: members.map((some) => Object.fromEntries(some)),
    additionalProperties: fc.oneof(fc.constant(false), schema),
  };
  const pairs = Object.entries(values).map(([name, value]) =>
    value.map((one): [string, unknown] => [name, one]),
  );
  return fc.oneof(...pairs);
}

/** Schemas of the keywords that a scan supports. */
const { schema } = fc.letrec<{ schema: unknown }>((tie) => ({
  schema: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constant(true),
    fc.record({ enum: fc.uniqueArray(listed, { minLength: 1, maxLength: 3 }) }),
    fc.record({ const: listed }),
    fc
      .uniqueArray(keyword(tie('schema')), { selector: ([name]) => name, maxLength: 3 })
      .map((keywords) => Object.fromEntries(keywords)),
  ),
}));

const space = fc.constantFrom('', '', '', ' ', '\n\t ');
const literals = [
  '1',
  '0',
  '-0',
  '1.0',
  '2.5',
  '-1',
  '0.1',
  '100',
  '1e2',
  '1e400',
  '1E-2',
  '123456789012345678',
  '0.30000000000000004',
];
const strings = [
  '""',
  '"a"',
  '"DE"',
  '"é"',
  '"😀"',
  '"abc"',
  '"\\u0061"',
  '"\\n"',
  '"2026-11-21"',
  '"1.2.3.4"',
  '"null"',
];

/** JSON text, including duplicate names. */
const { text: json } = fc.letrec<{ text: string }>((tie) => ({
  text: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom(...literals, ...strings, 'true', 'false', 'null'),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
    fc.string({ unit: 'binary' }).map((value) => JSON.stringify(value)),
    fc
      .array(fc.tuple(space, tie('text'), space), { maxLength: 4 })
      .map((items) => `[${items.map((item) => item.join('')).join(',')}]`),
    fc
      .array(
        fc.tuple(space, fc.constantFrom(...names, 'd', '\\u0061', '__proto__'), space, tie('text'), space),
        {
          maxLength: 5,
        },
      )
      .map((all) =>
        all.map(([before, name, colon, value, after]) => `${before}"${name}"${colon}:${value}${after}`),
      )
      .map((members) => `{${members.join(',')}}`),
  ),
}));

/** Text with one character added, removed, or replaced. */
const broken = fc
  .tuple(
    json,
    fc.nat(),
    fc.nat({ max: 1 }),
    fc.constantFrom('', '"', '{', '}', ']', ',', ':', '\\', '0', 'e', ' ', '\u0001'),
  )
  .map(([text, at, cut, put]) => {
    const i = at % (text.length + 1);
    return text.slice(0, i) + put + text.slice(i + cut);
  });

/** Compiles a schema; undefined if it is invalid, for example with a pattern that matches nothing. */
function usable(schema: unknown): CompiledSchema | undefined {
  try {
    return compileSchema(schema, { pointer: '/data', objectsOnly: true });
  } catch (error) {
    if (error instanceof InvalidSchemaError) return undefined;
    throw error;
  }
}

/** Returns the result of a scan of a text. */
function told(scanner: JsonScanner, end: number): object {
  const { duplicate, uncertain, members, failure, failedAt } = scanner;
  return end < 0 ? { end, failure, failedAt } : { end, duplicate, uncertain, members };
}

describe('for any schema and any text', () => {
  it('the scan has the same result as without a schema', () => {
    fc.assert(
      fc.property(schema, fc.oneof(json, broken), (someSchema, text) => {
        const scan = schemaScanOf(someSchema);
        fc.pre(scan !== undefined);
        const [plain, checking] = [new JsonScanner(text), new ValidatingJsonScanner(text)];
        const expected = told(plain, plain.value(0, 1));
        expect(told(checking, checking.check(scan, 0, 1))).toEqual(expected);
      }),
      { numRuns: 3_000 },
    );
  });

  it('a text that the scan accepts is accepted by the validator', () => {
    let fitting = 0;
    fc.assert(
      fc.property(schema, json, (ofMember, value) => {
        const [whole, text] = [{ type: 'object', properties: { v: ofMember } }, `{"v":${value}}`];
        const [scan, compiled] = [schemaScanOf(whole), usable(whole)];
        fc.pre(scan !== undefined && compiled !== undefined);
        const scanner = new ValidatingJsonScanner(text);
        scanner.check(scan, 0, 1);
        if (!scanner.fits || scanner.duplicate || scanner.uncertain) return;
        fitting++;
        expect(compiled.validate(JSON.parse(text), text.length)).toBeUndefined();
      }),
      { numRuns: 1_000 },
    );
    expect(fitting).toBeGreaterThan(100);
  });

  it('the scan leaves a text with too many steps to the validator, which has the same bounds', () => {
    const names = Array.from({ length: 450 }, (_, i) => [`p${i}`, true]);
    const items = { properties: Object.fromEntries(names) as object };
    const of = (length: number) => `{"v":[${Array.from({ length }, () => '{}').join()}]}`;
    const schema = { properties: { v: { items } } };
    const compiled = compileSchema(schema, { pointer: '/data', objectsOnly: true });
    const validates = (text: string) => compiled.validate(JSON.parse(text), text.length) === undefined;
    const answers = [100, 50_000].map(of).map((text) => [fits(schema, text), validates(text)]);
    expect(answers).toEqual([
      [true, true],
      [false, false],
    ]);
  });

  it('the scan is limited to the allowed nesting depth', () => {
    const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
    const deep = (levels: number): unknown => (levels === 0 ? {} : { items: deep(levels - 1) });
    const scanned = (levels: number) => {
      const scanner = new ValidatingJsonScanner(nested(levels));
      return told(scanner, scanner.check(schemaScanOf(deep(70))!, 0, 0));
    };
    expect(scanned(64)).toMatchObject({ end: 128 });
    expect(scanned(65)).toMatchObject({ end: -1, failure: 'depth' });
  });
});
