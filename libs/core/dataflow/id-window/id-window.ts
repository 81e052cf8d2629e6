import { readUuidText } from '#event';
import { IdHashTable } from './id-hash-table.js';

/** How far before a duplicate the earlier record with the same event id may be; both limits apply. */
export interface IdWindowBounds {
  /** Maximum number of offsets between a duplicate and the earlier record. */
  records: number;
  /** Maximum milliseconds of log time between a duplicate and the earlier record; below 2^31. */
  milliseconds: number;
}

/** A record that leaves an `IdWindow`, because a later record is read. */
export interface EvictedRecord {
  offset: number;
  /** Log time of the record in milliseconds since 1970. */
  logTime: number;
  /** Number of offsets between the record and the later one. */
  passed: number;
  /** Milliseconds of log time between the record and the later one. */
  age: number;
}

/**
 * Receives the id of the first record with an id when it leaves an `IdWindow`: the four words of `ids` at index `at`,
 * which change after the call.
 */
type EvictedIdListener = (ids: Uint32Array, at: number, record: EvictedRecord) => void;

const smallest = 256;
const words = new Uint32Array(4);

/**
 * Recognizes duplicate event ids among the last records of one partition. The rule depends on the log alone:
 *
 *     The log time of a record is the greatest timestamp of the partition up to and including it.
 *     A record is a duplicate if and only if an earlier record with the same id is at most `records` offsets and at
 *     most `milliseconds` of log time before it. A duplicate counts as an earlier record too.
 *
 * Log time never decreases, even if a producer's clock goes back. A reader may start `records` offsets or
 * `milliseconds` of log time before a position: from that position on, it recognizes the same duplicates as a reader of
 * the whole log, provided that it passes the log time at its start to `startAt`.
 *
 * An id takes 24 bytes, plus 8 to 16 bytes for its share of an index. The window has at most `records` + 1 ids, and its
 * arrays start small.
 */
export class IdWindow {
  private capacity = 0;
  private ids = new Uint32Array(0);
  /** Offset and log time of each record in the window, modulo 2^32. Differences within the window are exact. */
  private offsets = new Uint32Array(0);
  private times = new Uint32Array(0);
  /** Whether each record is the first with its id, as 1 or 0; empty without a listener. */
  private firsts = new Uint8Array(0);
  private index = new IdHashTable(this.ids);
  private first = 0;
  private count = 0;
  private lastOffset = -1;
  private logTime = -Infinity;
  /** The log time of the newest record that was evicted because it is more than `records` offsets back. */
  private forgotten = -Infinity;

  /** @param evicted Called for each id that leaves the window, in the order of offsets. */
  constructor(
    readonly bounds: IdWindowBounds,
    private readonly evicted?: EvictedIdListener,
  ) {}

  /** The log time of the last record that was passed, in milliseconds since 1970; -Infinity before the first record. */
  get time(): number {
    return this.logTime;
  }

  /** The offset of the last record that was passed; -1 before the first record. */
  get offset(): number {
    return this.lastOffset;
  }

  /** Number of records in the window; an id that occurs twice counts twice. */
  get size(): number {
    return this.count;
  }

  get bytes(): number {
    return (
      this.ids.byteLength +
      this.offsets.byteLength +
      this.times.byteLength +
      this.firsts.byteLength +
      this.index.bytes
    );
  }

  /** Returns how old, in milliseconds, the first record of a duplicate written at `now` may be to be recognized. */
  lengthAt(now: number): number {
    const { records, milliseconds } = this.bounds;
    if (this.lastOffset < 0) return milliseconds;
    const isFull = this.count > 0 && this.lastOffset - this.oldestOffset + 1 >= records;
    const since = isFull ? this.oldestTime : this.forgotten;
    return Math.min(milliseconds, Math.max(now, this.logTime) - since);
  }

  private get oldest(): EvictedRecord {
    const [offset, logTime] = [this.oldestOffset, this.oldestTime];
    return { offset, logTime, passed: this.lastOffset - offset, age: this.logTime - logTime };
  }

  private get oldestOffset(): number {
    return this.lastOffset - ((this.lastOffset - this.offsets[this.first]!) >>> 0);
  }

