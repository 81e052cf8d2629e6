import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileSchema, readData } from './compile-schema.js';

const order = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  required: ['order_id', 'currency', 'items'],
  additionalProperties: false,
  properties: {
    order_id: { type: 'string', format: 'uuid' },
    currency: { enum: ['EUR', 'USD'] },
    total: { type: 'number', minimum: 0, multipleOf: 0.01 },
    status: { const: 'placed' },
    customer: { $ref: '#/$defs/customer' },
    items: {
      type: 'array',
      minItems: 1,
      items: {
        type: 'object',
        required: ['sku', 'quantity'],
        properties: {
          sku: { type: 'string', pattern: '^[A-Z]{2}-[0-9]+$' },
          quantity: { type: 'integer', exclusiveMinimum: 0 },
        },
      },
    },
  },
  $defs: { customer: { type: ['object', 'null'], minProperties: 1, dependentRequired: { email: ['name'] } } },
};
const event = {
  order_id: '6f1c1b1e-0000-4000-8000-000000000001',
  currency: 'EUR',
  total: 19.99,
  status: 'placed',
  customer: null,
  items: [{ sku: 'AB-1', quantity: 2 }],
};

const check = (schema: unknown, data: unknown, characters?: number) =>
  compileSchema(schema).validate(data, characters);

describe('validating an event', () => {
  it('puts the pointer of the value before the pointers of errors', () => {
    const validator = compileSchema(order, { pointer: '/data' });
    expect(validator.validate({ ...event, total: -1 })).toMatchObject([{ pointer: '/data/total' }]);
    expect(validator.validate(1)).toMatchObject([{ pointer: '/data' }]);
  });

  it('returns undefined if the event fits', () => {
    expect(check(order, event)).toBeUndefined();
  });

  it.each([
    [{ note: 1 }, '/note', 'is not a property that the schema allows'],
    [{ order_id: 7 }, '/order_id', 'must be string'],
    [{ order_id: 'x' }, '/order_id', 'must be a valid uuid'],
    [{ currency: 'GBP' }, '/currency', 'must be one of "EUR", "USD"'],
    [{ total: 1.005 }, '/total', 'must be a multiple of 0.01'],
    [{ total: -1 }, '/total', 'must be 0 or more'],
    [{ status: 'paid' }, '/status', 'must be "placed"'],
    [{ customer: 1 }, '/customer', 'must be object or null'],
    [{ customer: {} }, '/customer', 'must have 1 property or more'],
    [{ customer: { email: 'a' } }, '/customer/name', 'is required when "email" is present'],
    [{ items: undefined }, '/items', 'is required'],
    [{ items: [] }, '/items', 'must have 1 item or more'],
    [{ items: [{ sku: 'AB-1' }] }, '/items/0/quantity', 'is required'],
    [{ items: [{ sku: 'ab', quantity: 1 }] }, '/items/0/sku', 'must match the pattern "^[A-Z]{2}-[0-9]+$"'],
    [{ items: [{ sku: 'AB-1', quantity: 0 }] }, '/items/0/quantity', 'must be more than 0'],
  ])('reports the pointer and the error of %j', (change, pointer, detail) => {
    expect(check(order, JSON.parse(JSON.stringify({ ...event, ...change })))).toEqual([{ pointer, detail }]);
  });

  it.each([
    [{ propertyNames: { maxLength: 3 } }, { toolong: 1 }, '/toolong', /name .* 3 characters or less/],
    [{ properties: { a: false } }, { a: 1 }, '/a', /not allowed/],
    [{ not: { required: ['a'] } }, { a: 1 }, '', /excludes/],
    [{ properties: { a: { uniqueItems: true } } }, { a: [{ b: 1 }, { b: 1 }] }, '/a', /twice/],
    [{ properties: { a: { contains: { const: 1 } } } }, { a: [2] }, '/a', /1 item or more that fit/],
    [{ properties: { a: { prefixItems: [true], items: false } } }, { a: [1, 2] }, '/a', /1 item or less/],
    [{ properties: { 'a/b~c': { type: 'null' } } }, { 'a/b~c': 1 }, '/a~1b~0c', /null/],
    [{ oneOf: [{}, true] }, {}, '', /more than one/],
    [{ properties: { a: { maxLength: 1 } } }, { a: '😀😀' }, '/a', /1 character or less/],
  ])('explains an error of %j', (...[schema, data, pointer, detail]) => {
    expect(check(schema, data)).toEqual([{ pointer, detail: expect.stringMatching(detail) as string }]);
  });

  it('reports at most twenty errors, with shortened pointers', () => {
    const many = Object.fromEntries(
      Array.from({ length: 50 }, (_, index) => [`${index}${'x'.repeat(10_000)}`, 1]),
    );
    const errors = check({ additionalProperties: false }, many) ?? [];
    expect(errors).toHaveLength(20);
    expect(errors.every(({ pointer }) => pointer.length < 400)).toBe(true);
  });

  it('counts code points instead of UTF-16 code units', () => {
    expect(check({ properties: { a: { maxLength: 2, minLength: 2 } } }, { a: '😀😀' })).toBeUndefined();
  });

  it('accepts a number beyond the range of floating point as a number', () => {
    const data = readData('{"a": 1e400}');
    expect(check({ properties: { a: { type: 'integer', minimum: 3 } } }, data)).toBeUndefined();
    expect(check({ properties: { a: { maximum: 3 } } }, data)).toHaveLength(1);
  });

  it.each([
    [{ type: 'integer' }, '12345678901234567890.5', false],
    [{ type: 'integer' }, '12345678901234567890.0', true],
    [{ type: 'integer' }, '1234567890123456789012e-3', false],
    [{ type: 'integer' }, '1e400', true],
    [{ type: 'integer' }, '1e-400', false],
    [{ type: 'number' }, '12345678901234567890.5', true],
    [{ maximum: 1 }, '1.00000000000000000001', false],
    [{ maximum: 1 }, '1.00000000000000000000', true],
    [{ exclusiveMaximum: 1 }, '0.99999999999999999999', true],
    [{ minimum: 0 }, '-1e-400', false],
    [{ exclusiveMinimum: 0 }, '1e-400', true],
    [{ minimum: -9007199254740992 }, '-9007199254740993', false],
    [{ multipleOf: 0.01 }, '12345678901234567890.55', true],
    [{ multipleOf: 0.01 }, '12345678901234567890.555', false],
    [{ multipleOf: 3 }, '1e999999999', false],
    [{ multipleOf: 4 }, '1e999999999', true],
    [{ const: 0.1 }, '0.10000000000000000001', false],
    [{ const: 0.1 }, '0.10000000000000000000', true],
    [{ const: 9007199254740991 }, '9007199254740991.0000001', false],
    [{ enum: [1, [0.1]] }, '[0.10000000000000000001]', false],
    [{ enum: [1, [0.1]] }, '[1.0e-1]', true],
  ])('for %j, the exact value of %s fits: %s', (schema, text, expected) => {
    const whole = { properties: { a: schema } };
    expect(check(whole, readData(`{"a":${text}}`)) === undefined).toBe(expected);
  });

  it('compares items by their exact values, and equal numbers in different notations as equal', () => {
    const unique = { properties: { a: { uniqueItems: true } } };
    const fits = (items: string) => check(unique, readData(`{"a":${items}}`)) === undefined;
    expect(fits('[9007199254740992, 9007199254740993]')).toBe(true);
    expect(fits('[9007199254740993, 9007199254740993.0]')).toBe(false);
    expect(fits('[{"b":12345678901234567890}, {"b":1234567890123456789e1}]')).toBe(false);
    expect(fits('[1e400, 10e399]')).toBe(false);
  });
});

