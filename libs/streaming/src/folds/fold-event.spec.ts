import { describe, expect, it } from 'vitest';
import { event } from './event.fixture.js';

describe('an event to be folded', () => {
  it('stands by its time, partition, offset and stream', () => {
    expect(event('{}', { timestamp: 5, partition: 1, offset: 7 }).position).toEqual([5, 1, 7, 'orders']);
  });

  it('is read once for both arithmetics, unless they read a number in it differently', () => {
    const plain = event('{"a":12.5,"b":"12345678901234567890.5"}');
    expect(plain.rounded).toBe(plain.exact);
    for (const number of ['12345678901234567890', '0.12345678901234567', '1e5']) {
      const peculiar = event(`{"a":[ ${number}]}`);
      expect(peculiar.rounded).not.toBe(peculiar.exact);
    }
  });
});
