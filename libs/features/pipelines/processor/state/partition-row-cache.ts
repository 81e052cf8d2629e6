import { MinHeap } from '#async';
import { FencedError } from '#engine';
import type { EpochMicros } from '#json';
import { KeyBloomFilter } from '#processor-kit';
import type { KeyedStateRow, StatePartitionKey } from '#store';
import type { StateEntry, StateEntryValue } from '#features/pipelines/computation';
import { compareDue, type RowClosingTime } from './row-closing-time.js';

/** Reads the stored state rows of one partition. */
export interface StoredRowReader {
  load(keys: readonly string[]): Promise<KeyedStateRow[]>;
  /** Returns up to `limit` rows that close after `after`, ordered by closing time and key. */
  due(query: { after: { closes_at: EpochMicros; key: string }; limit: number }): Promise<KeyedStateRow[]>;
}

/**
 * Maximum number of rows (`keys`) and approximate maximum of characters (`weight`) in the row cache, over all
 * partitions of the process.
 */
export interface RowCacheBounds {
  keys: number;
  weight: number;
}

interface CachedRow {
  readonly key: string;
  readonly row: StateEntry;
  /** Offset of the last record that changed the row. */
  readonly position: number;
  /** Approximate length of the row as JSON, in characters. */
  weight: number;
}

/** Approximate size of a cached row in characters, without its state. */
const entryWeight = 300;
/** Number of due rows that one query reads from the store. */
const pageRows = 1000;

/** Divides the limits of the row cache equally among the assigned partitions of keyed stages. */
export class RowCacheBudget {
  private open = 0;

  constructor(private readonly bounds: RowCacheBounds) {}

  enter(): void {
    this.open++;
  }

  leave(): void {
    this.open--;
  }

  get share(): RowCacheBounds {
    const parts = Math.max(1, this.open);
    return { keys: this.bounds.keys / parts, weight: this.bounds.weight / parts };
  }
}

/**
 * The state rows of one partition of a keyed stage: a write-back cache over the stored rows. A changed row is visible
 * in the cache immediately. The change may be saved after `settle`, when the outputs of its batch are in Kafka. A row
 * that closes at or before `closedTo` does not exist, even if the store still has the row.
 */
export class PartitionRowCache {
  /** The cached rows in the order of their last use, the row that was used longest ago first. */
  private readonly entries = new Map<string, CachedRow>();
  /** Rows with unsaved changes, as the rows were at the last call of `settle`. */
  private readonly unsaved = new Map<string, CachedRow>();
  private readonly changed = new Set<string>();
  /** When the closing time of a row changes, the outdated entry remains, and is skipped. */
  private readonly heap = new MinHeap<RowClosingTime>();
  /** The keys of all rows that were evicted, while the store has no others. */
  private evicted = new KeyBloomFilter();
  private weight = 0;
  private unsavedCharacters = 0;
  /** Lower bound of the closing times of stored rows that are not cached. */
  private storedLeast: EpochMicros;

  private readonly complete: boolean;
  private closedTo: EpochMicros;
  /** Number of rows of the partition, cached or stored. */
  count: number;
  private settled: number;

  /**
   * @param saved `complete`: whether the store has no rows of the partition; then it only has evicted rows. `count`: the
   *   number of rows at the checkpoint.
   */
  constructor(
    saved: { complete: boolean; closedTo: EpochMicros; count?: number | undefined },
    private readonly dependencies: { source: StoredRowReader; budget: RowCacheBudget },
  ) {
    const { complete, closedTo, count = 0 } = saved;
    [this.complete, this.closedTo, this.count, this.settled] = [complete, closedTo, count, count];
    this.storedLeast = complete ? Infinity : -Infinity;
    dependencies.budget.enter();
  }

  /** Number of rows at the last call of `settle`. */
  get settledCount(): number {
    return this.settled;
  }

  get unsavedCount(): number {
    return this.unsaved.size;
  }

  get unsavedWeight(): number {
    return this.unsavedCharacters;
  }

