import { describe, expect, it } from 'vitest';
import { murmur3 } from './hash64.js';
import { addToRegisters, emptyRegisters, estimate, mergeRegisters } from './hyperloglog.js';

const fill = (prefix: string, from: number, to: number) => {
  let registers = emptyRegisters;
  for (let i = from; i < to; i++) registers = addToRegisters(registers, `${prefix}${i}`);
  return registers;
};

describe('the hash', () => {
  it.each([
    ['', 0, 0],
    ['', 1, 0x514e28b7],
    ['test', 0, 0xba6bd213],
    ['test', 0x9747b28c, 0x704b81dc],
  ])('of the bytes of %j with seed %i is the published value of MurmurHash3', (bytes, seed, expected) => {
    expect(murmur3(Buffer.from(bytes, 'latin1').toString('utf16le'), seed)).toBe(expected);
  });
});

describe('a HyperLogLog', () => {
  it('estimates 0 without texts', () => {
    expect(estimate(emptyRegisters)).toBe(0);
  });

  // The standard error is 1.63 %. An error of five times that has a probability of one in two million.
  it.each([1, 10, 100, 1000, 2000, 5000, 10_000, 20_000, 50_000, 200_000])(
    'estimates %i texts with an error of less than 8 %',
    (n) => {
      for (const prefix of ['user-', '"', '00000000-0000-4000-8000-']) {
        const off = Math.abs(estimate(fill(prefix, 0, n)) - n);
        expect(off).toBeLessThanOrEqual(Math.ceil(n * 0.08));
      }
    },
  );

  it('has the expected standard error and no bias', () => {
    const errors = Array.from({ length: 60 }, (_, i) => estimate(fill(`${i}/`, 0, 6000)) / 6000 - 1);
    const mean = errors.reduce((a, b) => a + b) / errors.length;
    const spread = Math.sqrt(errors.reduce((a, b) => a + b * b) / errors.length);
    expect(Math.abs(mean)).toBeLessThan(0.01);
    expect(spread).toBeLessThan(0.025);
  });

  it('that is merged from two equals the one of all texts', () => {
    const merged = mergeRegisters(fill('u', 0, 3000), fill('u', 2000, 5000));
    expect(merged).toBe(fill('u', 0, 5000));
  });

  it('has 4 096 characters, none of which JSON escapes', () => {
    const registers = fill('u', 0, 50_000);
    expect(JSON.stringify(registers)).toHaveLength(4098);
  });
});
