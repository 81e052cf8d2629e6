import { describe, expect, it } from 'vitest';
import { WrittenPositions } from './written-positions.js';

describe('given positions of two streams', () => {
  const written = () => {
    const positions = new WrittenPositions();
    positions.add('orders', { partition: 0, offset: 7 });
    positions.add('orders', { partition: 0, offset: 5 });
    positions.add('orders', { partition: 1, offset: 2 });
    positions.add('clicks', { partition: 0, offset: 9 });
    return positions;
  };

  it('the last position of each partition is listed, of all streams or of some', () => {
    expect(written().list([])).toEqual(['orders:0:7', 'orders:1:2', 'clicks:0:9']);
    expect(written().list(['clicks', 'unknown'])).toEqual(['clicks:0:9']);
  });

  it('when one stream is forgotten, its next positions count, whatever they are', () => {
    const positions = written();
    positions.forget(['orders']);
    expect(positions.list([])).toEqual(['clicks:0:9']);
    positions.add('orders', { partition: 0, offset: 0 });
    expect(positions.list(['orders'])).toEqual(['orders:0:0']);
  });

  it('when all are forgotten, none is listed', () => {
    const positions = written();
    positions.forget([]);
    expect(positions.list([])).toEqual([]);
  });
});
