import { hash64 } from '#dataflow';

/** Bits of a filter for each key that it is made for, and bits that a key sets: 1 in a million other keys seems to be there. */
const [bitsPerKey, probes] = [32, 12];
/** Keys that the first of the filters is made for. Each further one is made for twice as many. */
const firstKeys = 4096;
/** Keys that the largest one is made for: it takes 1 MiB. When it is full, the filter has more false positives. */
const mostKeys = 256 * 1024;

/**
 * A Bloom filter that grows with the number of its keys (Almeida and others, Scalable Bloom Filters, 2007). `mayHave` is
 * true for every key that was added, and rarely for another key: a look-up in the store for one key costs about as much
 * as one for a thousand, and a batch has a thousand keys. It takes at most 2 MiB.
 */
export class KeyBloomFilter {
  private readonly filters: Uint32Array[] = [];
  /** Number of keys that the last filter is made for, and how many it has. */
  private readonly last = { most: firstKeys / 2, keys: Infinity };

  add(key: string): void {
    // A key that is evicted again must not use up space.
    if (this.mayHave(key)) return;
    const { last, filters } = this;
    if (last.keys >= last.most && last.most < mostKeys) {
      Object.assign(last, { most: last.most * 2, keys: 0 });
      filters.push(new Uint32Array((last.most * bitsPerKey) / 32));
    }
    const [first, step] = hash64(key);
    const words = filters.at(-1)!;
    for (let i = 0; i < probes; i++) {
      const bit = (first + i * step) % (words.length * 32);
      words[bit >>> 5]! |= 1 << (bit & 31);
    }
    last.keys++;
  }

  mayHave(key: string): boolean {
    const [first, step] = hash64(key);
    return this.filters.some((words) => {
      for (let i = 0; i < probes; i++) {
        const bit = (first + i * step) % (words.length * 32);
        if (((words[bit >>> 5]! >>> (bit & 31)) & 1) === 0) return false;
      }
      return true;
    });
  }
}