describe('member names that every JavaScript object inherits', () => {
  const named = {
    properties: { constructor: { type: 'string' } },
    required: ['toString'],
    additionalProperties: false,
  };

  it('are treated as ordinary properties', () => {
    expect(check(named, {})).toEqual([{ pointer: '/toString', detail: 'is required' }]);
    expect(
      check(named, JSON.parse('{"toString":1,"constructor":"c"}'))?.map(({ pointer }) => pointer),
    ).toEqual(['/toString']);
    expect(check({ properties: { constructor: { type: 'string' } } }, { constructor: 1 })).toHaveLength(1);
  });

  it.each(['constructor', '__proto__', 'hasOwnProperty', 'valueOf'])(
    'are rejected by a closed schema: %s',
    (name) => {
      const data: unknown = JSON.parse(`{"a":"x","${name}":1}`);
      const closed = { properties: { a: true }, additionalProperties: false };
      const unevaluated = {
        anyOf: [{ properties: { a: { type: 'string' } } }, { required: ['b'] }],
        unevaluatedProperties: false,
      };
      for (const schema of [closed, unevaluated])
        expect(check(schema, data)).toEqual([expect.objectContaining({ pointer: `/${name}` })]);
    },
  );

  it.each(['constructor', '__proto__', 'hasOwnProperty', 'toString', 'valueOf'])(
    'are supported by every keyword: %s',
    (name) => {
      const fits = (schema: string, data: string): boolean =>
        check(JSON.parse(schema.replaceAll('NAME', name)), JSON.parse(data.replaceAll('NAME', name))) ===
        undefined;
      for (const [schema, fitting, other] of [
        ['{"properties":{"NAME":{"type":"string"}}}', '{"NAME":"x"}', '{"NAME":1}'],
        ['{"properties":{"NAME":{"const":{"NAME":1}}}}', '{"NAME":{"NAME":1}}', '{"NAME":{}}'],
        ['{"patternProperties":{"NAME":{"type":"string"}}}', '{"NAME":"x"}', '{"NAME":1}'],
        ['{"properties":{"NAME":true},"additionalProperties":false}', '{"NAME":1}', '{"b":1}'],
        ['{"required":["NAME"]}', '{"NAME":1}', '{}'],
        ['{"dependentRequired":{"NAME":["b"]}}', '{"b":1}', '{"NAME":1}'],
        ['{"dependentRequired":{"b":["NAME"]}}', '{}', '{"b":1}'],
        ['{"dependentSchemas":{"NAME":{"required":["b"]}}}', '{}', '{"NAME":1}'],
        ['{"$defs":{"NAME":{"required":["b"]}},"$ref":"#/$defs/NAME"}', '{"b":1}', '{"NAME":1}'],
      ] as const)
        expect([schema, fits(schema, fitting), fits(schema, other)]).toEqual([schema, true, false]);
    },
  );

  it('do not affect the comparison of values', () => {
    const data: unknown = JSON.parse('{"a":{"valueOf":1,"constructor":{"b":[1]},"toString":null}}');
    expect(check({ properties: { a: { const: { valueOf: 2 } } } }, data)).toHaveLength(1);
    expect(check({ properties: { a: { const: (data as { a: unknown }).a } } }, data)).toBeUndefined();
  });
});

