import { randomInt } from 'node:crypto';
import { idHash } from './id-hash-table.js';

/** The number of ages of a filter's entries: an age is 1 to `filterAges`. */
export const filterAges = 15;

/** Number of slots for each id. With fewer free slots, entries are moved more often, each time to another place in memory. */
const slack = 1.13;
const slotsPerBucket = 4;
/** Words of a bucket: two with the lower 16 bits of four fingerprints, and one with four bytes of the rest. */
const wordsPerBucket = 3;
/** Number of entries that are moved to make room for one, before the filter counts as full. */
const mostMoves = 400;
const twoTo32 = 4_294_967_296;
/** The seeds of the two hashes of an id. All filters of a process share them. */
const bucketSeed = randomInt(0x7fffffff);
const fingerprintSeed = randomInt(0x7fffffff);

interface HashedId {
  bucket: number;
  fingerprint: number;
}

/** Hashes the id that consists of the four words of `ids` at index `at`. The result is valid until the next call. */
export function hashedId(ids: Uint32Array, at: number): Readonly<HashedId> {
  hashed.bucket = idHash(ids, at, bucketSeed);
  hashed.fingerprint = idHash(ids, at, fingerprintSeed) >>> 12;
  return hashed;
}
const hashed: HashedId = { bucket: 0, fingerprint: 0 };

interface Entry {
  fingerprint: number;
  age: number;
  bucket: number;
}

/**
 * A cuckoo filter (Fan et al., 2014) of ids. An entry takes 3 bytes: 20 bits of
 * a fingerprint and 4 bits of an age, by which entries are removed. The filter returns the ages of all its entries with
 * an id, and rarely, for about one id in 130 000, an age of another one.
 *
 * The two buckets of a fingerprint add up to a number that depends on the fingerprint alone, modulo the number of
 * buckets. So an entry can be moved without its id, and the number of buckets need not be a power of two.
 */
export class IdFilter {
  private readonly buckets: number;
  /** Three words a bucket. The byte of a slot has the upper 4 bits of the fingerprint, and the age; age 0 is free. */
  private readonly words: Uint32Array;
  private homeless: Entry | undefined;
  private random = 0x9e3779b9;
  private used = 0;

  /** @param capacity number of ids with which the filter is full */
  constructor(private readonly capacity: number) {
    this.buckets = bucketsFor(capacity);
    this.words = new Uint32Array(this.buckets * wordsPerBucket);
  }

  static bytesOf(capacity: number): number {
    return bucketsFor(capacity) * wordsPerBucket * 4;
  }

  get bytes(): number {
    return this.words.byteLength;
  }

  get size(): number {
    return this.used;
  }

  /** Whether the filter takes no further id until entries are removed. */
  get isFull(): boolean {
    return this.used >= this.capacity || this.homeless !== undefined;
  }

  get load(): number {
    return this.used / this.capacity;
  }

  /** Adds an id with an age. The filter must not be full; it keeps the id in any case. */
  add({ bucket, fingerprint }: HashedId, age: number): void {
    this.used++;
    this.place(this.bucketOf(bucket), fingerprint, age);
  }

  /** Returns the ages of the entries with this id: bit n is set if an entry has age n. */
  agesOf({ bucket: hash, fingerprint }: HashedId): number {
    const bucket = this.bucketOf(hash);
    const other = this.otherBucket(bucket, fingerprint);
    const ages = this.agesIn(bucket, fingerprint) | this.agesIn(other, fingerprint);
    const { homeless } = this;
    if (homeless?.fingerprint !== fingerprint) return ages;
    return homeless.bucket === bucket || homeless.bucket === other ? ages | (1 << homeless.age) : ages;
  }

  remove(age: number): void {
    const { words, homeless } = this;
    for (let at = 2; at < words.length; at += wordsPerBucket) {
      let rest = words[at]!;
      for (let shift = 0; shift < 32; shift += 8) {
        if (((rest >>> shift) & 15) !== age) continue;
        rest &= ~(0xff << shift);
        this.used--;
      }
      words[at] = rest;
    }
    if (!homeless) return;
    this.homeless = undefined;
    if (homeless.age === age) this.used--;
    else this.place(homeless.bucket, homeless.fingerprint, homeless.age);
  }

