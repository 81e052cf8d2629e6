const seed = 0x9747b28c;
const m = 0x5bd1e995;
const r = 24;

/** Returns the signed 32-bit murmur2 of a key's UTF-8 bytes, as in org.apache.kafka.common.utils.Utils.murmur2. */
export function murmur2(key: string): number {
  const ascii = hashAscii(key);
  return ascii ?? hashBytes(Buffer.from(key));
}

/** Returns the partition that Kafka's default partitioner selects for a record with this key. */
export function partitionOf(key: string, partitions: number): number {
  return (murmur2(key) & 0x7fffffff) % partitions;
}

/** Returns the hash of an ASCII key without creating a Buffer; undefined if a character is not ASCII. */
function hashAscii(key: string): number | undefined {
  const length = key.length;
  let seen = 0;
  let h = seed ^ length;
  let i = 0;
  for (; i + 4 <= length; i += 4) {
    const a = key.charCodeAt(i);
    const b = key.charCodeAt(i + 1);
    const c = key.charCodeAt(i + 2);
    const d = key.charCodeAt(i + 3);
    seen |= a | b | c | d;
    h = mix(h, a | (b << 8) | (c << 16) | (d << 24));
  }
  let rest = 0;
  for (let shift = 0, at = i; at < length; at++, shift += 8) {
    const code = key.charCodeAt(at);
    seen |= code;
    rest |= code << shift;
  }
  if (seen > 0x7f) return undefined;
  return finish(h, rest, length > i);
}

function hashBytes(bytes: Buffer): number {
  const length = bytes.length;
  let h = seed ^ length;
  let i = 0;
  for (; i + 4 <= length; i += 4) h = mix(h, bytes.readInt32LE(i));
  let rest = 0;
  for (let shift = 0, at = i; at < length; at++, shift += 8) rest |= (bytes[at] ?? 0) << shift;
  return finish(h, rest, length > i);
}

function mix(h: number, word: number): number {
  let k = Math.imul(word, m);
  k ^= k >>> r;
  k = Math.imul(k, m);
  return Math.imul(h, m) ^ k;
}

function finish(hash: number, rest: number, hasRest: boolean): number {
  let h = hash;
  if (hasRest) h = Math.imul(h ^ rest, m);
  h ^= h >>> 13;
  h = Math.imul(h, m);
  return h ^ (h >>> 15);
}
