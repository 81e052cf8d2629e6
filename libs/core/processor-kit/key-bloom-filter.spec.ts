import { expect, it } from 'vitest';
import { KeyBloomFilter } from './key-bloom-filter.js';

it.each([1, 4096, 4097, 20_000, 200_000])('has all of %i added keys, and hardly any other', (count) => {
  const filter = new KeyBloomFilter();
  const keys = Array.from({ length: count }, (_, i) => `order-${i}`);
  for (const key of keys) filter.add(key);
  expect(keys.every((key) => filter.mayHave(key))).toBe(true);
  const others = Array.from({ length: 200_000 }, (_, i) => `other-${i}`);
  expect(others.filter((key) => filter.mayHave(key)).length).toBeLessThanOrEqual(10);
});

it('has no key before the first is added', () => {
  expect(new KeyBloomFilter().mayHave('order-1')).toBe(false);
});