describe('a text on which RE2 cannot reuse its cached states', () => {
  const pattern = '(a|b)*a(a|b){90}$';
  const text = (length: number) =>
    Array.from({ length }, (_, i) => (((i * i * 7919) % 1009) & 1 ? 'a' : 'b')).join('');
  const compiled = compileSchema({ properties: { a: { pattern } } });

  it('is rejected after a bounded search if it is long', () => {
    const a = text(300_000);
    expect(compiled.validate({ a }, a.length)).toEqual([
      { pointer: '', detail: expect.stringContaining('too long for the patterns') as string },
    ]);
    expect(compiled.exceededLimits).toBe(true);
  });

  it('is searched if it is short, and the search work is reported', () => {
    const a = `${text(500)}a${'b'.repeat(90)}`;
    expect(compiled.validate({ a }, a.length)).toBeUndefined();
    expect(compiled.searchWork).toBeGreaterThan(100_000);
    expect(compiled.validate({ b: 1 }, 7)).toBeUndefined();
    expect(compiled.searchWork).toBe(0);
  });

  it('is searched completely if the pattern is short', () => {
    const a = `${text(300_000)}E`;
    expect(
      compileSchema({ properties: { a: { pattern: '[DE]$' } } }).validate({ a }, a.length),
    ).toBeUndefined();
  });
});

describe('a random value as schema', () => {
  const keyword = fc.constantFrom(
    ...'$ref $id $anchor $defs type const enum multipleOf maximum minLength pattern items prefixItems contains'.split(
      ' ',
    ),
    ...'uniqueItems properties patternProperties additionalProperties unevaluatedProperties required allOf'.split(
      ' ',
    ),
    ...'anyOf oneOf not if then else dependentSchemas dependentRequired propertyNames format minContains x'.split(
      ' ',
    ),
  );
  const { schema } = fc.letrec<{ schema: unknown }>((tie) => ({
    schema: fc.oneof(
      { depthSize: 'medium', withCrossShrink: true },
      fc.constantFrom<unknown>(
        true,
        false,
        0,
        1,
        -1,
        0.5,
        1e300,
        null,
        '',
        'a',
        '#',
        '#/$defs/a',
        'object',
        'integer',
        '(',
        '^a+$',
        'uri',
        [],
        {},
        ['a'],
        ['a', 'a'],
        ['string', 'object'],
      ),
      fc.array(tie('schema'), { maxLength: 3 }),
      fc.dictionary(fc.oneof(keyword, fc.constantFrom('a', 'b', 'constructor', '^a')), tie('schema'), {
        maxKeys: 4,
      }),
      fc.dictionary(keyword, tie('schema'), { maxKeys: 4 }),
    ),
  }));

  it('is either rejected with errors, or compiles to a validator that handles any event', () => {
    let compiledOnes = 0;
    fc.assert(
      fc.property(
        schema,
        fc.object({ maxDepth: 3, key: fc.constantFrom('a', 'b', 'constructor') }),
        (candidate, data) => {
          try {
            const compiled = compileSchema(candidate);
            compiledOnes++;
            const errors = compiled.validate(data);
            expect(errors?.every(({ pointer, detail }) => pointer.startsWith('') && detail !== '')).not.toBe(
              false,
            );
          } catch (error) {
            expect(error).toMatchObject({ name: 'InvalidSchemaError' });
          }
        },
      ),
      { numRuns: 2_000 },
    );
    expect(compiledOnes).toBeGreaterThan(20);
  });
});
