import { describe, expect, it } from 'vitest';
import { outcomesOf } from '../pipeline.fixture.js';

const window = { window: { tumbling: '1m', key: 'event.entity_id', lateness: '0s' } };
const emit = { emit: { stream: 'out' } };

describe('reduce', () => {
  it('must follow a window', () => {
    const reduce = { reduce: { n: { op: 'count' } } };
    expect(() => outcomesOf([reduce, emit], '{}')).toThrow('/operators/0/reduce: must follow a window');
    expect(() => outcomesOf([window, emit, reduce], '{}')).toThrow('/operators/2/reduce: must follow');
  });

  it.each<[object, string]>([
    [{ key: { op: 'count' } }, '/operators/1/reduce/key: must have another name'],
    [{ n: { op: 'sum' } }, '/operators/1/reduce/n/value: is required'],
    [{ n: { op: 'total' } }, '/operators/1/reduce/n/op: must be one of count, sum'],
    [
      { n: { op: 'count', of: 'x' } },
      '/operators/1/reduce/n/of: is not a known field; known fields are op, value, by, n, p',
    ],
    [
      { n: { op: 'top', value: '1', by: '1', n: 0 } },
      '/operators/1/reduce/n/n: must be an integer of 1 to 100',
    ],
    [{ n: { op: 'quantile', value: '1', p: 0.5 } }, '/operators/1/reduce/n/p: must be a list'],
    [{ n: { op: 'top', value: '1', by: '1 +', n: 1 } }, '/operators/1/reduce/n/by: '],
    [{}, '/operators/1/reduce: must have 1 to 32 fields'],
    [[], '/operators/1/reduce: must be an object'],
  ])('is invalid with %j', (reduce, error) => {
    expect(() => outcomesOf([window, { reduce }, emit], '{}')).toThrow(error);
  });
});
