import type { EpochMicros } from '#json';
import type { FoldState, StateHistory } from '#dataflow';
import { AgeOrderedMap, KeyBloomFilter } from '#processor-kit';

/** The cached state of one key in one partition. */
export interface CachedKeyState {
  readonly key: string;
  state: FoldState;
  /** Number of events that are folded into the state of the key. */
  events: number;
  /** Offset of the last event that is folded into the state; -1 if there is none. */
  lastOffset: number;
  /** Ingestion time of the last event that is folded into the state. */
  updatedAt: EpochMicros;
  /** Approximate length of the state and the history as JSON, in characters. */
  weight: number;
  /** The history of the key, if the projection keeps one. */
  history?: StateHistory | undefined;
}

/** Approximate size of a cache entry in characters, without its state. */
const entryWeight = 300;

/**
 * A bounded cache of the states of keys, for all partitions of this process. The cache is limited to a number of keys
 * and a number of characters. The key that was saved longest ago is evicted first. A key with unsaved changes is never
 * evicted; the checkpointer limits the number of such keys.
 */
export class SharedKeyStateCache {
  /** The keys without unsaved changes, in the order in which they were saved. */
  private readonly order = new AgeOrderedMap<CachedKeyState, PartitionKeyStateCache>();
  private count = 0;
  private weight = 0;

  constructor(private readonly bounds: { keys: number; weight: number }) {}

  /**
   * Opens the cache of one assigned partition. The caller closes the cache when the partition is revoked.
   * @param options.complete Whether the store has no state of the partition yet.
   */
  open(options: { complete: boolean }): PartitionKeyStateCache {
    return new PartitionKeyStateCache(options.complete, this);
  }

  get size(): number {
    return this.count;
  }

  /** Adds to the numbers of cached keys and cached characters; both arguments may be negative. */
  account(keys: number, weight: number): void {
    this.count += keys;
    this.weight += weight;
  }

  /** Keeps an entry from eviction until it is saved. */
  retain(entry: CachedKeyState): void {
    this.order.delete(entry);
  }

  /** Allows the eviction of a saved entry, and evicts the oldest entries beyond the limits. */
  release(entry: CachedKeyState, keys: PartitionKeyStateCache): void {
    this.order.put(entry, keys);
    while (this.count > this.bounds.keys || this.weight > this.bounds.weight) {
      const oldest = this.order.take();
      if (!oldest) return;
      oldest[1].evict(oldest[0]);
    }
  }
}

/** The cached keys of one partition. */
export class PartitionKeyStateCache {
  private readonly entries = new Map<string, CachedKeyState>();
  private readonly unsaved = new Set<CachedKeyState>();
  private unsavedCharacters = 0;
  private closed = false;
  private evicted: KeyBloomFilter | undefined;

  constructor(
    private readonly complete: boolean,
    private readonly cache: SharedKeyStateCache,
  ) {}

  /**
   * Returns whether the store may have a state of a key that is not cached. If the store had no state of the partition
   * when the cache was opened, the store can only have states of evicted keys.
   */
  mayBeStored(key: string): boolean {
    return !this.complete || (this.evicted?.mayHave(key) ?? false);
  }

  get(key: string): CachedKeyState | undefined {
    return this.entries.get(key);
  }

  /**
   * Marks an entry as changed, so that the next checkpoint saves the entry. Adds the entry to the cache again if it was
   * evicted.
   */
  change(entry: CachedKeyState): void {
    if (this.closed) return;
    if (!this.entries.has(entry.key)) {
      this.entries.set(entry.key, entry);
      this.cache.account(1, weightOf(entry));
    }
    this.cache.retain(entry);
    if (this.unsaved.has(entry)) return;
    this.unsaved.add(entry);
    this.unsavedCharacters += weightOf(entry);
  }

  /** Adds `by` characters, which may be negative, to the weight of an entry. */
  weigh(entry: CachedKeyState, by: number): void {
    entry.weight += by;
    if (this.entries.get(entry.key) !== entry) return;
    this.cache.account(0, by);
    if (this.unsaved.has(entry)) this.unsavedCharacters += by;
  }

  /** The entries with unsaved changes. */
  get changed(): ReadonlySet<CachedKeyState> {
    return this.unsaved;
  }

  /** Approximate size, in characters, of the entries with unsaved changes. */
  get changedWeight(): number {
    return this.unsavedCharacters;
  }

  /** Marks an entry as saved up to this offset. An entry that was not changed since may then be evicted. */
  saved(entry: CachedKeyState, lastOffset: number): void {
    if (entry.lastOffset !== lastOffset || !this.unsaved.delete(entry)) return;
    this.unsavedCharacters -= weightOf(entry);
    this.cache.release(entry, this);
  }

  /** Evicts an entry whose changes are saved from the cache. */
  evict(entry: CachedKeyState): void {
    this.entries.delete(entry.key);
    if (this.complete && !this.closed) (this.evicted ??= new KeyBloomFilter()).add(entry.key);
    this.cache.retain(entry);
    this.cache.account(-1, -weightOf(entry));
  }

  close(): void {
    this.closed = true;
    for (const entry of this.entries.values()) this.evict(entry);
    this.unsaved.clear();
    this.unsavedCharacters = 0;
    this.evicted = undefined;
  }
}

function weightOf({ weight }: CachedKeyState): number {
  return entryWeight + weight;
}
