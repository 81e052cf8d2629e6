import type { EntityStateAccumulator } from '#features/entities/state';
import { AgeOrderedMap } from '#processor-kit';

/** The state of one entity in memory, after all records of the entity that were folded so far. */
export interface CachedEntity {
  readonly entityId: string;
  readonly folded: EntityStateAccumulator;
  /**
   * Whether the store had the versions that were counted, at one event at least. Until then, the state may lack events
   * of the entity that are older than the first folded record.
   */
  isConfirmed: boolean;
  /** Whether the state has changed since it was last considered for eviction. */
  isUsed: boolean;
  /** Number of characters that the entity counts as in the cache. */
  weight: number;
}

/** Limits of an `EntityCache`, for all partitions of the process together. */
export interface EntityCacheBounds {
  entities: number;
  /** Limit on the characters that all states keep in memory, with `entryWeight` for each entity. */
  characters: number;
}

interface PartitionEntityCacheOptions {
  /** Whether the partition is read from its first record. */
  isComplete: boolean;
  /** Called when an entity is removed for lack of room. */
  onEvicted(entry: CachedEntity): void;
}

/** Approximate memory of an entity without the texts of its state, in characters. */
const entryWeight = 1024;
/** A state that weighs more than this fraction of the whole cache is not cached. */
const largestPart = 1 / 64;

/**
 * A bounded cache of the states of entities. The least recently changed entities are evicted first; an entity that has
 * changed since it was last considered stays for another round.
 */
export class EntityCache {
  private readonly order = new AgeOrderedMap<CachedEntity, PartitionEntityCache>();
  private weight = 0;
  /** Greatest weight of a state in the cache. */
  readonly mostOfOne: number;

  constructor(private readonly bounds: EntityCacheBounds) {
    this.mostOfOne = Math.floor(bounds.characters * largestPart);
  }

  get size(): number {
    return this.order.size;
  }

  /** Opens the cache of one assigned partition. The caller clears it when the partition is revoked. */
  open(options: PartitionEntityCacheOptions): PartitionEntityCache {
    return new PartitionEntityCache(this, options);
  }

  /** Counts an entry that its partition has added. */
  added(entry: CachedEntity, entities: PartitionEntityCache): void {
    this.order.put(entry, entities);
    this.grew(entry.weight);
  }

  /** Counts the growth of an entry, and evicts entries that have no more room. */
  grew(by: number): void {
    this.weight += by;
    while (this.weight > this.bounds.characters || this.order.size > this.bounds.entities) {
      const oldest = this.order.take();
      if (!oldest) return;
      const [entry, entities] = oldest;
      if (entry.isUsed) {
        entry.isUsed = false;
        this.order.put(entry, entities);
      } else entities.evict(entry);
    }
  }

  /** No longer counts an entry that its partition has removed. */
  removed(entry: CachedEntity): void {
    this.weight -= entry.weight;
    this.order.delete(entry);
  }
}

/** The cached entities of one partition. */
export class PartitionEntityCache {
  private readonly entries = new Map<string, CachedEntity>();
  private complete: boolean;

  constructor(
    private readonly cache: EntityCache,
    private readonly options: PartitionEntityCacheOptions,
  ) {
    this.complete = options.isComplete;
  }

  /**
   * Whether the cache has all entities of the partition. If so, an entity that is not cached has no earlier event. This
   * is a hint: the versions of a new entry are compared with those of the store before its state is used.
   */
  get isComplete(): boolean {
    return this.complete;
  }

  get(entityId: string): CachedEntity | undefined {
    return this.entries.get(entityId);
  }

  /** Adds the state of an entity that is not cached. Returns undefined if the state is too large. */
  add(entityId: string, folded: EntityStateAccumulator, isConfirmed: boolean): CachedEntity | undefined {
    const entry = { entityId, folded, isConfirmed, isUsed: true, weight: weightOf(folded) };
    if (entry.weight > this.cache.mostOfOne) return undefined;
    this.entries.set(entityId, entry);
    this.cache.added(entry, this);
    return entry;
  }

  /** Called after the state of an entry has changed. Returns false if the state has become too large for the cache. */
  changed(entry: CachedEntity): boolean {
    entry.isUsed = true;
    const weight = weightOf(entry.folded);
    if (weight > this.cache.mostOfOne) return false;
    const by = weight - entry.weight;
    entry.weight = weight;
    this.cache.grew(by);
    return true;
  }

  /** Removes an entry that is cached, and does nothing for any other entry. */
  forget(entry: CachedEntity): void {
    if (this.entries.get(entry.entityId) !== entry) return;
    this.entries.delete(entry.entityId);
    this.cache.removed(entry);
  }

  /** Removes an entry for lack of room. */
  evict(entry: CachedEntity): void {
    this.complete = false;
    this.forget(entry);
    this.options.onEvicted(entry);
  }

  /** Removes all entries. */
  clear(): void {
    this.complete = false;
    for (const entry of [...this.entries.values()]) this.forget(entry);
  }
}

function weightOf(folded: EntityStateAccumulator): number {
  return entryWeight + folded.characters;
}
