import { randomInt } from 'node:crypto';
import { idHash } from './id-hash.js';

/** The number of ages of a filter's entries: an age is 1 to `filterAges`. */
export const filterAges = 15;

/** The share of its capacity in slots by which a filter is larger, so that a free slot is found quickly. */
const slack = 1.06;
const slotsPerBucket = 4;
/** Number of entries that are moved to make room for one, before the filter counts as full. */
const mostMoves = 400;
const twoTo32 = 4_294_967_296;
/** The seeds of the two hashes of an id. All filters of a process share them. */
const bucketSeed = randomInt(0x7fffffff);
const fingerprintSeed = randomInt(0x7fffffff);

/** The two hashes of an id, by which filters find it. */
export interface HashedId {
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
  /** The lower 16 bits of the fingerprint of each slot. */
  private readonly low: Uint16Array;
  /** The upper 4 bits of the fingerprint, times 16, plus the age; a slot with age 0 is free. */
  private readonly high: Uint8Array;
  /** The entry for which no slot was found. The filter is full as long as it has such an entry. */
  private homeless: Entry | undefined;
  private random = 0x9e3779b9;
  private used = 0;

  /** @param capacity number of ids that the filter can hold at least */
  constructor(capacity: number) {
    this.buckets = Math.ceil((capacity * slack) / slotsPerBucket) + 1;
    this.low = new Uint16Array(this.buckets * slotsPerBucket);
    this.high = new Uint8Array(this.buckets * slotsPerBucket);
  }

  /** Returns the bytes that a filter of this capacity takes. */
  static bytesOf(capacity: number): number {
    return (Math.ceil((capacity * slack) / slotsPerBucket) + 1) * slotsPerBucket * 3;
  }

  get bytes(): number {
    return this.low.byteLength + this.high.byteLength;
  }

  get size(): number {
    return this.used;
  }

  /** Whether the filter takes no further id until entries are removed. */
  get isFull(): boolean {
    return this.homeless !== undefined;
  }

  /** The share of the slots that have an entry. */
  get load(): number {
    return this.used / this.high.length;
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

  /** Removes all entries of an age. */
  remove(age: number): void {
    const { high, homeless } = this;
    for (let slot = 0; slot < high.length; slot++) {
      if ((high[slot]! & 15) !== age) continue;
      high[slot] = 0;
      this.used--;
    }
    if (!homeless) return;
    this.homeless = undefined;
    if (homeless.age === age) this.used--;
    else this.place(homeless.bucket, homeless.fingerprint, homeless.age);
  }

  private agesIn(bucket: number, fingerprint: number): number {
    const { low, high } = this;
    const lower = fingerprint & 0xffff;
    const first = bucket * slotsPerBucket;
    let ages = 0;
    for (let slot = first; slot < first + slotsPerBucket; slot++) {
      if (low[slot] !== lower) continue;
      const entry = high[slot]!;
      if (entry >>> 4 === fingerprint >>> 16 && (entry & 15) !== 0) ages |= 1 << (entry & 15);
    }
    return ages;
  }

  /** Puts an entry into one of its two buckets. If both are full, entries of these buckets are moved on. */
  private place(home: number, newFingerprint: number, newAge: number): void {
    if (this.putInto(home, newFingerprint, newAge)) return;
    let [fingerprint, age] = [newFingerprint, newAge];
    let bucket = this.otherBucket(home, fingerprint);
    for (let moves = 0; moves < mostMoves; moves++) {
      if (this.putInto(bucket, fingerprint, age)) return;
      const slot = bucket * slotsPerBucket + (this.nextRandom() & (slotsPerBucket - 1));
      const moved = this.high[slot]!;
      const movedFingerprint = ((moved >>> 4) << 16) | this.low[slot]!;
      this.put(slot, fingerprint, age);
      fingerprint = movedFingerprint;
      age = moved & 15;
      bucket = this.otherBucket(bucket, fingerprint);
    }
    this.homeless = { fingerprint, age, bucket };
  }

  private putInto(bucket: number, fingerprint: number, age: number): boolean {
    const first = bucket * slotsPerBucket;
    for (let slot = first; slot < first + slotsPerBucket; slot++) {
      if ((this.high[slot]! & 15) !== 0) continue;
      this.put(slot, fingerprint, age);
      return true;
    }
    return false;
  }

  private put(slot: number, fingerprint: number, age: number): void {
    this.low[slot] = fingerprint & 0xffff;
    this.high[slot] = ((fingerprint >>> 16) << 4) | age;
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