  private get oldestTime(): number {
    return this.logTime - ((this.logTime - this.times[this.first]!) >>> 0);
  }

  /** Raises the log time to at least `logTime` (in milliseconds since 1970), before the first record is read. */
  startAt(logTime: number): void {
    this.logTime = Math.max(this.logTime, logTime);
  }

  /**
   * Returns whether the record's id is a duplicate, and adds it to the window. Offsets must increase.
   * @throws RangeError if the id is not a UUID; the window is then unchanged
   */
  repeats(id: string, offset: number, timestamp: number): boolean {
    if (!readUuidText(id, words)) throw new RangeError('not a UUID');
    return this.repeatsWords(words, offset, timestamp);
  }

  /** Like `repeats`, for an id as four 32-bit words, the most significant first. */
  repeatsWords(id: Uint32Array, offset: number, timestamp: number): boolean {
    this.pass(offset, timestamp);
    const slot = this.freeSlotFor(id);
    this.offsets[slot] = offset;
    this.times[slot] = this.logTime;
    this.count++;
    const isKnown = this.index.put(slot);
    if (this.evicted) this.firsts[slot] = isKnown ? 0 : 1;
    return isKnown;
  }

  /** Returns the offset of the last record in the window with this id; undefined if there is none. */
  offsetOf(id: Uint32Array): number | undefined {
    if (this.count === 0) return undefined;
    const slot = this.index.find(this.freeSlotFor(id));
    return slot === undefined ? undefined : this.lastOffset - ((this.lastOffset - this.offsets[slot]!) >>> 0);
  }

  /**
   * Like `repeatsWords`, but does not add the id: for a conditional record, which is rejected unless it is a duplicate,
   * and whose id is then not remembered.
   */
  wouldRepeat(id: Uint32Array, offset: number, timestamp: number): boolean {
    this.pass(offset, timestamp);
    // The slot must be computed first, because taking a slot may grow the window, which then has another index.
    const slot = this.freeSlotFor(id);
    return this.index.has(slot);
  }

  /** Advances offset and log time by one record without adding an id; for a record whose id cannot be read. */
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

  /** Writes an event id into the slot after the last used one, and returns the slot; the slot is not used yet. */
  private freeSlotFor(id: Uint32Array): number {
    if (this.count === this.capacity) this.grow();
    const slot = this.slotAt(this.count);
    const { ids } = this;
    for (let word = 0; word < 4; word++) ids[slot * 4 + word] = id[word]!;
    return slot;
  }

  private forgetFirst(): void {
    if (this.evicted && this.firsts[this.first] === 1) this.evicted(this.ids, this.first * 4, this.oldest);
    this.index.remove(this.first);
    this.first = this.first + 1 === this.capacity ? 0 : this.first + 1;
    this.count--;
  }

  private slotAt(position: number): number {
    const slot = this.first + position;
    return slot < this.capacity ? slot : slot - this.capacity;
  }

  private clear(): void {
    if (this.evicted) while (this.count > 0) this.forgetFirst();
    if (this.capacity > 0) this.resize(0);
  }

  private grow(): void {
    // One slot more than the window can have ids, because a look-up writes its id into a free slot.
    this.resize(Math.min(Math.max(this.capacity * 2, smallest), this.bounds.records + 2));
  }

  /** Copies the ids of the window, the oldest first and as many as fit, into arrays of the new capacity. */
  private resize(capacity: number): void {
    const kept = Math.min(this.count, capacity);
    const ids = new Uint32Array(capacity * 4);
    const offsets = new Uint32Array(capacity);
    const times = new Uint32Array(capacity);
    const firsts = new Uint8Array(this.evicted ? capacity : 0);
    const index = new IdHashTable(ids);
    for (let position = 0; position < kept; position++) {
      const slot = this.slotAt(position);
      for (let word = 0; word < 4; word++) ids[position * 4 + word] = this.ids[slot * 4 + word]!;
      offsets[position] = this.offsets[slot]!;
      times[position] = this.times[slot]!;
      if (this.evicted) firsts[position] = this.firsts[slot]!;
      index.put(position);
    }
    Object.assign(this, { capacity, ids, offsets, times, firsts, index, first: 0, count: kept });
  }
}
