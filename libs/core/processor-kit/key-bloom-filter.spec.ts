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

it('takes no more space for keys that are added again and again', () => {
  const filter = new KeyBloomFilter();
  for (let i = 0; i < 1_000_000; i++) filter.add(`order-${i % 3000}`);
  const others = Array.from({ length: 200_000 }, (_, i) => `other-${i}`);
  expect(others.filter((key) => filter.mayHave(key)).length).toBeLessThanOrEqual(10);
  expect((filter as unknown as { filters: Uint32Array[] }).filters).toHaveLength(1);
});

it('has no key before the first is added', () => {
  expect(new KeyBloomFilter().mayHave('order-1')).toBe(false);
});
