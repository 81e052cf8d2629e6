import { describe, expect, it } from 'vitest';
import { topLevelColumns } from './top-level-columns.js';

describe('topLevelColumns', () => {
  it.each([
    [{ type: 'string' }, 'text'],
    [{ type: ['string', 'null'] }, 'text'],
    [{ type: 'string', format: 'date-time' }, 'time'],
    [{ type: 'integer' }, 'integer'],
    [{ type: 'number' }, 'number'],
    [{ type: 'boolean' }, 'boolean'],
    [{ type: 'object' }, 'json'],
    [{ type: ['string', 'integer'] }, 'json'],
    [{ enum: ['a'] }, 'json'],
    [true, 'json'],
  ])('maps %j to a column of type %s', (rule, type) => {
    expect(topLevelColumns({ type: 'object', properties: { a: rule } })).toEqual([{ member: 'a', type }]);
  });

  it.each([true, {}, { properties: [] }])('returns no columns for %j', (schema) => {
    expect(topLevelColumns(schema)).toEqual([]);
  });
});
