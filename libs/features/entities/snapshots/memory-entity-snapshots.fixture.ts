import { allStreams } from '#api';
import { streamNameOf } from '#event';
import { decodeCursor, encodeCursor, type CursorPage, type EventRow } from '#store';
import { MemoryStore } from '#store/memory';
import { compareKeys } from '../../../core/store/memory/memory-order.js';
import { isInScope, pageOf } from '../../../core/store/memory/memory-reader.js';
import type { EntitySnapshotBatchStore } from './clickhouse-entity-snapshot-store.js';
import type {
  EntityHistoryEvent,
  EntityHistoryQuery,
  EntitySnapshot,
  EntitySnapshotsQuery,
  EntityStoredVersionRange,
  EventOffsetAndTimestamps,
  EventVersion,
  NearestEntitySnapshotQuery,
  ScopedEntityReferenceAsOf,
} from './entity-snapshot.js';

const types = ['number', 'number', 'string', 'string', 'number', 'number'] as const;

/** In-memory fake of the snapshots of entities, in the tables of a `MemoryStore`, whose eraser removes them. */
export class MemoryEntitySnapshotStore implements EntitySnapshotBatchStore {
  private readonly tables: MemoryStore['tables'];

  constructor(store: MemoryStore) {
    this.tables = store.tables;
  }

  async versionRange(query: ScopedEntityReferenceAsOf): Promise<EntityStoredVersionRange | undefined> {
    const versions = this.eventsOf(query).map(({ version }) => version ?? 0);
    return versions.length === 0 ? undefined : { first: Math.min(...versions), last: Math.max(...versions) };
  }

  async history(query: EntityHistoryQuery): Promise<EntityHistoryEvent[]> {
    const rows = this.eventsOf(query)
      .filter(({ version }) => (version ?? 0) > query.after && (version ?? 0) <= query.upTo)
      .sort((a, b) =>
        compareKeys([a.version ?? 0, -a.ingested_at, -a.offset], [b.version ?? 0, -b.ingested_at, -b.offset]),
      );
    return rows
      .filter((row, i) => row.version !== rows[i - 1]?.version)
      .map(({ version, partition, offset, timestamp, ingested_at, data }) => ({
        ...{ version: version ?? 0, partition, offset, timestamp, ingested_at, data },
      }));
  }

  async nearest(query: NearestEntitySnapshotQuery): Promise<EntitySnapshot | undefined> {
    const { upTo, asOf = Infinity } = query;
    return this.listed(query)
      .filter((snapshot) => snapshot.version <= upTo && snapshot.latest_timestamp <= asOf)
      .filter((snapshot) => this.counts(snapshot))
      .sort((a, b) => b.version - a.version)
      .map(named)[0];
  }

  async snapshots(query: EntitySnapshotsQuery): Promise<CursorPage<EntitySnapshot> & { total: number }> {
    const binding = ['snapshots', query.stream ?? null, query.entityId ?? null];
    const after = query.cursor === undefined ? undefined : decodeCursor(binding, query.cursor, types);
    const order = ({ created_at, version, stream, entity_id, last }: EntitySnapshot) => [
      ...[created_at, version, stream, entity_id, last.offset, last.ingested_at],
    ];
    const all = this.listed(query);
    const items = all
      .filter((snapshot) => this.counts(snapshot))
      .filter((snapshot) => !after || compareKeys(order(snapshot), after) < 0)
      .sort((a, b) => compareKeys(order(b), order(a)));
    const page = pageOf(items, query.limit, (last) => encodeCursor(binding, order(last)));
    return { ...page, items: page.items.map(named), total: all.length };
  }

  async save(snapshot: EntitySnapshot): Promise<void> {
    this.tables.putSnapshot(snapshot);
  }

  async nearestOf({
    stream,
    entities,
  }: Parameters<EntitySnapshotBatchStore['nearestOf']>[0]): Promise<Map<string, EntitySnapshot>> {
    const found = new Map<string, EntitySnapshot>();
    for (const { entityId, upTo } of entities) {
      const [newest] = this.listed({ access: allStreams, stream, entityId })
        .filter(({ version }) => version <= upTo)
        .sort((a, b) => b.version - a.version);
      if (newest && this.counts(newest)) found.set(entityId, named(newest));
    }
    return found;
  }

