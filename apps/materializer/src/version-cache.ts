/** How far the versions of one entity have been counted. */
export interface EntityHead {
  version: number;
  /** The last offset that was counted, or is about to be. */
  offset: number;
}

/**
 * The last versions of entities, for all partitions together, with a bound: two generations, of which the older is
 * forgotten when the younger is full. An entity with an event that the store does not have yet is never forgotten, so
 * what is not here can be asked of the store at any time. Those are bounded by the queue of the inserts.
 */
export class VersionCache {
  private readonly partitions = new Set<PartitionVersions>();
  private young = 0;
  private limit: number;

  /** @param capacity Entities held, apart from those that wait for their insert. */
  constructor(private readonly capacity: number) {
    this.limit = capacity / 2;
  }

  /**
   * The versions of one assigned partition; `release` them when it is revoked.
   * @param options.fromTheStart The partition is read from offset 0, so that no entity has a version before.
   */
  open(options: { fromTheStart: boolean }): PartitionVersions {
    const versions = new PartitionVersions(options.fromTheStart, () => this.added());
    this.partitions.add(versions);
    return versions;
  }

  release(versions: PartitionVersions): void {
    if (this.partitions.delete(versions)) this.young -= versions.youngSize;
  }

  /** Partitions that are open. */
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
    // With many that must stay, the next turn is further away: never a turn for each addition.
    this.limit = Math.max(this.capacity / 2, this.young * 2);
  }
}

/** The entities of one partition. */
export class PartitionVersions {
  /** All offsets below this one are in the store. */
  storedUpTo = 0;
  private youngHeads = new Map<string, EntityHead>();
  private oldHeads = new Map<string, EntityHead>();

  constructor(
    private isComplete: boolean,
    private readonly added: () => void,
  ) {}

  /** True as long as an entity that is not here has no version: the store need not be asked. */
  get complete(): boolean {
    return this.isComplete;
  }

  get size(): number {
    return this.youngHeads.size + this.oldHeads.size;
  }

  get youngSize(): number {
    return this.youngHeads.size;
  }

  /** The entity's head, if it is known here. */
  get(entity: string): EntityHead | undefined {
    const head = this.youngHeads.get(entity);
    if (head) return head;
    const old = this.oldHeads.get(entity);
    if (!old) return undefined;
    this.oldHeads.delete(entity);
    this.put(entity, old);
    return old;
  }

  add(entity: string, head: EntityHead): void {
    this.put(entity, head);
  }

  /** Forgets the older generation but for what the store does not have yet. Returns how many are young now. */
  age(): number {
    const kept = [...this.oldHeads].filter(([, head]) => head.offset >= this.storedUpTo);
    if (kept.length < this.oldHeads.size) this.isComplete = false;
    this.oldHeads = this.youngHeads;
    this.youngHeads = new Map(kept);
    return this.youngHeads.size;
  }

  private put(entity: string, head: EntityHead): void {
    this.youngHeads.set(entity, head);
    this.added();
  }
}
