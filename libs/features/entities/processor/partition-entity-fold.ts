import { PartitionErasureLookup, type ErasureLookup } from '#engine';
import { EntityStateAccumulator } from '#features/entities/state';
import { EventRecordParser, type StreamId } from '#event';
import type { ConsumerRecord } from '#kafka';
import type { CachedEntity, EntityCache, PartitionEntityCache } from './entity-cache.js';
import type { EntitySnapshotCountdowns, WaitingStatesBudget } from './entity-snapshot-countdowns.js';
import type {
  UnconfirmedEntitySnapshot,
  DueSnapshotsOutcome,
  PartitionDueSnapshots,
} from './entity-snapshot-round.js';

interface PartitionFolderOptions {
  stream: StreamId;
  partition: number;
  cache: EntityCache;
  /** Whether the partition is read from its first record. */
  isComplete: boolean;
  countdowns: EntitySnapshotCountdowns;
  waiting: WaitingStatesBudget;
  erasures: ErasureLookup;
}

/**
 * Maximum distance between two snapshots for which new entities are folded along. For a larger distance, events are
 * counted, and the state is read from the store when a snapshot is due.
 */
const mostFolded = 10_000;

/** Decoder that all partitions share. Each record is fully processed before the next record is decoded. */
const reader = new EventRecordParser();

/**
 * Folds the records of one partition into the states of cached entities, counts their versions, and collects the
 * snapshots that are due. The versions are assumptions until the store confirms them: the log may contain records that
 * the materializer has not stored, such as repeated events. For an entity that is not cached, the folder counts events,
 * and collects the entity when a snapshot of it may be due.
 */
export class PartitionEntityFold {
  private readonly due = new Map<string, UnconfirmedEntitySnapshot>();
  private lookups = new Set<string>();
  private isLoading = false;
  private removed: number | undefined;
  private every = 1;
  private readonly entities: PartitionEntityCache;
  private readonly erasures: PartitionErasureLookup;

  constructor(private readonly options: PartitionFolderOptions) {
    this.entities = options.cache.open({ ...options, onEvicted: (entry) => this.count(entry) });
    this.erasures = new PartitionErasureLookup(options.erasures, options);
  }

  /** Whether snapshots are due, or may be due. */
  get isDue(): boolean {
    return this.due.size > 0 || this.lookups.size > 0;
  }

  /**
   * Whether states are being read from the store, or must be read. Until they are read, the next records of their
   * entities must not be folded.
   */
  get needsStates(): boolean {
    return this.isLoading || this.lookups.size > 0;
  }

  /** Folds the next record of the partition. @param every Versions between two snapshots of an entity. */
  fold(record: ConsumerRecord, every: number): void {
    this.every = every;
    if (record.value === null || !reader.readIfEvent(record.value) || reader.entityId.isEmpty) return;
    const entityId = reader.entityId.toString();
    const { stream, countdowns } = this.options;
    const entry = this.cached(entityId) ?? this.begin(entityId);
    if (!entry) {
      if (countdowns.passed(stream, entityId, every)) this.lookups.add(entityId);
      return;
    }
    const { folded } = entry;
    // A state that was read from the store may be ahead of the log.
    if (folded.last && record.offset <= folded.last.offset) return;
    const { partition, offset } = record;
    const key = { partition, offset, timestamp: reader.timestamp, ingested_at: reader.ingestedAt };
    const data = reader.data.toString();
    const isAdded = withoutSyntaxError(() => folded.addLater(data, folded.version + 1, key));
    if (!isAdded || !this.entities.changed(entry)) this.giveUp(entry);
    else if (folded.version % every === 0) this.addDue(entry);
  }

  /** Removes the due snapshots from the folder and returns them. Undefined if none is due. */
  take(): PartitionDueSnapshots | undefined {
    if (!this.isDue) return undefined;
    const { stream, partition, waiting } = this.options;
    const work = { stream, partition, every: this.every, removed: this.removed };
    const due = [...this.due.values()];
    const lookups = [...this.lookups];
    this.due.clear();
    this.lookups = new Set();
    this.isLoading = lookups.length > 0;
    return { ...work, due, lookups, isUrgent: this.isLoading || waiting.isFull };
  }

