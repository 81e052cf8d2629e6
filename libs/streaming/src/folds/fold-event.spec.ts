import { describe, expect, it } from 'vitest';
import { event } from './event.fixture.js';

describe('an event to be folded', () => {
  it('stands by its time, partition, offset and stream', () => {
    expect(event('{}', { timestamp: 5, partition: 1, offset: 7 }).position).toEqual([5, 1, 7, 'orders']);
  });

  it('is read once for both arithmetics, unless they read a number in it differently', () => {
    for (const number of [
      '12.5',
      '"12345678901234567890.5"',
      '23.983333333333334',
      '9007199254740991',
      '1e-7',
    ]) {
      const plain = event(`{"a":[ ${number}]}`);
      expect(plain.rounded).toBe(plain.exact);
    }
    for (const number of ['9007199254740993', '9007199254740992', '0.12345678901234567890', '1e5', '1e+23']) {
      const peculiar = event(`{"a":[ ${number}]}`);
      expect(peculiar.rounded).not.toBe(peculiar.exact);
    }
  });
});
