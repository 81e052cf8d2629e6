import { describe, expect, it } from 'vitest';
import { murmur2, partitionOf } from './murmur2.js';

describe('murmur2', () => {
  // The expected hashes are from UtilsTest.testMurmur2 of Kafka.
  it.each([
    ['21', -973932308],
    ['foobar', -790332482],
    ['a-little-bit-long-string', -985981536],
    ['a-little-bit-longer-string', -1486304829],
    ['lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8', -58897971],
    ['abc', 479470107],
  ])('hashes %s as the Java client does', (key, hash) => {
    expect(murmur2(key)).toBe(hash);
  });

  it('hashes keys of every length and script as kafkajs does', async () => {
    const { createRequire } = await import('node:module');
    const reference = createRequire(import.meta.url)('kafkajs/src/producer/partitioners/default/murmur2') as (
      key: string,
    ) => number;
    for (const base of ['abcdefghij', 'žluťoučký kůň', '訂單-', '🚚🚚', '\u0000\u007f\u0080', '\ud800x']) {
      for (let length = 0; length <= base.length; length++) {
        const key = base.slice(0, length);
        expect(murmur2(key), JSON.stringify(key)).toBe(reference(key));
      }
    }
  });
});

describe('partitionOf', () => {
  it('is at least zero and less than the number of partitions', () => {
    for (let i = 0; i < 1000; i++) {
      const partition = partitionOf(`key-${i}`, 7);
      expect(partition).toBeGreaterThanOrEqual(0);
      expect(partition).toBeLessThan(7);
    }
  });
});