  get size(): number {
    return this.entries.size;
  }

  /**
   * Loads the rows with these keys into the cache. The loaded rows remain cached until `settle`.
   * @param before Offset of the next record. All stored rows must come from earlier records.
   * @throws FencedError when a stored row comes from a later record, which another process has processed
   */
  async fetch(keys: ReadonlySet<string>, before: number): Promise<void> {
    const missing: string[] = [];
    for (const key of keys) {
      const entry = this.entries.get(key);
      if (!entry) {
        if (!this.complete || this.evicted.mayHave(key)) missing.push(key);
        continue;
      }
      this.entries.delete(key);
      this.entries.set(key, entry);
    }
    if (missing.length === 0) return;
    for (const row of await this.dependencies.source.load(missing)) this.learn(row, before);
  }

  /** Returns the row with this key; undefined if the row is not cached. */
  get(key: string): StateEntry | undefined {
    return this.entries.get(key)?.row;
  }

  /**
   * Changes a row.
   * @param change `position`: offset of the record that changes the row. `weight`: approximate characters of that
   * record.
   */
  set(key: string, row: StateEntry, { position, weight }: { position: number; weight: number }): void {
    const before = this.entries.get(key);
    // `fetch` has already moved the row to the end of the order of last use.
    this.weight -= weightOf(before);
    if (!before) this.count++;
    this.put({ key, row, position, weight: (before?.weight ?? 0) + weight });
    this.changed.add(key);
    if (before?.row.closesAt !== row.closesAt) this.heap.push(row.closesAt, { key, closesAt: row.closesAt });
  }

  /** Removes a row that has closed from the cache. */
  close(key: string): void {
    this.remove(this.entries.get(key));
    this.count--;
    if (this.unsaved.has(key)) this.changed.add(key);
  }

  /**
   * Yields the keys of the rows that close at or before the watermark, in order and in pages. The rows remain cached
   * until the caller changes or closes them. After the last page, all rows up to the watermark count as closed.
   * @throws FencedError when a stored row comes from a record at or after the offset `before`
   */
  async *due(watermark: EpochMicros, before: number): AsyncGenerator<readonly string[]> {
    let held = this.takeDue(watermark);
    let after = { closes_at: this.closedTo + 1, key: '' };
    while (this.storedLeast <= watermark) {
      const page = await this.dependencies.source.due({ after, limit: pageRows });
      const last = page.at(-1);
      const isLast = page.length < pageRows;
      const beyond = page.find(({ closes_at }) => closes_at > watermark);
      // A row that was changed after it was stored is cached or has closed, so the stored version of the row is
      // skipped.
      const isOther = (key: string) => !this.entries.has(key) && !this.changed.has(key);
      const found = page.filter(({ key, closes_at }) => closes_at <= watermark && isOther(key));
      for (const row of found) this.learn(row, before);
      held = sorted([...held, ...this.takeDue(watermark)]);
      this.storedLeast = beyond?.closes_at ?? (isLast || !last ? Infinity : last.closes_at);
      if (beyond || isLast || !last) break;
      after = { closes_at: last.closes_at, key: last.key };
      // Cached rows that come after the last row of this page wait for a later page.
      const end = { closesAt: last.closes_at, key: last.key };
      const ready = held.filter((due) => compareDue(due, end) <= 0);
      held = held.slice(ready.length);
      yield ready.map(({ key }) => key);
    }
    for (let at = 0; at < held.length; at += pageRows)
      yield held.slice(at, at + pageRows).map(({ key }) => key);
    this.closedTo = Math.max(this.closedTo, watermark);
  }

  /** Returns whether any row may close at this watermark. */
  isDue(watermark: EpochMicros): boolean {
    return (
      watermark > this.closedTo && watermark >= Math.min(this.storedLeast, this.heap.top?.at ?? Infinity)
    );
  }

  /** Advances the cache to a watermark at which no row closes (see `isDue`). */
  passTo(watermark: EpochMicros): void {
    this.closedTo = Math.max(this.closedTo, watermark);
  }

