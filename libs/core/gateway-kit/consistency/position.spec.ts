import { describe, expect, it } from 'vitest';
import { parsePosition } from '../parameters/decorators.js';

describe('a position', () => {
  it('is parsed from stream, partition and offset', () => {
    expect(parsePosition('orders.v1-x_y:4:10234')).toEqual({
      stream: 'orders.v1-x_y',
      partition: 4,
      offset: 10234,
    });
    expect(parsePosition('orders:0:9007199254740991')?.offset).toBe(9007199254740991);
  });

  it.each([
    '',
    'orders',
    'orders:1',
    'orders:1:2:3',
    ':1:2',
    'orders:-1:2',
    'orders:1:-2',
    'orders:1.5:2',
    'orders:NaN:2',
    'orders:1:9007199254740993',
    'orders:999999:1',
    '__consumer_offsets:0:1',
    '../x:0:1',
    "a' OR 1=1:0:1",
    'orders:0:1\n',
  ])('is not parsed from %j', (text) => {
    expect(parsePosition(text)).toBeUndefined();
  });
});
