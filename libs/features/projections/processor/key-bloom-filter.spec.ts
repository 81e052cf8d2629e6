import { expect, it } from 'vitest';
import { KeyBloomFilter } from './key-bloom-filter.js';

it('has every added key, and few other keys', () => {
  const filter = new KeyBloomFilter();
  const keys = Array.from({ length: 20_000 }, (_, i) => `order-${i}`);
  for (const key of keys) filter.add(key);
  expect(keys.every((key) => filter.mayHave(key))).toBe(true);
  const others = keys.filter((key) => filter.mayHave(`${key}0000000`));
  expect(others.length).toBeLessThan(200);
});
