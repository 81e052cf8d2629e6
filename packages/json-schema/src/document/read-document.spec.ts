import { readFileSync } from 'node:fs';
import { RE2JS } from 're2js';
import { describe, expect, it, vi } from 'vitest';
import { readDocument } from './read-document.js';
import { InvalidSchemaError } from './invalid-schema-error.js';

const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));
const named = <T>(count: number, make: (index: number) => T): Record<string, T> =>
  Object.fromEntries(times(count, (index) => [`n${index}`, make(index)]));
const nested = (levels: number): object =>
  times(levels, () => 0).reduce<object>((inner) => ({ not: inner }), {});

/** Returns the schemas that a page lists as refused, from the first column of its table. */
function documentedRefusals(page: string): string[] {
  const [, table = ''] = readFileSync(page, 'utf8').split('| Refused');
  const rows = [...table.matchAll(/^\| `(\{.*\})` +\|/gm)].map(([, schema = '']) => schema);
  expect(rows.length).toBeGreaterThan(8);
  return rows;
}

function errorsOf(schema: unknown): [pointer: string, detail: string][] {
  try {
    readDocument(schema, { objectsOnly: true });
    return [];
  } catch (error) {
    if (!(error instanceof InvalidSchemaError)) throw error;
    return error.errors.map(({ pointer, detail }) => [pointer, detail]);
  }
}

