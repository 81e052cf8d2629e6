const seed = 0x9747b28c;
const m = 0x5bd1e995;
const r = 24;

/** Returns the signed 32-bit murmur2 of a key's UTF-8 bytes, as in org.apache.kafka.common.utils.Utils.murmur2. */
export function murmur2(key: string): number {
  // Most keys are ASCII, for which no Buffer is created.
  return hash(key, 0x7f) ?? hash(Buffer.from(key).toString('latin1'), 0xff)!;
}

/** Returns the partition that Kafka's default partitioner selects for a record with this key. */
export function partitionOf(key: string, partitions: number): number {
  return (murmur2(key) & 0x7fffffff) % partitions;
}

/** Returns the hash of characters that are one byte each; undefined if a character is above `most`. */
function hash(bytes: string, most: number): number | undefined {
  const length = bytes.length;
  let unionOfBits = 0;
  let h = seed ^ length;
  let i = 0;
  for (; i + 4 <= length; i += 4) {
    const a = bytes.charCodeAt(i);
    const b = bytes.charCodeAt(i + 1);
    const c = bytes.charCodeAt(i + 2);
    const d = bytes.charCodeAt(i + 3);
    unionOfBits |= a | b | c | d;
    let k = Math.imul(a | (b << 8) | (c << 16) | (d << 24), m);
    k ^= k >>> r;
    h = Math.imul(h, m) ^ Math.imul(k, m);
  }
  let rest = 0;
  for (let shift = 0, at = i; at < length; at++, shift += 8) {
    const code = bytes.charCodeAt(at);
    unionOfBits |= code;
    rest |= code << shift;
  }
  if (unionOfBits > most) return undefined;
  if (length > i) h = Math.imul(h ^ rest, m);
  h ^= h >>> 13;
  h = Math.imul(h, m);
  return h ^ (h >>> 15);
}
