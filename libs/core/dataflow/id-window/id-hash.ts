/** Returns a hash of the four words of `ids` at index `at`; hashes with different seeds are independent. */
export function idHash(ids: Uint32Array, at: number, seed: number): number {
  let hash = Math.imul(seed ^ ids[at]!, 0x9e3779b1);
  hash = Math.imul(((hash << 15) | (hash >>> 17)) ^ ids[at + 1]!, 0x85ebca6b);
  hash = Math.imul(((hash << 15) | (hash >>> 17)) ^ ids[at + 2]!, 0xc2b2ae35);
  hash = Math.imul(((hash << 15) | (hash >>> 17)) ^ ids[at + 3]!, 0x27d4eb2f);
  hash = Math.imul(hash ^ (hash >>> 15), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}
