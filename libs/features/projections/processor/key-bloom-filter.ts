import { hash64 } from '#dataflow';

/**
 * Size of the Bloom filter in bits: 256 KiB. The false-positive rate is about 1 in 500 with 125 000 keys and 1 in 7
 * with 500 000 keys.
 */
const bits = 2 ** 21;
const probes = 4;

/** A Bloom filter of fixed size. `mayHave` is true for every key that was added, and sometimes also for another key. */
export class KeyBloomFilter {
  private readonly words = new Uint32Array(bits / 32);

  add(key: string): void {
    for (const bit of bitsOf(key)) this.words[bit >>> 5]! |= 1 << (bit & 31);
  }

  mayHave(key: string): boolean {
    return bitsOf(key).every((bit) => (this.words[bit >>> 5]! >>> (bit & 31)) & 1);
  }
}

function bitsOf(key: string): number[] {
  const [first, step] = hash64(key);
  return Array.from({ length: probes }, (_, i) => (first + i * step) % bits);
}
