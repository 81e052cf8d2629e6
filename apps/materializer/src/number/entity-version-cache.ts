/** The latest version of an entity, and the offset of the entity's event with that version. */
export interface LatestEntityVersion {
  version: number;
  /** Offset of the entity's last event that has a version or is about to get a version. */
  offset: number;
}

/**
 * A bounded cache of the latest versions of entities, shared by all partitions. The cache has a young and an old
 * segment; when the young segment is full, the entities in the old segment are evicted. An entity with an event that is
 * not stored yet is never evicted, so the store always knows the version of an entity that is not cached. The insert
 * queue limits the number of entities with unstored events.
 */
export class EntityVersionCache {
  private readonly partitions = new Set<PartitionEntityVersionCache>();
  private young = 0;
  private limit: number;

  /** @param capacity Maximum number of cached entities, without entities that have unstored events. */
  constructor(private readonly capacity: number) {
    this.limit = capacity / 2;
  }

  /**
   * Opens the cache of one assigned partition. The caller calls `release` when this process no longer reads the
   * partition.
   * @param options.fromTheStart Whether the partition is read from offset 0, so that no entity has a version yet.
   */
  open(options: { fromTheStart: boolean }): PartitionEntityVersionCache {
    const versions = new PartitionEntityVersionCache(options.fromTheStart, () => this.added());
    this.partitions.add(versions);
    return versions;
  }

  release(versions: PartitionEntityVersionCache): void {
    if (this.partitions.delete(versions)) this.young -= versions.youngSize;
  }

  /** Number of assigned partitions whose cache is open. */
  get opened(): number {
    return this.partitions.size;
  }

  get size(): number {
    return [...this.partitions].reduce((sum, versions) => sum + versions.size, 0);
  }

  private added(): void {
    this.young++;
    if (this.young <= this.limit) return;
    this.young = [...this.partitions].reduce((sum, versions) => sum + versions.age(), 0);
    // If many entities cannot be evicted, the size limit of the young segment grows, so that not every added entity
    // triggers an eviction.
    this.limit = Math.max(this.capacity / 2, this.young * 2);
  }
}

/** The cached latest versions of the entities of one partition. */
export class PartitionEntityVersionCache {
  /** Offset below which all events of the partition are stored. */
  storedUpTo = 0;
  private young = new Map<string, LatestEntityVersion>();
  private old = new Map<string, LatestEntityVersion>();

  constructor(
    private isComplete: boolean,
    private readonly added: () => void,
  ) {}

  /**
   * Whether all entities of the partition that have a version are cached. Then an entity that is not cached has no
   * version, and the caller does not query the store for it.
   */
  get complete(): boolean {
    return this.isComplete;
  }

  get size(): number {
    return this.young.size + this.old.size;
  }

  get youngSize(): number {
    return this.young.size;
  }

  /** Returns the latest version of the entity; undefined if the entity is not cached. */
  get(entity: string): LatestEntityVersion | undefined {
    const latest = this.young.get(entity);
    if (latest) return latest;
    const old = this.old.get(entity);
    if (!old) return undefined;
    this.old.delete(entity);
    this.add(entity, old);
    return old;
  }

  add(entity: string, latest: LatestEntityVersion): void {
    this.young.set(entity, latest);
    this.added();
  }

  /**
   * Evicts the old segment, except entities with unstored events, and turns the young segment into the old segment.
   * Returns the number of entities in the new young segment.
   */
  age(): number {
    const kept = [...this.old].filter(([, latest]) => latest.offset >= this.storedUpTo);
    if (kept.length < this.old.size) this.isComplete = false;
    this.old = this.young;
    this.young = new Map(kept);
    return this.young.size;
  }
}