  private agesIn(bucket: number, fingerprint: number): number {
    const { words } = this;
    const at = bucket * wordsPerBucket;
    const lower = fingerprint & 0xffff;
    const [first, second] = [words[at]!, words[at + 1]!];
    let ages = 0;
    if ((first & 0xffff) === lower) ages |= this.ageIn(at, 0, fingerprint);
    if (first >>> 16 === lower) ages |= this.ageIn(at, 1, fingerprint);
    if ((second & 0xffff) === lower) ages |= this.ageIn(at, 2, fingerprint);
    if (second >>> 16 === lower) ages |= this.ageIn(at, 3, fingerprint);
    return ages;
  }

  /** Returns the age of a slot as a bit, if the upper bits of its fingerprint match; 0 otherwise. */
  private ageIn(at: number, slot: number, fingerprint: number): number {
    const rest = this.words[at + 2]! >>> (slot * 8);
    const age = rest & 15;
    return age !== 0 && ((rest >>> 4) & 15) === fingerprint >>> 16 ? 1 << age : 0;
  }

  /** Puts an entry into one of its two buckets. If both are full, entries of these buckets are moved on. */
  private place(home: number, newFingerprint: number, newAge: number): void {
    if (this.putInto(home, newFingerprint, newAge)) return;
    let [fingerprint, age] = [newFingerprint, newAge];
    let bucket = this.otherBucket(home, fingerprint);
    for (let moves = 0; moves < mostMoves; moves++) {
      if (this.putInto(bucket, fingerprint, age)) return;
      const slot = this.nextRandom() & (slotsPerBucket - 1);
      const at = bucket * wordsPerBucket;
      const rest = (this.words[at + 2]! >>> (slot * 8)) & 0xff;
      const lower = (this.words[at + (slot >> 1)]! >>> ((slot & 1) * 16)) & 0xffff;
      this.put(bucket * slotsPerBucket + slot, fingerprint, age);
      fingerprint = ((rest >>> 4) << 16) | lower;
      age = rest & 15;
      bucket = this.otherBucket(bucket, fingerprint);
    }
    this.homeless = { fingerprint, age, bucket };
  }

  private putInto(bucket: number, fingerprint: number, age: number): boolean {
    const at = bucket * wordsPerBucket;
    const rest = this.words[at + 2]!;
    for (let slot = 0; slot < slotsPerBucket; slot++) {
      if (((rest >>> (slot * 8)) & 15) !== 0) continue;
      this.put(bucket * slotsPerBucket + slot, fingerprint, age);
      return true;
    }
    return false;
  }

  /** Writes an entry into a slot; slots are counted over all buckets. */
  private put(slot: number, fingerprint: number, age: number): void {
    const { words } = this;
    const at = (slot >> 2) * wordsPerBucket;
    const [half, byte] = [(slot & 1) * 16, (slot & 3) * 8];
    const word = at + ((slot >> 1) & 1);
    const rest = ((fingerprint >>> 16) << 4) | age;
    words[word] = (words[word]! & ~(0xffff << half)) | ((fingerprint & 0xffff) << half);
    words[at + 2] = (words[at + 2]! & ~(0xff << byte)) | (rest << byte);
  }

  private bucketOf(hash: number): number {
    return Math.floor(((hash >>> 0) * this.buckets) / twoTo32);
  }

  private otherBucket(bucket: number, fingerprint: number): number {
    const sum = this.bucketOf(Math.imul(fingerprint + 1, 0x9e3779b1));
    return sum >= bucket ? sum - bucket : sum - bucket + this.buckets;
  }

  /** Xorshift (Marsaglia, 2003). */
  private nextRandom(): number {
    let value = this.random;
    value ^= value << 13;
    value ^= value >>> 17;
    value ^= value << 5;
    this.random = value;
    return value >>> 8;
  }
}

function bucketsFor(capacity: number): number {
  return Math.ceil((capacity * slack) / slotsPerBucket) + 1;
}
