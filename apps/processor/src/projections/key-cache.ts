import type { Micros } from '#contracts';
import type { FoldState } from '#streaming';

/** What is known of one key from one partition. */
export interface KeyEntry {
  readonly key: string;
  state: FoldState;
  /** Events that are folded into it. */
  events: number;
  /** The last of them; -1 without any. */
  lastOffset: number;
  /** When that one was ingested. */
  updatedAt: Micros;
  /** About how many characters the state has as JSON. */
  weight: number;
}

/** What an entry holds besides its state, about. */
const entryWeight = 300;

/**
 * The keys that were used last, over all partitions of this process, with a bound in number and in characters. What is
 * not saved yet is never forgotten; whoever changes keys bounds that.
 */
export class KeyCache {
  /** The one that was used longest ago first. */
  private readonly order = new Map<KeyEntry, PartitionKeys>();
  private weight = 0;

  constructor(private readonly bounds: { keys: number; weight: number }) {}

  /** The keys of one assigned partition; `close` them when it is revoked. */
  open(): PartitionKeys {
    return new PartitionKeys({
      used: (entry, keys) => this.use(entry, keys),
      grown: (by) => void (this.weight += by),
      closed: (entries) => {
        for (const entry of entries) this.forget(entry);
      },
    });
  }

  get size(): number {
    return this.order.size;
  }

  private use(entry: KeyEntry, keys: PartitionKeys): void {
    if (!this.order.delete(entry)) this.weight += entryWeight + entry.weight;
    this.order.set(entry, keys);
    if (this.isFull) this.makeRoom();
  }

  private get isFull(): boolean {
    return this.order.size > this.bounds.keys || this.weight > this.bounds.weight;
  }

  private makeRoom(): void {
    // What has to stay goes to the end: it is not met again at the next call.
    for (let turns = this.order.size; turns > 0 && this.isFull; turns--) {
      const [entry, keys] = this.order.entries().next().value!;
      if (keys.forget(entry)) this.forget(entry);
      else {
        this.order.delete(entry);
        this.order.set(entry, keys);
      }
    }
  }

  private forget(entry: KeyEntry): void {
    if (this.order.delete(entry)) this.weight -= entryWeight + entry.weight;
  }
}

/** The keys of one partition. */
export class PartitionKeys {
  private readonly entries = new Map<string, KeyEntry>();
  private readonly unsaved = new Set<KeyEntry>();
  private unsavedCharacters = 0;
  private closed = false;

  constructor(
    private readonly cache: {
      used(entry: KeyEntry, keys: PartitionKeys): void;
      grown(by: number): void;
      closed(entries: Iterable<KeyEntry>): void;
    },
  ) {}

  get(key: string): KeyEntry | undefined {
    return this.entries.get(key);
  }

  /** The entry was read, or written: it is the one used last now. `changed` when it has to be saved. */
  use(entry: KeyEntry, { changed }: { changed: boolean }): void {
    if (this.closed) return;
    this.entries.set(entry.key, entry);
    if (changed && !this.unsaved.has(entry)) {
      this.unsaved.add(entry);
      this.unsavedCharacters += entryWeight + entry.weight;
    }
    this.cache.used(entry, this);
  }

  /** The state of an entry that is in use has become so many characters larger, or smaller. */
  weigh(entry: KeyEntry, by: number): void {
    entry.weight += by;
    if (this.entries.get(entry.key) !== entry) return;
    this.cache.grown(by);
    if (this.unsaved.has(entry)) this.unsavedCharacters += by;
  }

  /** What has to be saved. */
  get changed(): ReadonlySet<KeyEntry> {
    return this.unsaved;
  }

  /** About how many characters that has. */
  get changedWeight(): number {
    return this.unsavedCharacters;
  }

  /** The entry is saved as it was at this offset. */
  saved(entry: KeyEntry, lastOffset: number): void {
    if (entry.lastOffset !== lastOffset || !this.unsaved.delete(entry)) return;
    this.unsavedCharacters -= entryWeight + entry.weight;
  }

  /** False when it has to stay. */
  forget(entry: KeyEntry): boolean {
    if (this.unsaved.has(entry)) return false;
    this.entries.delete(entry.key);
    return true;
  }

  close(): void {
    this.closed = true;
    this.cache.closed(this.entries.values());
    this.entries.clear();
    this.unsaved.clear();
    this.unsavedCharacters = 0;
  }
}
