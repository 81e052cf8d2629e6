/** The latest version of an entity and the offset of the event that has it. */
export interface LatestVersion {
  version: number;
  /** Offset of the last event that has a version or is about to get one. */
  offset: number;
}

/**
 * A bounded cache of the latest versions of entities, shared by all partitions. It has a young and an old segment;
 * when the young segment is full, the old one is evicted. An entity with an event that is not stored yet is never
 * evicted, so the store always knows the version of an entity that is not cached. The insert queue bounds the number
 * of such entities.
 */
export class VersionCache {
  private readonly partitions = new Set<PartitionVersionCache>();
  private young = 0;
  private limit: number;

  /** @param capacity Number of cached entities, without those that wait for their insert. */
  constructor(private readonly capacity: number) {
    this.limit = capacity / 2;
  }

  /**
   * Opens the cache of one assigned partition. The caller calls `release` when the partition is no longer read.
   * @param options.fromTheStart Whether the partition is read from offset 0, so that no entity has a version yet.
   */
  open(options: { fromTheStart: boolean }): PartitionVersionCache {
    const versions = new PartitionVersionCache(options.fromTheStart, () => this.added());
    this.partitions.add(versions);
    return versions;
  }

  release(versions: PartitionVersionCache): void {
    if (this.partitions.delete(versions)) this.young -= versions.youngSize;
  }

  /** Number of open partitions. */
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
    // If many entities cannot be evicted, the limit grows, so that not every addition triggers an eviction.
    this.limit = Math.max(this.capacity / 2, this.young * 2);
  }
}

/** The cached latest versions of the entities of one partition. */
export class PartitionVersionCache {
  /** All events below this offset are stored. */
  storedUpTo = 0;
  private youngHeads = new Map<string, LatestVersion>();
  private oldHeads = new Map<string, LatestVersion>();

  constructor(
    private isComplete: boolean,
    private readonly added: () => void,
  ) {}

  /** Whether all entities that have a version are cached. If true, the store need not be queried. */
  get complete(): boolean {
    return this.isComplete;
  }

  get size(): number {
    return this.youngHeads.size + this.oldHeads.size;
  }

  get youngSize(): number {
    return this.youngHeads.size;
  }

  /** The entity's latest version, or undefined if it is not cached. */
  get(entity: string): LatestVersion | undefined {
    const head = this.youngHeads.get(entity);
    if (head) return head;
    const old = this.oldHeads.get(entity);
    if (!old) return undefined;
    this.oldHeads.delete(entity);
    this.put(entity, old);
    return old;
  }

  add(entity: string, head: LatestVersion): void {
    this.put(entity, head);
  }

  /**
   * Evicts the old segment, except entities with unstored events, and makes the young segment the old one. Returns the
   * number of entities in the new young segment.
   */
  age(): number {
    const kept = [...this.oldHeads].filter(([, head]) => head.offset >= this.storedUpTo);
    if (kept.length < this.oldHeads.size) this.isComplete = false;
    this.oldHeads = this.youngHeads;
    this.youngHeads = new Map(kept);
    return this.youngHeads.size;
  }

  private put(entity: string, head: LatestVersion): void {
    this.youngHeads.set(entity, head);
    this.added();
  }
}