  async historyOf({
    stream,
    entities,
  }: Parameters<EntitySnapshotBatchStore['historyOf']>[0]): Promise<Map<string, EntityHistoryEvent[]>> {
    const found = new Map<string, EntityHistoryEvent[]>();
    for (const { entityId, ...versions } of entities) {
      const events = await this.history({ access: allStreams, stream, entityId, ...versions });
      if (events.length > 0) found.set(entityId, events);
    }
    return found;
  }

  async current(snapshots: readonly EntitySnapshot[]): Promise<EntitySnapshot[]> {
    return snapshots.filter((snapshot) => this.counts(snapshot));
  }

  async versionsAt({
    stream,
    keys,
  }: Parameters<EntitySnapshotBatchStore['versionsAt']>[0]): Promise<EventVersion[]> {
    const times = keys.map(({ timestamp }) => timestamp);
    const [since, until] = [Math.min(...times), Math.max(...times)];
    return this.tables
      .events()
      .filter((row) => row.stream === stream && keys.some((key) => isSamePlace(row, key)))
      .filter(({ timestamp }) => timestamp >= since && timestamp <= until)
      .map(({ partition, offset, timestamp, ingested_at, version }) => ({
        ...{ partition, offset, timestamp, ingested_at, version: version ?? 0 },
      }));
  }

  async removedEvents(stream: string): Promise<Map<number, number>> {
    return this.tables.removedEvents(stream);
  }

  async saveAll(snapshots: readonly EntitySnapshot[]): Promise<void> {
    for (const snapshot of snapshots) await this.save(snapshot);
  }

  async removeStale({ stream, entityId }: { stream: string; entityId: string }): Promise<void> {
    this.tables.removeSnapshots(
      (snapshot) => snapshot.stream === stream && snapshot.entity_id === entityId && !this.counts(snapshot),
    );
  }

  private eventsOf(query: ScopedEntityReferenceAsOf): EventRow[] {
    const { stream, entityId, asOf = Infinity } = query;
    return this.tables
      .events()
      .filter((row) => row.stream === stream && row.entity_id === entityId && row.timestamp <= asOf)
      .filter((row) => isInScope(query, row));
  }

  private listed(
    query: Pick<EntitySnapshotsQuery, 'stream' | 'entityId' | 'access' | 'hidden'>,
  ): EntitySnapshot[] {
    const { stream, entityId } = query;
    return (this.tables.snapshots() as EntitySnapshot[])
      .filter((snapshot) => isInScope(query, snapshot) && !this.tables.dropped.has(snapshot.stream))
      .filter((snapshot) => (stream ?? snapshot.stream) === snapshot.stream)
      .filter((snapshot) => (entityId ?? snapshot.entity_id) === snapshot.entity_id);
  }

  private counts(snapshot: Pick<EntitySnapshot, 'stream' | 'entity_id' | 'first' | 'last'>): boolean {
    const rows = this.tables
      .events()
      .filter((row) => row.stream === snapshot.stream && row.entity_id === snapshot.entity_id);
    return [snapshot.first, snapshot.last].every((place) => rows.some((row) => isAt(row, place)));
  }
}

/** An in-memory store, with the snapshots of entities in it. */
export class MemoryStoreWithSnapshots extends MemoryStore {
  readonly snapshots = new MemoryEntitySnapshotStore(this);
}

function named(snapshot: EntitySnapshot): EntitySnapshot {
  return { ...snapshot, stream: streamNameOf(snapshot.stream) };
}

function isSamePlace(row: EventRow, { partition, offset }: EventOffsetAndTimestamps): boolean {
  return row.partition === partition && row.offset === offset;
}

function isAt(row: EventRow, place: EventOffsetAndTimestamps): boolean {
  return (
    isSamePlace(row, place) && row.timestamp === place.timestamp && row.ingested_at === place.ingested_at
  );
}
