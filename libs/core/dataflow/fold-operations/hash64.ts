/**
 * Returns a 64-bit hash of a text: two MurmurHash3 (x86, 32 bits, by Austin Appleby, in the public domain) of the
 * UTF-16 code units in little endian, each with its own seed.
 */
export function hash64(text: string): [high: number, low: number] {
  return [murmur3(text, 0x9747b28c), murmur3(text, 0x5bd1e995)];
}

/** Returns the unsigned 32-bit MurmurHash3 of the code units as bytes in little endian. */
export function murmur3(text: string, seed: number): number {
  let hash = seed | 0;
  const pairs = text.length & ~1;
  for (let i = 0; i < pairs; i += 2) {
    hash ^= mixed(text.charCodeAt(i) | (text.charCodeAt(i + 1) << 16));
    hash = (hash << 13) | (hash >>> 19);
    hash = (Math.imul(hash, 5) + 0xe6546b64) | 0;
  }
  if (pairs < text.length) hash ^= mixed(text.charCodeAt(pairs));
  hash ^= text.length * 2;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

function mixed(block: number): number {
  const product = Math.imul(block, 0xcc9e2d51);
  return Math.imul((product << 15) | (product >>> 17), 0x1b873593);
}
