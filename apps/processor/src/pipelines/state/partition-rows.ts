import { FencedError } from '#engine';
import type { Micros } from '#event';
import type { StateRow, StatePartition } from '#store';
import type { KeyedRow, KeyedState } from '#dataflow';
import { compareDue, DueHeap, type Due } from './due-heap.js';

/** What the rows of one partition are read from. */
export interface RowSource {
  load(keys: readonly string[]): Promise<StateRow[]>;
  /** As the store's `due`, with every row that closes after `after`. */
  due(query: { after: { closes_at: Micros; key: string }; limit: number }): Promise<StateRow[]>;
}

/** Rows that may be kept in memory, and about how many characters, over all partitions of the process. */
export interface RowBounds {
  keys: number;
  weight: number;
}

interface Entry {
  readonly key: string;
  readonly row: KeyedRow;
  /** The last record that changed it. */
  readonly position: number;
  /** About how many characters it has as JSON. */
  weight: number;
}

/** What an entry holds besides its state, about. */
const entryWeight = 300;
/** Rows of a page of those that are due. */
const pageRows = 1000;

/** Shares the bounds out: each partition of a stage has the same. */
export class RowBudget {
  private open = 0;

  constructor(private readonly bounds: RowBounds) {}

  enter(): void {
    this.open++;
  }

  leave(): void {
    this.open--;
  }

  get share(): RowBounds {
    const parts = Math.max(1, this.open);
    return { keys: this.bounds.keys / parts, weight: this.bounds.weight / parts };
  }
}

/**
 * The rows of one partition of a stage: a cache of the stored rows. A change is visible here at once. It may be saved
 * after `settle`, when its results are in the log. A row that closes at or before `closedTo` does not exist, even
 * where it is still stored.
 */
export class PartitionRows {
  /** In the order of their last use, oldest first. */
  private readonly entries = new Map<string, Entry>();
  /** As they were at the last `settle`. */
  private readonly unsaved = new Map<string, Entry>();
  private readonly changed = new Set<string>();
  private readonly heap = new DueHeap();
  private weight = 0;
  private unsavedCharacters = 0;
  /** Rows that are not in memory close at this time or later. */
  private storedLeast: Micros;

