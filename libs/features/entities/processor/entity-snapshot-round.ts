import type { KafkaOrClickHouseRetrier } from '#engine';
import {
  createSnapshots,
  type DueSnapshotAndLatestVersion,
  type FoldedEntityState,
  type EntityStateAccumulator,
  type EntitySnapshot,
  type EventOffsetAndTimestamps,
  type EventVersion,
  type EntitySnapshotBatchStore,
} from '#features/entities/state';
import { QueryTooExpensiveError, type EventWriter } from '#store';
import type { Logger } from '#telemetry';
import type { CachedEntity } from './entity-cache.js';
import type { EntitySnapshotCountdowns } from './entity-snapshot-countdowns.js';
import { snapshotsCreated, snapshotFailures } from './snapshot-metrics.js';

/** A snapshot that was folded from the log, with the version that was counted. */
export interface UnconfirmedEntitySnapshot {
  entry: CachedEntity;
  snapshot: FoldedEntityState & { stream: string; entity_id: string };
}

/** Snapshots of one partition that are due, or may be due. */
export interface PartitionDueSnapshots {
  stream: string;
  partition: number;
  /** Versions between two snapshots of an entity. */
  every: number;
  due: readonly UnconfirmedEntitySnapshot[];
  /** Entities whose state is not in memory. */
  lookups: readonly string[];
  /** Whether the partition reads no further records before the snapshots are made. */
  isUrgent: boolean;
  /**
   * Number of removed events of the partition when its states in memory were last known to include no removed event;
   * undefined if that was never checked.
   */
  removed: number | undefined;
}

/** What happened to the due snapshots of one partition in a round. */
export interface DueSnapshotsOutcome {
  /** Number of removed events of the partition. */
  removed: number;
  /** Whether events were removed, so that states in memory may include removed events. */
  isStale: boolean;
  /** The entries whose versions the store has confirmed. Their snapshots are saved. */
  confirmed: ReadonlySet<CachedEntity>;
  /** States that were read from the store, by entity. */
  loaded: ReadonlyMap<string, EntityStateAccumulator>;
}

export interface EntitySnapshotRoundDependencies {
  snapshots: EntitySnapshotBatchStore;
  versions: Pick<EventWriter, 'latestVersions'>;
  countdowns: EntitySnapshotCountdowns;
  retry: KafkaOrClickHouseRetrier;
  logger: Logger;
  /** Returns the current time in milliseconds since 1970. */
  now: () => number;
}

/** Maximum number of snapshots, and of the characters of their states, in one insert. */
const mostSaved = 10_000;
const mostSavedCharacters = 4 * 1024 * 1024;
/** Maximum number of characters of the states that a round keeps from the store. Others are read again later. */
const mostLoadedCharacters = 16 * 1024 * 1024;

/** Makes the due snapshots of several partitions of one stream with few queries. */
export class EntitySnapshotRound {
  private readonly loaded = new Map<string, EntityStateAccumulator>();
  private readonly confirmed = new Set<CachedEntity>();

  /** @param all Work of different partitions of the same stream, at most one for each partition. */
  constructor(
    private readonly stream: string,
    private readonly all: readonly PartitionDueSnapshots[],
    private readonly dependencies: EntitySnapshotRoundDependencies,
  ) {}

  /** Returns the outcome of each work. @throws the signal's reason */
  async run(signal: AbortSignal): Promise<Map<PartitionDueSnapshots, DueSnapshotsOutcome>> {
    const { confirmed, loaded } = this;
    const before = await this.knownRemoved(signal);
    const saved = await this.confirm(signal);
    for (const group of groupsOf(saved))
      await this.store(signal, () => this.dependencies.snapshots.saveAll(group));
    await this.load(signal);
    const dropped = await this.check(saved, signal);
    const isUnchanged = saved.length === 0 && loaded.size === 0;
    const after = isUnchanged ? before : await this.removedEvents(signal);
    return new Map(
      this.all.map((work) => {
        const { partition } = work;
        const removed = after.get(partition) ?? 0;
        const isStale = dropped.has(partition) || removed !== (before.get(partition) ?? 0);
        return [work, { removed, isStale, confirmed, loaded }];
      }),
    );
  }

  /** Returns the number of removed events of each partition when its states were known to include none of them. */
  private async knownRemoved(signal: AbortSignal): Promise<Map<number, number>> {
    const known = new Map(this.all.map(({ partition, removed }) => [partition, removed]));
    if (![...known.values()].includes(undefined)) return known as Map<number, number>;
    const found = await this.removedEvents(signal);
    return new Map(
      [...known].map(([partition, removed]) => [partition, removed ?? found.get(partition) ?? 0]),
    );
  }

  private removedEvents(signal: AbortSignal): Promise<Map<number, number>> {
    return this.store(signal, () => this.dependencies.snapshots.removedEvents(this.stream, signal));
  }

