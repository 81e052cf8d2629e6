import fc from 'fast-check';
import type { SchemaObject } from './document/schema.js';

/** Small values of all kinds, with the member names that the schemas below use. */
const scalar = fc.constantFrom<unknown>(null, true, false, 0, 1, 2, -1, 1.5, 0.1, '', 'a', 'b', 'ab', 'aaa');
const name = fc.constantFrom('a', 'b', 'c', 'ab');
export const { value: anyValue } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    scalar,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.oneof(name, fc.constant('d')), tie('value'), { maxKeys: 3 }),
  ),
}));

const small = fc.integer({ min: 0, max: 3 });
const types = fc.constantFrom('null', 'boolean', 'object', 'array', 'string', 'integer', 'number');
const names = fc.uniqueArray(name, { maxLength: 3 });
const canonical = { selector: (value: unknown) => JSON.stringify(value) };

interface RandomSchemas {
  schema: unknown;
  object: SchemaObject;
}

/** Random schemas with all keywords except `format` and `default`. Each `$ref` is `#/$defs/x` or `#/$defs/y`. */
const { schema, object } = fc.letrec<RandomSchemas>((tie) => {
  const one = tie('schema');
  const list = fc.array(one, { minLength: 1, maxLength: 3 });
  const keywords = {
    type: fc.oneof(types, fc.uniqueArray(types, { minLength: 1, maxLength: 4 })),
    enum: fc.uniqueArray(anyValue, { minLength: 1, maxLength: 3, ...canonical }),
    const: anyValue,
    minimum: small,
    maximum: small,
    exclusiveMinimum: small,
    exclusiveMaximum: small,
    multipleOf: fc.constantFrom(1, 2, 0.5, 0.1, 3),
    minLength: small,
    maxLength: small,
    pattern: fc.constantFrom('^a', 'b', '^a+$'),
    minItems: small,
    maxItems: small,
    uniqueItems: fc.boolean(),
    minProperties: small,
    maxProperties: small,
    required: names,
    properties: fc.dictionary(name, one, { maxKeys: 3 }),
    patternProperties: fc.dictionary(fc.constantFrom('^a', 'b'), one, { maxKeys: 2 }),
    additionalProperties: fc.oneof(fc.constant(false), one),
    unevaluatedProperties: fc.oneof(fc.constant(false), one),
    propertyNames: one,
    dependentRequired: fc.dictionary(name, names, { maxKeys: 2 }),
    dependentSchemas: fc.dictionary(name, one, { maxKeys: 2 }),
    items: one,
    prefixItems: list,
    contains: one,
    minContains: small,
    maxContains: small,
    allOf: list,
    anyOf: list,
    oneOf: list,
    not: one,
    if: one,
    then: one,
    else: one,
    $ref: fc.constantFrom('#/$defs/x', '#/$defs/y'),
  };
  const keyword = fc.oneof(
    ...Object.entries(keywords).map(([key, held]) => held.map((value): [string, unknown] => [key, value])),
  );
  return {
    object: fc.array(keyword, { maxLength: 4 }).map((entries): SchemaObject => Object.fromEntries(entries)),
    schema: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.constantFrom<unknown>(true, false, { type: 'integer', minimum: 1 }, { $ref: '#/$defs/x' }),
      tie('object'),
    ),
  };
});

const document = (v: unknown, [x, y]: [unknown, unknown]) => ({
  properties: { v },
  required: ['v'],
  $defs: { x, y },
});

/** A schema of objects whose member `v` may be of any type. */
export const anyDocument = fc
  .tuple(schema, fc.tuple(schema, schema))
  .map(([v, definitions]) => document(v, definitions));

/** Two versions of such a schema that have much in common. */
export const twoVersions = fc
  .tuple(object, object, fc.tuple(schema, schema), fc.nat({ max: 5 }))
  .map(([first, second, definitions, way]) => {
    const changed = [
      second,
      { ...first, ...Object.fromEntries(Object.entries(second).slice(0, 1)) },
      Object.fromEntries(Object.entries(first).slice(1)),
      { anyOf: [second, first] },
      { oneOf: [first, second] },
      { allOf: [first, second] },
    ][way];
    const before = way % 2 === 0 ? { ...first, ...second } : first;
    return {
      before: document({ ...before }, definitions),
      after: document({ ...changed }, definitions),
    };
  });
