import { readUuidText } from '#event';
import { IdIndex } from './id-index.js';

/** How far back a repeated id is recognised: both bounds hold. */
export interface IdWindowBounds {
  /** Offsets. */
  records: number;
  /** Milliseconds of log time, below 2^31. */
  milliseconds: number;
}

const smallest = 256;
const words = new Uint32Array(4);

/**
 * Remembers the event ids of one partition's last records. The rule, which depends on the log alone:
 *
 *     The log time of a record is the greatest timestamp of the partition up to and including it.
 *     A record is a repetition if and only if an earlier record with the same id is at most `records` offsets and at
 *     most `milliseconds` of log time before it. A repetition counts as an earlier record too.
 *
 * Log time never goes back, so a producer's clock that does changes nothing, and whoever starts reading `records`
 * offsets or `milliseconds` of log time before a position decides as if the whole log had been read, provided that
 * `startAt` was told the log time there.
 *
 * An id takes 24 bytes and its share of an index (8 to 16 bytes); at most `records` + 1 are held, and the arrays
 * start small.
 */
export class IdWindow {
  private capacity = 0;
  private ids = new Uint32Array(0);
  /** Offsets and log times modulo 2^32: differences within the window are exact. */
  private offsets = new Uint32Array(0);
  private times = new Uint32Array(0);
  private index = new IdIndex(this.ids);
  private first = 0;
  private count = 0;
  private lastOffset = -1;
  private logTime = -Infinity;
  /** The log time of the newest record that was forgotten for being too many offsets back. */
  private forgotten = -Infinity;

  constructor(readonly bounds: IdWindowBounds) {}

  /** Ids held, those that were repeated counted again. */
  get size(): number {
    return this.count;
  }

  get bytes(): number {
    return this.ids.byteLength + this.offsets.byteLength + this.times.byteLength + this.index.bytes;
  }

  /**
   * Milliseconds that a repetition written now may come after its first record and still be recognised.
   * @param now milliseconds since 1970, by the clock that stamps records
   */
  lengthAt(now: number): number {
    const { records, milliseconds } = this.bounds;
    if (this.lastOffset < 0) return milliseconds;
    const isFull = this.count > 0 && this.lastOffset - this.oldestOffset + 1 >= records;
    const since = isFull ? this.oldestTime : this.forgotten;
    return Math.min(milliseconds, Math.max(now, this.logTime) - since);
  }

  private get oldestOffset(): number {
    return this.lastOffset - ((this.lastOffset - this.offsets[this.first]!) >>> 0);
  }

  private get oldestTime(): number {
    return this.logTime - ((this.logTime - this.times[this.first]!) >>> 0);
  }

  /** Says what the log time is at least before the next record that is handed over. */
  startAt(logTime: number): void {
    this.logTime = Math.max(this.logTime, logTime);
  }

  /**
   * Whether the record repeats an id; remembers it either way. Offsets must ascend.
   * @throws RangeError when the id is not a UUID; nothing is remembered then.
   */
  repeats(id: string, offset: number, timestamp: number): boolean {
    if (!readUuidText(id, words)) throw new RangeError('not a UUID');
    return this.repeatsWords(words, offset, timestamp);
  }

  /** The same, for an id as its four 32-bit words, the first ones first. */
  repeatsWords(id: Uint32Array, offset: number, timestamp: number): boolean {
    this.pass(offset, timestamp);
    if (this.count === this.capacity) this.grow();
    const slot = this.slotAt(this.count);
    const { ids } = this;
    for (let word = 0; word < 4; word++) ids[slot * 4 + word] = id[word]!;
    this.offsets[slot] = offset;
    this.times[slot] = this.logTime;
    this.count++;
    return this.index.put(slot);
  }

  /** A record without a readable id: time and offsets move on all the same. */
  pass(offset: number, timestamp: number): void {
    const { records, milliseconds } = this.bounds;
    const logTime = Math.max(this.logTime, timestamp);
    const isFar = offset - this.lastOffset > records;
    if (isFar && this.lastOffset >= 0) this.forgotten = this.logTime;
    if (isFar || logTime - this.logTime > milliseconds) this.clear();
    this.lastOffset = offset;
    this.logTime = logTime;
    while (this.count > 0) {
      const passed = (offset - this.offsets[this.first]!) >>> 0;
      const age = (logTime - this.times[this.first]!) >>> 0;
      if (passed <= records && age <= milliseconds) return;
      if (passed > records) this.forgotten = this.oldestTime;
      this.forgetFirst();
    }
  }

  private forgetFirst(): void {
    this.index.remove(this.first);
    this.first = this.first + 1 === this.capacity ? 0 : this.first + 1;
    this.count--;
  }

  private slotAt(position: number): number {
    const slot = this.first + position;
    return slot < this.capacity ? slot : slot - this.capacity;
  }

  private clear(): void {
    if (this.count > 0) this.resize(0);
  }

  private grow(): void {
    this.resize(Math.min(Math.max(this.capacity * 2, smallest), this.bounds.records + 1));
  }

  /** Takes over as many ids as fit, oldest first. */
  private resize(capacity: number): void {
    const kept = Math.min(this.count, capacity);
    const ids = new Uint32Array(capacity * 4);
    const offsets = new Uint32Array(capacity);
    const times = new Uint32Array(capacity);
    const index = new IdIndex(ids);
    for (let position = 0; position < kept; position++) {
      const slot = this.slotAt(position);
      for (let word = 0; word < 4; word++) ids[position * 4 + word] = this.ids[slot * 4 + word]!;
      offsets[position] = this.offsets[slot]!;
      times[position] = this.times[slot]!;
      index.put(position);
    }
    Object.assign(this, { capacity, ids, offsets, times, index, first: 0, count: kept });
  }
}