  /** Allows all changes so far to be saved, and evicts rows beyond the limits of the cache. */
  settle(): void {
    for (const key of this.changed) {
      const entry = this.entries.get(key);
      this.unsavedCharacters -= weightOf(this.unsaved.get(key));
      if (entry) this.unsaved.set(key, entry);
      else this.unsaved.delete(key);
      this.unsavedCharacters += weightOf(entry);
    }
    this.changed.clear();
    this.settled = this.count;
    this.trim();
  }

  /** Returns the rows to save, and the function `saved`, which the caller calls when the rows are saved. */
  toSave(place: StatePartitionKey, now: EpochMicros): { rows: KeyedStateRow[]; saved(): void } {
    const saving = [...this.unsaved.values()];
    const rows = saving.map(({ key, row, position }) => ({
      ...place,
      ...{ key, position, events: 0, closes_at: row.closesAt, updated_at: now },
      state: JSON.stringify(row.state),
    }));
    const saved = (): void => {
      saving.forEach((entry, i) => {
        if (this.unsaved.get(entry.key) !== entry) return;
        this.unsaved.delete(entry.key);
        this.unsavedCharacters -= weightOf(entry);
        if (this.entries.get(entry.key) === entry) this.weight += rows[i]!.state.length - entry.weight;
        entry.weight = rows[i]!.state.length;
      });
    };
    return { rows, saved };
  }

  /** Releases all cached rows when the partition is revoked. */
  end(): void {
    this.dependencies.budget.leave();
    for (const all of [this.entries, this.unsaved, this.changed]) all.clear();
    this.heap.clear();
    this.evicted = new KeyBloomFilter();
  }

  /** Removes the cached rows that close at or before the watermark from the heap, and returns them in order. */
  private takeDue(watermark: EpochMicros): RowClosingTime[] {
    const taken = this.heap.takeUntil(watermark);
    const keys = new Set<string>();
    const due = taken.filter(({ key, closesAt }) => {
      const isSo = this.entries.get(key)?.row.closesAt === closesAt && !keys.has(key);
      if (isSo) keys.add(key);
      return isSo;
    });
    return sorted(due);
  }

  private learn(row: KeyedStateRow, before: number): void {
    const { key, position, closes_at: closesAt, state } = row;
    if (position >= before) throw new FencedError('the stored rows are ahead of the offset of this process');
    if (closesAt <= this.closedTo) return;
    this.put({
      key,
      position,
      row: { state: JSON.parse(state) as StateEntryValue, closesAt },
      weight: state.length,
    });
    this.heap.push(closesAt, { key, closesAt });
  }

  private put(entry: CachedRow): void {
    this.entries.set(entry.key, entry);
    this.weight += weightOf(entry);
  }

  private remove(entry: CachedRow | undefined): void {
    if (entry && this.entries.delete(entry.key)) this.weight -= weightOf(entry);
  }

  private trim(): void {
    const { keys, weight } = this.dependencies.budget.share;
    for (const entry of this.entries.values()) {
      if (this.entries.size <= keys && this.weight <= weight) break;
      if (this.unsaved.has(entry.key)) continue;
      this.remove(entry);
      if (this.complete) this.evicted.add(entry.key);
      this.storedLeast = Math.min(this.storedLeast, entry.row.closesAt);
    }
    if (this.heap.size > 2 * this.entries.size + pageRows) this.rebuildHeap();
  }

  /** Rebuilds the heap without outdated entries. */
  private rebuildHeap(): void {
    this.heap.clear();
    for (const { key, row } of this.entries.values())
      this.heap.push(row.closesAt, { key, closesAt: row.closesAt });
  }
}

function sorted(due: RowClosingTime[]): RowClosingTime[] {
  return due.sort(compareDue);
}

function weightOf(entry: CachedRow | undefined): number {
  return entry ? entryWeight + entry.weight : 0;
}
