import { expect, it } from 'vitest';
import { hashOf } from './event-text.js';

it('distributes entities evenly, and distinguishes streams', () => {
  const lanes = [0, 0, 0, 0];
  for (let n = 0; n < 4_000; n++) lanes[hashOf('orders', `order-${n}`) % 4]!++;
  for (const events of lanes) expect(events).toBeGreaterThan(800);
  expect(hashOf('a', 'b')).not.toBe(hashOf('b', 'a'));
  expect(hashOf('ab', 'c')).not.toBe(hashOf('a', 'bc'));
});