  /** Applies the outcome of work that `take` has returned. */
  apply(work: PartitionDueSnapshots, { removed, isStale, confirmed, loaded }: DueSnapshotsOutcome): void {
    this.settle(work);
    this.removed = removed;
    if (isStale) {
      const due = [...work.due.map(({ entry }) => entry.entityId), ...this.due.keys()];
      for (const entityId of [...due, ...work.lookups]) this.lookups.add(entityId);
      return this.forgetStates();
    }
    // A foreign writer can put an entity into two partitions. The state is that of one of them.
    const own = (entityId: string): EntityStateAccumulator | undefined => {
      const folded = loaded.get(entityId);
      return folded?.last?.partition === work.partition ? folded : undefined;
    };
    for (const { entry } of work.due) {
      if (confirmed.has(entry)) entry.isConfirmed = true;
      else this.replace(entry, own(entry.entityId));
    }
    for (const entityId of work.lookups) {
      const folded = own(entityId);
      if (folded && this.every <= mostFolded && !this.entities.get(entityId))
        this.entities.add(entityId, folded, true);
    }
  }

  /** Gives up work that `take` has returned, and all states: they may be wrong. */
  abandon(work: PartitionDueSnapshots): void {
    this.settle(work);
    this.forgetStates();
  }

  /** Forgets the states of all entities, and the snapshots that are due. */
  forgetStates(): void {
    for (const { snapshot } of this.due.values()) this.options.waiting.remove(snapshot.state);
    this.due.clear();
    this.entities.clear();
  }

  private settle(work: PartitionDueSnapshots): void {
    this.isLoading = false;
    for (const { snapshot } of work.due) this.options.waiting.remove(snapshot.state);
  }

  /** Returns the cached state of an entity, unless the state includes erased events. */
  private cached(entityId: string): CachedEntity | undefined {
    const entry = this.entities.get(entityId);
    if (!entry || !this.erasures.any) return entry;
    const { first } = entry.folded;
    if (!first || first.offset >= this.erasures.endOf(entityId)) return entry;
    this.drop(entry);
    this.lookups.add(entityId);
    return undefined;
  }

  /** Begins the state of an entity without earlier events. Returns undefined if the entity may have earlier events. */
  private begin(entityId: string): CachedEntity | undefined {
    const { stream, countdowns } = this.options;
    if (this.every > mostFolded || !this.entities.isComplete || countdowns.has(stream, entityId))
      return undefined;
    return this.entities.add(entityId, new EntityStateAccumulator(), false);
  }

  /** Stops folding an entity whose state is too large. */
  private giveUp(entry: CachedEntity): void {
    this.entities.forget(entry);
    this.count(entry);
  }

  /** Counts the events of an entity that is no longer cached until its next snapshot is due. */
  private count({ entityId, folded }: CachedEntity): void {
    const { stream, countdowns } = this.options;
    countdowns.found({ stream, entityId }, folded.version, this.every);
  }

  private addDue(entry: CachedEntity): void {
    const { waiting, stream } = this.options;
    const content = withoutSyntaxError(() => entry.folded.content());
    if (!content) return this.giveUp(entry);
    const before = this.due.get(entry.entityId);
    if (before) waiting.remove(before.snapshot.state);
    const snapshot = { stream, entity_id: entry.entityId, ...content };
    waiting.add(snapshot.state);
    this.due.set(entry.entityId, { entry, snapshot });
  }

  private drop(entry: CachedEntity): void {
    const due = this.due.get(entry.entityId);
    if (due) this.options.waiting.remove(due.snapshot.state);
    this.due.delete(entry.entityId);
    this.entities.forget(entry);
  }

  /**
   * Replaces a state whose versions the store has not confirmed by the state that was read from the store. If records of
   * the entity were folded since, the state is read again before the next record is folded.
   */
  private replace(entry: CachedEntity, folded: EntityStateAccumulator | undefined): void {
    const { entities } = this;
    if (entities.get(entry.entityId) !== entry) return;
    const isNewest = (folded?.last?.offset ?? -1) >= entry.folded.last!.offset;
    this.drop(entry);
    if (folded && isNewest) entities.add(entry.entityId, folded, true);
    else this.lookups.add(entry.entityId);
  }
}

/** Returns undefined if an event is nested too deeply to be folded. */
function withoutSyntaxError<T>(compute: () => T): T | undefined {
  try {
    return compute();
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
