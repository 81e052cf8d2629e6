import { describe, expect, it } from 'vitest';
import { compileFold } from './compile-fold.js';
import { DefinitionError } from '../definition/definition-error.js';
import { foldOperations } from '../fold-operations/index.js';
import type { FoldField } from './compile-fields.js';

const errors = (fields: Record<string, FoldField>) => {
  try {
    compileFold(fields);
  } catch (error) {
    if (error instanceof DefinitionError) return error.errors;
    throw error;
  }
  throw new Error('The definition has no error.');
};
const one = (op: string, value?: string) => errors({ f: { op, value } });

describe('the fields of a definition', () => {
  it.each<[string, string | undefined, string, string]>([
    ['median', 'event.data.x', '/fields/f/op', `must be one of ${Object.keys(foldOperations).join(', ')}`],
    ['constructor', 'event.data.x', '/fields/f/op', 'must be one of'],
    ['sum', undefined, '/fields/f/value', 'is required: sum needs one, such as "event.data.amount"'],
    ['count', 'event.data.x', '/fields/f/value', 'must be left out: count takes no value'],
    ['sum', 'event.data.', '/fields/f/value', '(at character 12)'],
    ['sum', '"5"', '/fields/f/value', 'This is a string, but a number is needed. (at character 1)'],
    ['sum', 'event.entity_id', '/fields/f/value', 'This is null or a string, but a number is needed.'],
    [
      'avg',
      'event.ingested_at - event.timestamp',
      '/fields/f/value',
      'This is a duration, but a number is needed.',
    ],
    ['merge', '[event.data]', '/fields/f/value', 'This is a list, but an object is needed.'],
    [
      'max',
      'event.data',
      '/fields/f/value',
      'This is an object, but a number, a string, a timestamp or a duration',
    ],
    ['last', 'null', '/fields/f/value', 'This is null'],
    [
      'sum',
      'event.amount',
      '/fields/f/value',
      'An event has no member amount; the sent data is in event.data.',
    ],
    ['last', 'event.version', '/fields/f/value', 'the version is assigned when the event is stored'],
    [
      'sum',
      '1 + event.data.x * nothing',
      '/fields/f/value',
      'There is no variable nothing; write event.data.nothing (at character 20)',
    ],
    [
      'last',
      'order.large',
      '/fields/f/value',
      "There is no variable order; write event.data.order.large, or 'order.large' for the text (at character 1)",
    ],
    [
      'last',
      'event.data.a + order.large',
      '/fields/f/value',
      'write event.data.order.large (at character 16)',
    ],
    ['sum', 'order.large', '/fields/f/value', 'write event.data.order.large (at character 1)'],
    ['sum', 'round(event.data.x)', '/fields/f/value', 'There is no round() with 1 argument(s).'],
    [
      'sum',
      'event.data.x * 0.12345678901234567890',
      '/fields/f/value',
      'more digits than can be computed with',
    ],
    ['sum', 'event.data.x - -(0.12345678901234567)', '/fields/f/value', 'The number has more digits'],
  ])('%s of %s is invalid at %s: %s', (op, value, ...[pointer, detail]) => {
    const [error, ...others] = one(op, value);
    expect(error).toMatchObject({ pointer, detail: expect.stringContaining(detail) as string });
    expect(others).toEqual([]);
  });

  const [value, by] = ['event.data.x', 'event.data.y'];
  it.each<[FoldField, string, string]>([
    [{ op: 'top', value, n: 1 }, 'by', 'is required: top needs one, such as "event.data.amount"'],
    [{ op: 'top', by, n: 1 }, 'value', 'is required'],
    [{ op: 'top', value, by }, 'n', 'is required: top needs one, such as 10'],
    [
      { op: 'top', value, by: '[1]', n: 1 },
      'by',
      'This is a list, but a number, a string, a timestamp or a duration',
    ],
    ...[0, 101, 1.5, '5', [1]].map((n): [FoldField, string, string] => [
      { op: 'top', value, by, n },
      'n',
      'must be an integer of 1 to 100',
    ]),
    [{ op: 'quantile', value }, 'p', 'is required: quantile needs one, such as [0.5, 0.99]'],
    ...[0.5, [], Array(17).fill(0.5)].map((p): [FoldField, string, string] => [
      { op: 'quantile', value, p },
      'p',
      'must be a list of 1 to 16 elements',
    ]),
    ...[[1.01], [-0.1], ['0.5'], [NaN]].map((p): [FoldField, string, string] => [
      { op: 'quantile', value, p },
      'p',
      'must contain numbers of 0 to 1, such as 0.99',
    ]),
    [{ op: 'quantile', value, p: [0.5, 0.9, 0.5] }, 'p', 'must not contain a number twice'],
    [{ op: 'quantile', value: '"a"', p: [0.5] }, 'value', 'This is a string, but a number is needed.'],
    [{ op: 'max', value, by }, 'by', 'must be left out: max takes no by'],
    [{ op: 'count', n: 1 }, 'n', 'must be left out: count takes no n'],
    [{ op: 'top', value, by, n: 1, p: [1] }, 'p', 'must be left out: top takes no p'],
  ])('%j is invalid at %s: %s', (field, member, detail) => {
    expect(errors({ f: field })).toMatchObject([
      { pointer: `/fields/f/${member}`, detail: expect.stringContaining(detail) as string },
    ]);
  });

  it('report all errors at once', () => {
    expect(
      errors({ a: { op: 'sum' }, b: { op: 'count' }, c: { op: 'x' } }).map(({ pointer }) => pointer),
    ).toEqual(['/fields/a/value', '/fields/c/op']);
  });

  it.each(['', '1a', '__proto__', 'a-b', 'a/b~', 'x'.repeat(65)])('reject the name %j', (name) => {
    const fields = JSON.parse(`{${JSON.stringify(name)}:{"op":"count"}}`) as Record<string, FoldField>;
    expect(errors(fields)[0]?.detail).toContain('1 to 64 of the characters');
  });

  it('must be 1 to 32', () => {
    const many = Object.fromEntries(Array.from({ length: 33 }, (_, i) => [`f${i}`, { op: 'count' }]));
    expect([errors({}), errors(many)].flat().map(({ pointer }) => pointer)).toEqual(['/fields', '/fields']);
  });

  it.each([
    ['sum', 'event.data.x > 1 ? 1 : 0'],
    ['sum', '-0.5 + 1e-7 * 1.25E+3 - -(2.5)'],
    ['max', 'event.timestamp'],
    ['last', 'event'],
    ['collect', 'event.metadata.source'],
    ['count_distinct', '[event.data.a, event.data.b]'],
    ['merge', 'event.data'],
    ['first', 'event.timestamp.getHours("Europe/Berlin")'],
  ])('accept %s of %s', (op, value) => {
    expect(() => compileFold({ f: { op, value } })).not.toThrow();
  });
});