  /** @param parts.complete the stored rows are all in memory, as long as none is evicted */
  constructor(
    private complete: boolean,
    private closedTo: Micros,
    private readonly parts: { source: RowSource; budget: RowBudget },
  ) {
    this.storedLeast = complete ? Infinity : -Infinity;
    parts.budget.enter();
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
   * Has these rows here, until `settle`.
   * @param before everything that is known comes of records before this one
   * @throws FencedError
   */
  async fetch(keys: ReadonlySet<string>, before: number): Promise<void> {
    const missing: string[] = [];
    for (const key of keys) {
      const entry = this.entries.get(key);
      if (!entry) {
        missing.push(key);
        continue;
      }
      this.entries.delete(key);
      this.entries.set(key, entry);
    }
    if (this.complete || missing.length === 0) return;
    for (const row of await this.parts.source.load(missing)) this.learn(row, before);
  }

  /** A row that is here. */
  get(key: string): KeyedRow | undefined {
    return this.entries.get(key)?.row;
  }

  /** @param change.weight about how many characters the record has that changes it */
  set(key: string, row: KeyedRow, { position, weight }: { position: number; weight: number }): void {
    const before = this.entries.get(key);
    // Its place in the order is the newest already: see `fetch`.
    this.weight -= weightOf(before);
    this.put({ key, row, position, weight: (before?.weight ?? 0) + weight });
    this.changed.add(key);
    if (before?.row.closesAt !== row.closesAt) this.heap.push({ key, closesAt: row.closesAt });
  }

  /** There is nothing left of it. */
  close(key: string): void {
    this.remove(this.entries.get(key));
    if (this.unsaved.has(key)) this.changed.add(key);
  }

  /**
   * The rows that close at or before the watermark, in their order, a page at a time: they are here until each of
   * them is changed or closed. After the last one everything up to the watermark has closed.
   * @throws FencedError
   */
  async *due(watermark: Micros, before: number): AsyncGenerator<readonly string[]> {
    let held = this.takeDue(watermark);
    let after = { closes_at: this.closedTo + 1, key: '' };
    while (this.storedLeast <= watermark) {
      const page = await this.parts.source.due({ after, limit: pageRows });
      const last = page.at(-1);
      const isLast = page.length < pageRows;
      const beyond = page.find(({ closes_at }) => closes_at > watermark);
      // One that has been changed since it was stored is here, or has closed.
      const isOther = (key: string) => !this.entries.has(key) && !this.changed.has(key);
      const found = page.filter(({ key, closes_at }) => closes_at <= watermark && isOther(key));
      for (const row of found) this.learn(row, before);
      held = sorted([...held, ...this.takeDue(watermark)]);
      this.storedLeast = beyond?.closes_at ?? (isLast || !last ? Infinity : last.closes_at);
      if (beyond || isLast || !last) break;
      after = { closes_at: last.closes_at, key: last.key };
      // What is here and comes later in the order waits for its page.
      const end = { closesAt: last.closes_at, key: last.key };
      const ready = held.filter((due) => compareDue(due, end) <= 0);
      held = held.slice(ready.length);
      yield ready.map(({ key }) => key);
    }
    for (let at = 0; at < held.length; at += pageRows)
      yield held.slice(at, at + pageRows).map(({ key }) => key);
    this.closedTo = Math.max(this.closedTo, watermark);
  }

  /** Whether there may be something to close at this watermark. */
  isDue(watermark: Micros): boolean {
    return (
      watermark > this.closedTo &&
      watermark >= Math.min(this.storedLeast, this.heap.top?.closesAt ?? Infinity)
    );
  }

  /** Nothing closes up to here: see `isDue`. */
  passTo(watermark: Micros): void {
    this.closedTo = Math.max(this.closedTo, watermark);
  }

  /** What was changed may be saved from now on; what need not be here may be forgotten. */
  settle(): void {
    for (const key of this.changed) {
      const entry = this.entries.get(key);
      this.unsavedCharacters -= weightOf(this.unsaved.get(key));
      if (entry) this.unsaved.set(key, entry);
      else this.unsaved.delete(key);
      this.unsavedCharacters += weightOf(entry);
    }
    this.changed.clear();
    this.trim();
  }

  /** What has to be saved, and what is to be called when it is. */
  toSave(place: StatePartition, now: Micros): { rows: StateRow[]; saved(): void } {
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

  /** The partition is no longer ours. */
  end(): void {
    this.parts.budget.leave();
    for (const all of [this.entries, this.unsaved, this.changed]) all.clear();
    this.heap.clear();
  }

  /** Rows that are due and here, in their order; they are in the heap no more. */
  private takeDue(watermark: Micros): Due[] {
    const taken = this.heap.takeUntil(watermark);
    const keys = new Set<string>();
    const due = taken.filter(({ key, closesAt }) => {
      const isSo = this.entries.get(key)?.row.closesAt === closesAt && !keys.has(key);
      if (isSo) keys.add(key);
      return isSo;
    });
    return sorted(due);
  }

  private learn(row: StateRow, before: number): void {
    const { key, position, closes_at: closesAt, state } = row;
    if (position >= before) throw new FencedError('the rows are ahead of what was read');
    if (closesAt <= this.closedTo) return;
    this.put({
      key,
      position,
      row: { state: JSON.parse(state) as KeyedState, closesAt },
      weight: state.length,
    });
    this.heap.push({ key, closesAt });
  }

  private put(entry: Entry): void {
    this.entries.set(entry.key, entry);
    this.weight += weightOf(entry);
  }

  private remove(entry: Entry | undefined): void {
    if (entry && this.entries.delete(entry.key)) this.weight -= weightOf(entry);
  }

  private trim(): void {
    const { keys, weight } = this.parts.budget.share;
    for (const entry of this.entries.values()) {
      if (this.entries.size <= keys && this.weight <= weight) break;
      if (this.unsaved.has(entry.key)) continue;
      this.remove(entry);
      this.complete = false;
      this.storedLeast = Math.min(this.storedLeast, entry.row.closesAt);
    }
    if (this.heap.size > 2 * this.entries.size + pageRows) this.rebuildHeap();
  }

  /** Without what is no longer so. */
  private rebuildHeap(): void {
    this.heap.clear();
    for (const { key, row } of this.entries.values()) this.heap.push({ key, closesAt: row.closesAt });
  }
}

function sorted(due: Due[]): Due[] {
  return due.sort(compareDue);
}

function weightOf(entry: Entry | undefined): number {
  return entry ? entryWeight + entry.weight : 0;
}
