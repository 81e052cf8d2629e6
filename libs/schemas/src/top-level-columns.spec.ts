import { describe, expect, it } from 'vitest';
import { topLevelColumns } from './top-level-columns.js';

describe('the columns of a schema', () => {
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
  ])('%j is a column of the type %s', (rule, type) => {
    expect(topLevelColumns({ type: 'object', properties: { a: rule } })).toEqual([{ member: 'a', type }]);
  });

  it.each([true, {}, { properties: [] }])('are none where %j names no members', (schema) => {
    expect(topLevelColumns(schema)).toEqual([]);
  });
});
