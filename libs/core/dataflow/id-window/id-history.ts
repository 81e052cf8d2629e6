import type { DedupeSettings } from './dedupe-settings.js';
import { filterAges, hashedId, IdFilter } from './id-filter.js';
import type { EvictedRecord } from './id-window.js';
import type { MemoryBudget } from './memory-budget.js';

/** How far before a record an earlier record with the same id is recognized although its id has left the id window. */
export interface FarDuplicateTimeLimit {
  /** Milliseconds of log time; 0 switches far duplicates off. */
  milliseconds: number;
}

/** Returns the bounds that the settings give; an id is never remembered for longer than DEDUPE_WINDOW_MINUTES. */
export function farBounds(settings: DedupeSettings): FarDuplicateTimeLimit {
  return { milliseconds: Math.min(settings.DEDUPE_FAR_MINUTES, settings.DEDUPE_WINDOW_MINUTES) * 60_000 };
}

/** A range of offsets, from the first inclusive to the last exclusive. */
export interface OffsetInterval {
  from: number;
  until: number;
}

/** Number of slices that the time of `FarDuplicateTimeLimit` is divided into. */
const slicesPerWindow = 12;
/** Number of ids of one partition that a history can have at least before it forgets any, if there is memory. */
export const mostFarIds = 12_000_000;
/** Maximum number of ids of one partition, because a slice is forgotten as a whole. */
const mostIds = 14_000_000;
const smallestFilter = 1024;
/** Capacity of the first filter if more is needed. Each further filter is at most `growth` times as large. */
const firstFilter = 262_144;
const growth = 64;
/** A further filter has at least one of that many parts of the ids, because each filter makes a look-up slower. */
const mostFilters = 16;
/** Factor by which a filter is larger than the current rate of records needs. */
const headroom = 1.1;

/** Milliseconds of log time that a slice of an `IdHistory` spans at most. */
export function sliceMs({ milliseconds }: FarDuplicateTimeLimit): number {
  return Math.ceil(milliseconds / slicesPerWindow);
}

/**
 * Returns the greatest log time in milliseconds between a far duplicate and the record that it repeats: one slice more
 * than the bound, because a slice is forgotten as a whole.
 */
export function farReach(bounds: FarDuplicateTimeLimit): number {
  return bounds.milliseconds === 0 ? 0 : bounds.milliseconds + sliceMs(bounds);
}

interface Slice extends OffsetInterval {
  /** Log time of the first record of the slice, or an earlier one. */
  readonly since: number;
  readonly age: number;
}

/**
 * The ids of the records of one partition that have left the id window, in a compact form of about 3.4 bytes for each id.
 * The history finds every record with an id that is at most `bounds.milliseconds` of log time old, and rarely a record
 * that does not have the id: the caller looks the record up in the store.
 *
 * The history is divided into slices by log time. A record of a slice counts as long as the beginning of the slice is
 * not older than `farReach`. If the memory does not suffice, the history forgets its oldest slices early.
 */
export class IdHistory {
  private filters: IdFilter[] = [];
  private newest: IdFilter | undefined;
  private slices: Slice[] = [];
  /** Log time since which the history has all ids that left the id window; -Infinity as long as none is missing. */
  private completeSince = -Infinity;
  private isClosed = false;
  private readonly reach: number;
  private readonly sliceMs: number;

  constructor(
    private readonly bounds: FarDuplicateTimeLimit,
    private readonly budget: MemoryBudget,
  ) {
    this.reach = farReach(bounds);
    this.sliceMs = sliceMs(bounds);
  }

  get isEmpty(): boolean {
    return this.filters.length === 0;
  }

  get size(): number {
    return this.filters.reduce((sum, { size }) => sum + size, 0);
  }

