import { describe, expect, it } from 'vitest';
import { checkCompatibility } from './check-compatibility.js';
import type { SchemaCompatibility } from './compatibility-mode.js';
import {
  closed,
  compatible,
  incompatible,
  integer,
  number,
  string,
  texts,
  type CompatibilityCase,
} from './confluent-cases.fixture.js';

/**
 * Returns a schema of objects whose required property `v` has the given schema, so that the compared values can be of
 * any type.
 */
const wrapped = (schema: unknown) => ({ properties: { v: schema }, required: ['v'] });

function differences(before: unknown, after: unknown, policy?: 'strict' | 'lenient') {
  const versions = [{ version: 1, schema: wrapped(before) }];
  return checkCompatibility({ schema: wrapped(after), versions, compatibility: 'backward', policy });
}

describe('backward compatibility', () => {
  it.each(compatible)('is kept when %s', async (_, before, after) => {
    expect(await differences(before, after)).toEqual([]);
  });

  it.each(incompatible)('is lost when %s', async (...[, before, after, rule, pointer]) => {
    const found = await differences(before, after);
    expect(found).toContainEqual({
      version: 1,
      pointer: `/properties/v${pointer}`,
      rule,
      detail: expect.stringMatching(/\w{3,}.*\w{3,}/) as string,
    });
  });

  it('explains each difference in a sentence', async () => {
    const before = { type: 'object', properties: { a: string }, required: ['a'], ...closed };
    const after = { type: 'object', properties: { b: string }, required: ['b'], ...closed };
    const [first, second] = await checkCompatibility({
      schema: after,
      versions: [{ version: 7, schema: before }],
      compatibility: 'backward',
    });
    expect(first).toEqual({
      version: 7,
      pointer: '/required',
      rule: 'required_attribute_added',
      detail: 'the new schema requires "b", the earlier schema does not',
    });
    expect(second?.detail).toBe('the new schema does not permit "a", the earlier schema does');
  });
});

describe('the lenient policy', () => {
  it.each<CompatibilityCase>([
    ['an optional property is added to an open model', {}, { properties: { b: string } }],
    ['a property is removed from a closed model', { properties: { a: string }, ...closed }, closed],
    ['a model is closed', {}, closed],
    ['additional properties are restricted', {}, texts],
    ['additional properties that were allowed are restricted', { additionalProperties: true }, texts],
    ['additional properties that could be anything are restricted', { additionalProperties: {} }, texts],
    [
      'unevaluated properties that were allowed are restricted',
      { unevaluatedProperties: true },
      { unevaluatedProperties: string },
    ],
    [
      'a required property with a default is added to an open model',
      {},
      { properties: { b: { ...string, default: '' } }, required: ['b'] },
    ],
  ])('tolerates that %s', async (_, before, after) => {
    expect(await differences(before, after, 'strict')).not.toEqual([]);
    expect(await differences(before, after, 'lenient')).toEqual([]);
  });

  it.each<CompatibilityCase>([
    ['a required property is added', {}, { properties: { b: string }, required: ['b'] }],
    ['a property changes its type', { properties: { a: string } }, { properties: { a: number } }],
    ['additional properties change their type', texts, { additionalProperties: number }],
    [
      'a property in a branch changes its type',
      { oneOf: [{ properties: { a: string } }] },
      { oneOf: [{ properties: { a: number } }] },
    ],
  ])('does not tolerate that %s', async (_, before, after) => {
    expect(await differences(before, after, 'lenient')).not.toEqual([]);
  });
});

describe('the compatibility mode', () => {
  const narrow = wrapped(integer);
  const wide = wrapped(number);
  const other = wrapped(string);
  const check = async (schema: unknown, schemas: unknown[], compatibility: SchemaCompatibility) => {
    const versions = schemas.map((one, index) => ({ version: index + 1, schema: one }));
    const found = await checkCompatibility({ schema, versions, compatibility });
    return found.map(({ version, rule }) => `${version} ${rule}`);
  };

  it.each<[SchemaCompatibility, unknown, unknown[], string[]]>([
    ['none', other, [narrow], []],
    ['backward', wide, [narrow], []],
    ['backward', narrow, [wide], ['1 type_narrowed']],
    ['forward', narrow, [wide], []],
    ['forward', wide, [narrow], ['1 type_narrowed']],
    ['full', wide, [wide], []],
    ['full', wide, [narrow], ['1 type_narrowed']],
    ['backward', wide, [other, narrow], []],
    ['backward_transitive', wide, [other, narrow], ['1 type_changed']],
    ['forward_transitive', narrow, [other, wide], ['1 type_changed']],
    ['full_transitive', narrow, [wide, narrow], ['1 type_narrowed']],
    ['backward', wide, [], []],
  ])('%s reports exactly the differences in its direction', async (...[mode, schema, versions, expected]) => {
    expect(await check(schema, versions, mode)).toEqual(expected);
  });

  it('reports pointers into the new schema, also for forward differences', async () => {
    const before = wrapped({ properties: { a: { ...string, maxLength: 5 } }, ...closed });
    const after = wrapped({ properties: { a: { ...string, maxLength: 9 } }, ...closed });
    const versions = [{ version: 1, schema: before }];
    expect(await checkCompatibility({ schema: after, versions, compatibility: 'forward' })).toEqual([
      {
        version: 1,
        pointer: '/properties/v/properties/a',
        rule: 'max_length_decreased',
        detail: 'the earlier schema has maxLength 5, the new schema permits 9',
      },
    ]);
  });
});

describe('schemas with references', () => {
  const list = (value: object) => ({
    $ref: '#/$defs/node',
    $defs: { node: { type: 'object', properties: { value, next: { $ref: '#/$defs/node' } }, ...closed } },
  });
  const check = (before: unknown, after: unknown) =>
    checkCompatibility({
      schema: after,
      versions: [{ version: 1, schema: before }],
      compatibility: 'backward',
    });

  it('are compared by the referenced schemas', async () => {
    const referring = { properties: { a: { $ref: '#/$defs/text' } }, $defs: { text: string } };
    expect(await check(referring, { properties: { a: string } })).toEqual([]);
    expect(await check({ properties: { a: string } }, referring)).toEqual([]);
    expect(await check(referring, { ...referring, $defs: { text: number } })).toHaveLength(1);
  });

  it('can be recursive', async () => {
    expect(await check(list(integer), list(number))).toEqual([]);
    expect(await check(list(number), list(integer))).toEqual([
      expect.objectContaining({ rule: 'type_narrowed' }),
    ]);
  });

  it('are not reported as compatible because of recursion in a branch that fails', async () => {
    const tree = (leaf: object) => ({
      properties: { root: { $ref: '#/$defs/tree' } },
      $defs: {
        tree: {
          type: 'object',
          required: ['kind'],
          properties: {
            kind: { const: 't' },
            left: { $ref: '#/$defs/tree' },
            right: { anyOf: [{ $ref: '#/$defs/tree' }, leaf] },
          },
          ...closed,
        },
      },
    });
    expect(await check(tree(integer), tree(number))).toEqual([]);
    expect((await check(tree(number), tree(integer))).length).toBeGreaterThan(0);
  });
});