  /**
   * Returns the snapshots whose versions are those of the store. Every event that the store has is a record of the log.
   * So if as many versions as records lie between an event with a known version and the last event of a snapshot, the
   * store has exactly these records. Of an entity that was new, the first event must have the version 1.
   */
  private async confirm(signal: AbortSignal): Promise<EntitySnapshot[]> {
    const due = this.all.flatMap((work) => work.due);
    if (due.length === 0) return [];
    const keys = due.flatMap(({ entry, snapshot: { first, last } }) =>
      entry.isConfirmed ? [last] : [first, last],
    );
    const query = { stream: this.stream, keys };
    const versions = new StoredVersions(
      await this.store(signal, () =>
        this.dependencies.snapshots.versionsAt(query, signal).catch((error: unknown) => {
          // If ClickHouse finds the query too large, no version is certain: the snapshots are made from the store.
          if (error instanceof QueryTooExpensiveError) return [];
          throw error;
        }),
      ),
    );
    const created_at = this.dependencies.now() * 1000;
    const found: EntitySnapshot[] = [];
    for (const { entry, snapshot } of due) {
      if (versions.at(snapshot.last) !== snapshot.version) continue;
      if (!entry.isConfirmed && versions.at(snapshot.first) !== 1) continue;
      this.confirmed.add(entry);
      found.push({ ...snapshot, created_at, reason: 'automatic' });
    }
    return found;
  }

  /** Makes the snapshots of the other entities from the store, and keeps their states. */
  private async load(signal: AbortSignal): Promise<void> {
    const { snapshots, versions, countdowns, now, logger } = this.dependencies;
    const { stream } = this;
    const entities = new Map<string, DueSnapshotAndLatestVersion>();
    for (const { partition, every, due, lookups } of this.all) {
      const rejected = due.filter(({ entry }) => !this.confirmed.has(entry));
      const entityIds = [...new Set([...lookups, ...rejected.map(({ entry }) => entry.entityId)])];
      if (entityIds.length === 0) continue;
      const query = { stream, partition, entityIds, before: Number.MAX_SAFE_INTEGER };
      for (const [entityId, latest] of await this.store(signal, () => versions.latestVersions(query))) {
        countdowns.found({ stream, entityId }, latest, every);
        entities.set(entityId, { upTo: latest - (latest % every), latest });
      }
    }
    if (entities.size === 0) return;
    let characters = 0;
    const onFolded = (entityId: string, folded: EntityStateAccumulator) => {
      characters += folded.characters;
      if (characters <= mostLoadedCharacters) this.loaded.set(entityId, folded);
    };
    const request = { stream, entities, now: now() * 1000, onFolded };
    const counts = await this.store(signal, () => createSnapshots(snapshots, request, signal));
    snapshotsCreated.inc(counts.created);
    snapshotFailures.inc({ reason: 'removed_meanwhile' }, counts.removedMeanwhile);
    snapshotFailures.inc({ reason: 'too_large' }, counts.tooLarge);
    if (counts.tooLarge > 0)
      logger.debug({ stream, entities: counts.tooLarge }, 'states are too large for a snapshot');
  }

  /**
   * Removes those saved snapshots whose first or last event was removed. Returns their partitions: states of these
   * partitions may include removed events too, so they are read again. The number of removed events alone does not show
   * it, because a removal counts its events before it removes them.
   */
  private async check(saved: readonly EntitySnapshot[], signal: AbortSignal): Promise<Set<number>> {
    if (saved.length === 0) return new Set();
    const { snapshots } = this.dependencies;
    const current = await this.store(signal, () => snapshots.current(saved, signal));
    const kept = new Set(current.map(({ entity_id }) => entity_id));
    const dropped = saved.filter(({ entity_id }) => !kept.has(entity_id));
    for (const { entity_id: entityId } of dropped)
      await this.store(signal, () => snapshots.removeStale({ stream: this.stream, entityId }));
    snapshotsCreated.inc(saved.length - dropped.length);
    return new Set(dropped.map(({ last }) => last.partition));
  }

  private store<T>(signal: AbortSignal, attempt: () => Promise<T>): Promise<T> {
    return this.dependencies.retry.run('store', signal, attempt);
  }
}

/** Versions of stored events by partition and offset. */
class StoredVersions {
  private readonly events = new Map<number, Map<number, EventVersion>>();

  constructor(all: readonly EventVersion[]) {
    for (const event of all) this.add(event);
  }

  /** Returns the version of an event; undefined if the event is not stored, or its version is not certain. */
  at({ partition, offset, timestamp, ingested_at }: EventOffsetAndTimestamps): number | undefined {
    const event = this.events.get(partition)?.get(offset);
    const isSame = event?.timestamp === timestamp && event.ingested_at === ingested_at;
    return isSame ? event.version : undefined;
  }

  /** Adds an event. Of different events at the same offset, none is certain. */
  private add(event: EventVersion): void {
    const { partition, offset, version } = event;
    let offsets = this.events.get(partition);
    if (!offsets) this.events.set(partition, (offsets = new Map<number, EventVersion>()));
    const other = offsets.get(offset);
    const isRepeated = other?.version === version && other.ingested_at === event.ingested_at;
    offsets.set(offset, other && !isRepeated ? { ...event, version: NaN } : event);
  }
}

/** Divides snapshots into groups of one insert each. */
function* groupsOf(all: readonly EntitySnapshot[]): Generator<EntitySnapshot[]> {
  let group: EntitySnapshot[] = [];
  let characters = 0;
  for (const snapshot of all) {
    if (group.length === mostSaved || (group.length > 0 && characters > mostSavedCharacters)) {
      yield group;
      group = [];
      characters = 0;
    }
    group.push(snapshot);
    characters += snapshot.state.length;
  }
  if (group.length > 0) yield group;
}