  get bytes(): number {
    return this.filters.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** Maximum number of ids that a history can have with the memory that is left. */
  get room(): number {
    let ids = mostIds;
    while (ids > smallestFilter && !this.fits(ids)) ids = Math.floor(ids / 1.1);
    return ids;
  }

  /** Adds the id (four words at index `at`) of a record that has left the id window, in the order of offsets. */
  add(ids: Uint32Array, at: number, record: EvictedRecord): void {
    if (this.isClosed || this.reach === 0) return;
    this.expire(record.logTime + record.age);
    if (record.age > this.reach) return;
    const last = this.slices.at(-1);
    if (!last || record.logTime - last.since >= this.sliceMs) this.begin(record.offset, record.logTime);
    const needed = (record.passed / (record.age + 1)) * this.reach * headroom;
    this.put(ids, at, { offset: record.offset, logTime: record.logTime, needed });
  }

  /** Begins a slice; `since` is a log time that no record at or after `offset` is before. */
  begin(offset: number, since: number): void {
    this.expire(since);
    const age = (this.slices.at(-1)?.age ?? 0) % filterAges;
    if (this.slices.length === filterAges) this.forgetOldest();
    this.shrink();
    this.slices.push({ from: offset, until: offset, since, age: age + 1 });
  }

  /** Takes the memory for that many ids at once, if there is enough. */
  reserve(ids: number): void {
    const capacity = Math.min(Math.max(Math.ceil(ids), smallestFilter), mostIds - this.size);
    if (!this.isClosed && this.fits(capacity)) this.newest = this.added(capacity);
  }

  /**
   * Adds the id of a record of the newest slice, with memory for `needed` ids if possible. If there is no memory, the
   * history lacks the ids of all records so far.
   */
  put(
    ids: Uint32Array,
    at: number,
    { offset, logTime, needed }: { offset: number; logTime: number; needed: number },
  ): void {
    const filter = this.isClosed ? undefined : this.filterFor(needed);
    const slice = this.slices.at(-1);
    if (!filter || !slice) return this.lacksBefore(logTime + 1);
    slice.until = offset + 1;
    filter.add(hashedId(ids, at), slice.age);
  }

  /** Declares that the history lacks ids of records before this log time. */
  lacksBefore(logTime: number): void {
    this.completeSince = Math.max(this.completeSince, logTime);
  }

  /** Returns whether a record with the id, which counts at `logTime`, can be in the history. */
  mightHave(id: Uint32Array, logTime: number): boolean {
    if (this.filters.length === 0) return false;
    const ages = this.agesOf(id);
    return ages !== 0 && this.rangesOfAges(ages, logTime).length > 0;
  }

  /** Returns the offset ranges that can have a record with the id, of those that count at `logTime`. */
  rangesOf(id: Uint32Array, logTime: number): OffsetInterval[] {
    return this.rangesOfAges(this.agesOf(id), logTime);
  }

  /** Returns whether the record at an offset of the history counts for a record with this log time. */
  includes(offset: number, logTime: number): boolean {
    return this.slices.some(
      (slice) => slice.from <= offset && offset < slice.until && this.counts(slice, logTime),
    );
  }

  /** Returns for how many milliseconds before `now` the history has ids of records that left the id window. */
  lengthAt(now: number): number {
    return Math.max(0, Math.min(this.bounds.milliseconds, now - this.completeSince));
  }

  /** Forgets all ids, returns the memory, and takes no further ids. */
  close(): void {
    this.isClosed = true;
    this.clear();
  }

  private clear(): void {
    for (const { bytes } of this.filters) this.budget.release(bytes);
    this.filters = [];
    this.newest = undefined;
    this.slices = [];
  }

  private agesOf(id: Uint32Array): number {
    const hashed = hashedId(id, 0);
    let ages = 0;
    for (const filter of this.filters) ages |= filter.agesOf(hashed);
    return ages;
  }

  private rangesOfAges(ages: number, logTime: number): OffsetInterval[] {
    return this.slices.filter((slice) => (ages & (1 << slice.age)) !== 0 && this.counts(slice, logTime));
  }

  private counts({ since }: Slice, logTime: number): boolean {
    return logTime - since <= this.reach;
  }

  /** Forgets the slices that no record from `logTime` on can repeat. */
  private expire(logTime: number): void {
    while (this.slices.length > 0 && !this.counts(this.slices[0]!, logTime)) this.removeSlice();
  }

  /** Forgets the oldest slice before its time. */
  private forgetOldest(): void {
    this.removeSlice();
    this.lacksBefore(this.slices[0]?.since ?? Infinity);
  }

  private removeSlice(): void {
    const slice = this.slices.shift();
    if (!slice) return;
    for (const filter of this.filters) filter.remove(slice.age);
    for (const { bytes } of this.filters.filter(isUnused)) this.budget.release(bytes);
    if (this.newest && isUnused(this.newest)) this.newest = undefined;
    this.filters = this.filters.filter((filter) => !isUnused(filter));
  }

  /** Returns the filter that takes the next id; undefined if there is no memory for a single one. */
  private filterFor(needed: number): IdFilter | undefined {
    for (;;) {
      if (this.newest && !this.newest.isFull) return this.newest;
      this.newest = this.filters.find(hasRoom) ?? this.grow(needed) ?? this.newest;
      if (this.newest && !this.newest.isFull) return this.newest;
      if (this.slices.length <= 1) return void this.clear();
      this.forgetOldest();
    }
  }

  /** Adds a filter, as large as needed and as the memory allows; undefined if there is no memory. */
  private grow(needed: number): IdFilter | undefined {
    const known = this.size;
    const step = Math.max(firstFilter, known * growth);
    const least = Math.max(smallestFilter, Math.ceil(known / mostFilters));
    let capacity = Math.min(Math.max(Math.ceil(needed), least), step, mostIds - known);
    while (capacity >= least && !this.fits(capacity)) capacity >>= 1;
    return capacity < least ? undefined : this.added(capacity);
  }

  private added(capacity: number): IdFilter {
    const filter = new IdFilter(capacity);
    this.budget.take(filter.bytes);
    this.filters.push(filter);
    return filter;
  }

  private fits(capacity: number): boolean {
    const bytes = IdFilter.bytesOf(capacity);
    if (!this.budget.take(bytes)) return false;
    this.budget.release(bytes);
    return true;
  }

  /** Stops filling a filter that is far too large now, so that it is released when its ids are forgotten. */
  private shrink(): void {
    const { newest } = this;
    const isLarge = newest && newest.bytes > IdFilter.bytesOf(firstFilter);
    if (isLarge && newest.load < 1 / mostFilters) this.newest = undefined;
  }
}

/** Returns whether so many entries of a filter were removed that it can take ids again. */
function hasRoom(filter: IdFilter): boolean {
  return !filter.isFull && filter.load < 0.8;
}

function isUnused({ size }: IdFilter): boolean {
  return size === 0;
}
