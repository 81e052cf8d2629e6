import type { Micros } from '#event';
import type { FoldState } from '#dataflow';
import { OldestFirst } from '../oldest-first.js';
import { KeyFilter } from './key-filter.js';

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
  /** Those that are saved, by when they were. */
  private readonly order = new OldestFirst<KeyEntry, PartitionKeys>();
  private count = 0;
  private weight = 0;

  constructor(private readonly bounds: { keys: number; weight: number }) {}

  /**
   * The keys of one assigned partition; `close` them when it is revoked.
   * @param options.complete Nothing of it is stored yet.
   */
  open(options: { complete: boolean }): PartitionKeys {
    return new PartitionKeys(options.complete, {
      held: (keys, weight) => {
        this.count += keys;
        this.weight += weight;
      },
      mayGo: (entry, keys) => {
        this.order.put(entry, keys);
        this.makeRoom();
      },
      stays: (entry) => this.order.delete(entry),
    });
  }

  get size(): number {
    return this.count;
  }

  private makeRoom(): void {
    while (this.count > this.bounds.keys || this.weight > this.bounds.weight) {
      const oldest = this.order.take();
      if (!oldest) return;
      const [entry, keys] = oldest;
      keys.forget(entry);
    }
  }
}

interface Holder {
  /** So many keys more, or fewer, and so many characters. */
  held(keys: number, weight: number): void;
  mayGo(entry: KeyEntry, keys: PartitionKeys): void;
  stays(entry: KeyEntry): void;
}

/** The keys of one partition. */
export class PartitionKeys {
  private readonly entries = new Map<string, KeyEntry>();
  private readonly unsaved = new Set<KeyEntry>();
  private unsavedCharacters = 0;
  private closed = false;
  private forgotten: KeyFilter | undefined;

  constructor(
    private readonly complete: boolean,
    private readonly cache: Holder,
  ) {}

  /** Whether the store may know a key that is not here. Where it began with nothing, only what was forgotten is there. */
  mayBeStored(key: string): boolean {
    return !this.complete || (this.forgotten?.mayHave(key) ?? false);
  }

  get(key: string): KeyEntry | undefined {
    return this.entries.get(key);
  }

  /** The entry was changed, and has to be saved. It may have been forgotten meanwhile. */
  change(entry: KeyEntry): void {
    if (this.closed) return;
    if (!this.entries.has(entry.key)) {
      this.entries.set(entry.key, entry);
      this.cache.held(1, weightOf(entry));
    }
    this.cache.stays(entry);
    if (this.unsaved.has(entry)) return;
    this.unsaved.add(entry);
    this.unsavedCharacters += weightOf(entry);
  }

  /** The state of an entry has become so many characters larger, or smaller. */
  weigh(entry: KeyEntry, by: number): void {
    entry.weight += by;
    if (this.entries.get(entry.key) !== entry) return;
    this.cache.held(0, by);
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

  /** The entry is saved as it was at this offset: unless it was changed since, it may be forgotten. */
  saved(entry: KeyEntry, lastOffset: number): void {
    if (entry.lastOffset !== lastOffset || !this.unsaved.delete(entry)) return;
    this.unsavedCharacters -= weightOf(entry);
    this.cache.mayGo(entry, this);
  }

  /** Of what is saved. */
  forget(entry: KeyEntry): void {
    this.entries.delete(entry.key);
    if (this.complete && !this.closed) (this.forgotten ??= new KeyFilter()).add(entry.key);
    this.cache.stays(entry);
    this.cache.held(-1, -weightOf(entry));
  }

  close(): void {
    this.closed = true;
    for (const entry of this.entries.values()) this.forget(entry);
    this.unsaved.clear();
    this.unsavedCharacters = 0;
    this.forgotten = undefined;
  }
}

function weightOf({ weight }: KeyEntry): number {
  return entryWeight + weight;
}