describe('readDocument', () => {
  it.each([
    ['an empty schema', {}],
    ['the schema true, which permits everything', true],
    ['its dialect', { $schema: 'https://json-schema.org/draft/2020-12/schema#' }],
    [
      'annotations',
      { title: 't', description: 'd', examples: [1], default: {}, $comment: 'c', deprecated: true },
    ],
    [
      'references by pointer, name and its own id',
      {
        $id: 'https://example.com/order',
        properties: {
          a: { $ref: '#/$defs/x~1y' },
          b: { $ref: '#name' },
          c: { $ref: 'https://example.com/order#/$defs/x~1y' },
        },
        $defs: { 'x/y': { type: 'string' }, z: { $anchor: 'name' } },
      },
    ],
    ['a schema that contains itself', { properties: { children: { items: { $ref: '#' } } } }],
    ['properties with the names of keywords', { properties: { $ref: {}, type: {}, constructor: {} } }],
    [
      'keywords that the specification ignores without their counterparts',
      { then: false, else: false, minContains: 2, maxContains: 1 },
    ],
    [
      'unevaluatedProperties next to any keyword',
      { if: {}, then: {}, patternProperties: {}, unevaluatedProperties: false },
    ],
    [
      'twenty-five regular expressions of the largest size',
      { properties: named(25, (index) => ({ pattern: `(?:[ab]?x){90}${index}` })) },
    ],
    ['a bound above 2^53', { properties: { id: { maximum: 2 ** 63 } } }],
  ])('accepts %s', (_, schema) => {
    expect(errorsOf(schema)).toEqual([]);
  });

  it.each([
    ['null', null, ''],
    ['a list', [], ''],
    ['text', 'object', ''],
    ['the schema false, which permits nothing', false, ''],
    ['a schema that rejects every object', { type: ['string', 'null'] }, '/type'],
    ['an unknown type', { properties: { a: { type: 'text' } } }, '/properties/a/type'],
    ['a value of the wrong type', { minProperties: '1' }, '/minProperties'],
    ['a misspelt keyword', { propertis: {} }, '/propertis'],
    ['another dialect', { $schema: 'http://json-schema.org/draft-07/schema#', definitions: 1 }, '/$schema'],
    ['a nested id', { properties: { a: { $id: 'x' } } }, '/properties/a/$id'],
    ['an unknown format', { properties: { 'a/b': { format: 'colour' } } }, '/properties/a~1b/format'],
    ['a reference to another document', { $ref: 'https://example.com/other' }, '/$ref'],
    ['a reference to a missing schema', { $ref: '#/$defs/none' }, '/$ref'],
    ['a reference to a value that is not a schema', { $ref: '#/properties', properties: {} }, '/$ref'],
    ['a broken reference', { $ref: '#/%E0%A4%A' }, '/$ref'],
    [
      'two schemas with the same anchor',
      { $defs: { a: { $anchor: 'x' }, b: { $anchor: 'x' } } },
      '/$defs/b/$anchor',
    ],
    [
      'a regular expression with look-ahead',
      { patternProperties: { '(?=a)': {} } },
      '/patternProperties/(?=a)',
    ],
    ['a constant above 2^53', { properties: { a: { const: 2 ** 53 } } }, '/properties/a/const'],
    [
      'such a number nested in an enum',
      { properties: { a: { enum: [{ b: [1e300] }] } } },
      '/properties/a/enum',
    ],
    ['an infinite bound', { properties: { a: { maximum: Infinity } } }, '/properties/a/maximum'],
    [
      'an invalid schema for a property named __proto__',
      JSON.parse('{"properties":{"__proto__":{"type":5}}}'),
      '/properties/__proto__/type',
    ],
  ])('rejects %s', (_, schema, pointer) => {
    expect(errorsOf(schema)).toEqual([[pointer, expect.stringMatching(/\w+ .*\w/)]]);
  });

  it.each(['docs/schemas.md', 'packages/json-schema/README.md'])(
    'rejects the schemas that %s lists',
    (page) => {
      for (const schema of documentedRefusals(page))
        expect(errorsOf(JSON.parse(schema)), schema).toHaveLength(1);
    },
  );

  it('rejects a schema that permits no object only if it is asked to', () => {
    expect(errorsOf({ type: 'string' })).toEqual([['/type', expect.any(String)]]);
    expect(readDocument({ type: 'string' }).root).toEqual({ type: 'string' });
  });

  it.each([
    ['additionalItems', 'prefixItems'],
    ['dependencies', 'dependentRequired'],
    ['nullable', '"null"'],
    ['$dynamicRef', '$ref'],
    ['unevaluatedItems', 'items'],
  ])('suggests a replacement for %s', (keyword, instead) => {
    expect(errorsOf({ [keyword]: {} })).toEqual([[`/${keyword}`, expect.stringContaining(instead)]]);
  });

  it('reports every error, at most twenty', () => {
    expect(errorsOf({ a: 1, b: 2, properties: { c: { type: 'x' } } }).map(([pointer]) => pointer)).toEqual([
      '/a',
      '/b',
      '/properties/c/type',
    ]);
    expect(errorsOf(named(100, () => 0))).toHaveLength(20);
  });

  it.each([
    ['nested repeats', `${'('.repeat(9)}${'ab'.repeat(455)}${'){2}'.repeat(9)}`, 'at least 467964'],
    ['alternatives', `(${times(240, String).join('|')}){60}`, 'its alternatives take'],
  ])('rejects a pattern with too many %s before it compiles the pattern', (_, pattern, detail) => {
    const compile = vi.spyOn(RE2JS, 'compile');
    try {
      expect(errorsOf({ properties: { a: { pattern } } })).toEqual([
        ['/properties/a/pattern', expect.stringContaining(detail)],
      ]);
      expect(compile).not.toHaveBeenCalled();
    } finally {
      compile.mockRestore();
    }
  });

  it('stops compiling regular expressions after twenty invalid ones', () => {
    const compile = vi.spyOn(RE2JS, 'compile');
    try {
      expect(errorsOf({ properties: named(90, (i) => ({ pattern: `(?=${i})` })) })).toHaveLength(20);
      expect(compile).toHaveBeenCalledTimes(20);
    } finally {
      compile.mockRestore();
    }
  });

  it('accepts a pattern with a code point escape', () => {
    expect(errorsOf({ properties: { a: { pattern: '^\\u{900}+$' } } })).toEqual([]);
  });

  it.each([
    ['is too long', { description: 'x'.repeat(65 * 1024) }],
    ['is nested too deeply', nested(10_000)],
    ['has too many schemas', { allOf: times(30, () => ({ properties: named(40, () => ({})) })) }],
    ['has too many properties in one place', { properties: named(501, () => ({})) }],
    ['has an enum that is too long', { properties: { a: { enum: times(1001, String) } } }],
    ['refers to itself for the same value through allOf and anyOf', { allOf: [{ anyOf: [{ $ref: '#' }] }] }],
    [
      'has a cycle of references',
      { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } },
    ],
    [
      'doubles its steps with each reference',
      {
        $ref: '#/$defs/n0',
        $defs: named(40, (index) => ({
          allOf: index < 39 ? times(2, () => ({ $ref: `#/$defs/n${index + 1}` })) : [],
        })),
      },
    ],
    [
      'chains too many references',
      {
        $ref: '#/$defs/n0',
        $defs: named(60, (index) => ({
          minProperties: 1,
          ...(index < 59 && { $ref: `#/$defs/n${index + 1}` }),
        })),
      },
    ],
    [
      'has too many regular expressions',
      { patternProperties: Object.fromEntries(times(101, (index) => [`^a${index}$`, {}])) },
    ],
    [
      'has too many regular expressions that RE2 runs',
      { patternProperties: Object.fromEntries(times(26, (index) => [`(a${index})`, {}])) },
    ],
    [
      'has alternatives that take too many instructions together before they are merged',
      {
        properties: named(20, (index) => ({
          pattern: `(?:${times(100, (i) => 100 + i).join('|')}){3}${String.fromCharCode(97 + index)}`,
        })),
      },
    ],
    ['has a regular expression that is too large', { properties: { a: { pattern: '(?:a?b?){300}' } } }],
  ])('quickly rejects a schema that %s', (_, schema) => {
    const start = process.cpuUsage();
    expect(errorsOf(schema).length).toBeGreaterThan(0);
    expect(process.cpuUsage(start).user / 1000).toBeLessThan(5_000);
  });
});
