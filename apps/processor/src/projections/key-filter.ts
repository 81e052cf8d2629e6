import { hash64 } from '#dataflow';

/** 256 KiB: of 125 000 keys, 1 in 500 others is taken for one of them, and of 500 000 every seventh. */
const bits = 2 ** 21;
const probes = 4;

/** Remembers which keys it was given, in a fixed size: never says no of one that it was, sometimes yes of another (Bloom). */
export class KeyFilter {
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
