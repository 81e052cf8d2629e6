import { randomInt } from 'node:crypto';

/**
 * A hash table from ids to slots, with linear probing. The ids, four 32-bit words each, are in `ids` (at slot × 4),
 * which the owner fills. Whole ids are compared. The seed is random, so that a client cannot choose ids that collide.
 */
export class IdHashTable {
  /** The slot of an id plus 1, or 0 if free. The table is at most half full, so that probes are short. */
  private readonly table: Int32Array;
  private readonly mask: number;
  private readonly seed = randomInt(0x7fffffff);

  /** @param ids the ids of all slots; the length defines the number of slots */
  constructor(private readonly ids: Uint32Array) {
    let size = 16;
    while (size < ids.length / 2) size *= 2;
    this.table = new Int32Array(size);
    this.mask = size - 1;
  }

  get bytes(): number {
    return this.table.byteLength;
  }

  /** Adds the id in this slot, in place of an equal id. Returns true if there was one. */
  put(slot: number): boolean {
    const place = this.placeOf(slot);
    const known = this.table[place] !== 0;
    this.table[place] = slot + 1;
    return known;
  }

  /** Returns whether the hash table contains an id that equals the id in this slot. */
  has(slot: number): boolean {
    return this.table[this.placeOf(slot)] !== 0;
  }

  /** Returns the slot of an id that equals the id in this slot; undefined if there is none. */
  find(slot: number): number | undefined {
    const entry = this.table[this.placeOf(slot)]!;
    return entry === 0 ? undefined : entry - 1;
  }

  /** Removes the id of this slot, unless the table maps the id to another slot. */
  remove(slot: number): void {
    const place = this.placeOf(slot);
    if (this.table[place] !== slot + 1) return;
    this.closeGap(place);
  }

  /** Returns the table position of this slot's id, or the free position at which the id would be inserted. */
  private placeOf(slot: number): number {
    const { ids, table, mask } = this;
    const at = slot * 4;
    let place = this.hash(at);
    for (let entry = table[place]!; entry !== 0; entry = table[place]!) {
      const other = (entry - 1) * 4;
      if (
        ids[other + 3] === ids[at + 3] &&
        ids[other + 2] === ids[at + 2] &&
        ids[other + 1] === ids[at + 1] &&
        ids[other] === ids[at]
      )
        return place;
      place = (place + 1) & mask;
    }
    return place;
  }

  /** Moves entries that a probe could no longer reach across the gap (Knuth, vol. 3, 6.4, algorithm R). */
  private closeGap(start: number): void {
    const { table, mask } = this;
    let gap = start;
    table[gap] = 0;
    for (let place = (gap + 1) & mask; table[place] !== 0; place = (place + 1) & mask) {
      const home = this.hash((table[place]! - 1) * 4);
      if (((place - home) & mask) < ((place - gap) & mask)) continue;
      table[gap] = table[place]!;
      table[place] = 0;
      gap = place;
    }
  }

  private hash(at: number): number {
    return idHash(this.ids, at, this.seed) & this.mask;
  }
}

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
