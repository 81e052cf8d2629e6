import { allStreams } from '#api';
import { entityHash, streamNameOf } from '#event';
import {
  boundSettings,
  entityHashCondition,
  longQuerySettings,
  RowRemover,
  synchronousInsert,
  TupleParam,
  type ClickHouseStore,
  type ClickHouseConnection,
  type CursorPage,
  type ParameterizedSql,
} from '#store';
import type {
  EntityHistoryEvent,
  EntityHistoryQuery,
  EntityHistoryRange,
  EntitySnapshot,
  EntitySnapshotsQuery,
  EntityStoredVersionRange,
  EventOffsetAndTimestamps,
  EventVersion,
  NearestEntitySnapshotQuery,
  ScopedEntityReferenceAsOf,
} from './entity-snapshot.js';
import * as history from './history-query.js';
import * as sql from './snapshot-query.js';
import {
  readSnapshotMetadata,
  snapshotTable,
  type EntitySnapshotMetadata,
  type EntitySnapshotMetadataRow,
} from './snapshot-rows.js';

/**
 * Maximum number of snapshots that a search for the nearest one tries. After so many snapshots with removed
 * events, it returns none.
 */
const maxSkippedSnapshots = 5;
/** Maximum number of snapshots whose states one query selects. */
const statesPerQuery = 500;
/** Maximum number of events whose versions one query selects. */
const keysPerQuery = 10_000;
/** Maximum number of snapshots of one entity that one query checks. */
const snapshotsPerQuery = 1_000;
/**
 * Maximum number of bytes of the states, or of the events, that one query for many entities returns. The processor holds
 * several forms of them at a time.
 */
const batchBytes = 8 * 1024 * 1024;

/** Limit in bytes on the states of one page of snapshots; a page with a single snapshot may exceed it. */
const snapshotPageBytes = 16 * 1024 * 1024;

/** The members of a snapshot that name its entity, its first and its last event. */
type SnapshotKeys = Pick<EntitySnapshot, 'entity_id' | 'first' | 'last'>;

/**
 * Saves and reads snapshots of entities in ClickHouse, and reads the events that they are derived from. A snapshot is
 * current only while its first and last event are stored; answers contain only current snapshots. So data removed by
 * retention or erasure never reappears in a state, whichever writer saved the snapshot and whenever.
 *
 * All methods throw QueryTooExpensiveError and StoreUnavailableError. All writes are idempotent.
 */
export class ClickHouseEntitySnapshotStore {
  constructor(private readonly store: Pick<ClickHouseStore, 'connection' | 'connectionOf' | 'bounds'>) {}

  /** Returns the versions of an entity's stored events; undefined if no event matches. */
  async versionRange(
    query: ScopedEntityReferenceAsOf,
    signal?: AbortSignal,
  ): Promise<EntityStoredVersionRange | undefined> {
    const found = await this.read<[number, number, number]>(history.versionRangeSql(query), signal);
    const [events, first, last] = found[0] ?? [0, 0, 0];
    return events > 0 ? { first, last } : undefined;
  }

  /**
   * Returns the entity's events in a range of versions, ordered by version. If several events have the same version (a
   * removal is in progress), only the newest one is returned.
   */
  async history(query: EntityHistoryQuery, signal?: AbortSignal): Promise<EntityHistoryEvent[]> {
    const rows = await this.read<history.EntityHistoryRow>(history.historySql(query), signal);
    return rows.map(history.historyEvent);
  }

  /** Returns the snapshot with the greatest version among those whose events all have a timestamp up to `asOf`. */
  async nearest(
    query: NearestEntitySnapshotQuery,
    signal?: AbortSignal,
  ): Promise<EntitySnapshot | undefined> {
    let upTo = query.upTo;
    for (let skipped = 0; skipped < maxSkippedSnapshots; skipped++) {
      const statement = sql.nearestSnapshotSql({ ...query, upTo });
      const [row] = await this.read<EntitySnapshotMetadataRow>(statement, signal);
      if (!row) return undefined;
      const metadata = readSnapshotMetadata(row);
      const [stored] = await this.read<[number]>(sql.areEventsStoredSql(metadata), signal);
      if (stored?.[0] === 1) return withState(metadata, row.at(-1) as string);
      upTo = metadata.version - 1;
    }
    return undefined;
  }

  /**
   * Returns snapshots, newest first. A page may end before its limit when its states are large. `total` counts all
   * stored snapshots that match, including snapshots that are not current.
   * @throws InvalidCursorError
   */
  async snapshots(
    query: EntitySnapshotsQuery,
    signal?: AbortSignal,
  ): Promise<CursorPage<EntitySnapshot> & { total: number }> {
    const found = await this.metadata(sql.snapshotPageSql(query), signal);
    const [count] = await this.read<[number]>(sql.snapshotTotalSql(query), signal);
    const page = fitting(found.slice(0, query.limit));
    const stored = page.filter(({ areEventsStored }) => areEventsStored);
    const items = await this.withStates(stored, signal);
    const last = page.at(-1);
    const hasMore = last && found.length > page.length;
    return {
      items,
      ...(hasMore && { nextCursor: sql.snapshotsCursor(query, last) }),
      total: count?.[0] ?? 0,
    };
  }

  /** Returns for each entity the snapshot with the greatest version up to `upTo`, if it exists and is current. */
  async nearestOf(
    {
      stream,
      entities,
    }: { stream: string; entities: readonly Pick<EntityHistoryRange, 'entityId' | 'upTo'>[] },
    signal?: AbortSignal,
  ): Promise<Map<string, EntitySnapshot>> {
    const nearest: EntitySnapshotMetadata[] = [];
    for (const part of history.splitEntities(entities))
      nearest.push(...(await this.metadata(sql.nearestSnapshotsSql(stream, part), signal)));
    const areStored = await this.storedKeys(stream, nearest, signal);
    const found = await this.withStates(nearest.filter(areStored), signal, batchBytes);
    return new Map(found.map((snapshot) => [snapshot.entity_id, snapshot]));
  }

  /** Returns the events of each entity in its range of versions, as `history` does for one entity. */
  async historyOf(
    { stream, entities }: { stream: string; entities: readonly EntityHistoryRange[] },
    signal?: AbortSignal,
  ): Promise<Map<string, EntityHistoryEvent[]>> {
    const found = new Map<string, EntityHistoryEvent[]>();
    for (const part of history.splitEntities(entities)) {
      const statement = history.historiesSql(stream, part);
      const rows = await this.read<[string, ...history.EntityHistoryRow]>(statement, signal, batchBytes);
      for (const [entityId, ...row] of rows) {
        const events = found.get(entityId);
        if (events) events.push(history.historyEvent(row));
        else found.set(entityId, [history.historyEvent(row)]);
      }
    }
    return found;
  }

  /** Returns those of the snapshots that are current. */
  async current(snapshots: readonly EntitySnapshot[], signal?: AbortSignal): Promise<EntitySnapshot[]> {
    if (snapshots.length === 0) return [];
    const areStored = await this.storedKeys(snapshots[0]!.stream, snapshots, signal);
    return snapshots.filter(areStored);
  }

  /**
   * Returns the stored events at the partitions and offsets of these keys, with their versions. An event can have another
   * time than the key: after a Kafka topic was recreated, its offsets begin again. The cost is that of the stream's
   * events between the least and the greatest timestamp and offset of the keys.
   */
  async versionsAt(
    { stream, keys }: { stream: string; keys: readonly EventOffsetAndTimestamps[] },
    signal?: AbortSignal,
  ): Promise<EventVersion[]> {
    const found: EventVersion[] = [];
    for (let from = 0; from < keys.length; from += keysPerQuery) {
      const statement = sql.versionsAtSql(stream, keys.slice(from, from + keysPerQuery));
      const rows = await this.read<[number, number, number, number, number]>(statement, signal);
      for (const [partition, offset, timestamp, ingested_at, version] of rows)
        found.push({ partition, offset, timestamp, ingested_at, version });
    }
    return found;
  }

  /**
   * Returns the number of removed events of each partition of a stream from which events were removed. The number grows
   * before the events and the snapshots that include them are removed: if the number is the same before and after a
   * snapshot is saved, no removal has missed the snapshot.
   */
  async removedEvents(stream: string, signal?: AbortSignal): Promise<Map<number, number>> {
    return new Map(await this.read<[number, number]>(sql.removedEventsSql(stream), signal));
  }

  /**
   * Saves a snapshot; it replaces a stored snapshot of the same entity with the same version and last event.
   * @throws RowsRejectedError
   */
  save(snapshot: EntitySnapshot): Promise<void> {
    return this.saveAll([snapshot]);
  }

  /** Saves snapshots with one insert for each shard. @throws RowsRejectedError */
  async saveAll(snapshots: readonly EntitySnapshot[]): Promise<void> {
    const inserts = new Map<ClickHouseConnection, EntitySnapshot[]>();
    for (const snapshot of snapshots) {
      const { stream, last } = snapshot;
      const connection = await this.store.connectionOf({ stream, partition: last.partition });
      inserts.set(connection, [...(inserts.get(connection) ?? []), snapshot]);
    }
    await Promise.all(
      [...inserts].map(([connection, own]) => snapshotTable.insert(connection, own, synchronousInsert)),
    );
  }

  /** Removes the entity's snapshots that are not current, for example saved after their events were removed. */
  async removeStale(entity: { stream: string; entityId: string }): Promise<void> {
    const { stream, entityId } = entity;
    const hash = entityHash(streamNameOf(stream), entityId);
    const query = { access: allStreams, ...entity };
    for (let below = Number.MAX_SAFE_INTEGER; ;) {
      const limit = snapshotsPerQuery;
      const found = await this.metadata(sql.snapshotsOfEntitySql(query, { below, limit }));
      const stale = found.filter(({ areEventsStored }) => !areEventsStored);
      if (stale.length > 0) await this.removeByKey({ stream, hash, snapshots: stale });
      if (found.length < limit) return;
      below = found.at(-1)!.version;
    }
  }

  /** Removes single snapshots of one entity. The DELETE statement contains only the entity's hash, not its id. */
  private async removeByKey(entity: {
    stream: string;
    hash: string;
    snapshots: readonly EntitySnapshotMetadata[];
  }): Promise<void> {
    const { stream, hash, snapshots } = entity;
    const keys = snapshots.map(
      ({ version, last }) => new TupleParam([version, last.partition, last.offset, last.ingested_at]),
    );
    const these =
      '(version, partition, offset, ingested_at) IN {keys:Array(Tuple(UInt64, UInt16, UInt64, Int64))}';
    const condition = `${entityHashCondition('entity_id')} AND ${these}`;
    const stale = { stream, condition, params: { hash, keys } };
    // All events of an entity are in one partition.
    const { partition } = snapshots[0]!.last;
    return new RowRemover(await this.store.connectionOf({ stream, partition })).remove('snapshots', stale);
  }

  /** Returns a function that tells whether the first and the last event of one of these snapshots are stored. */
  private async storedKeys(
    stream: string,
    snapshots: readonly SnapshotKeys[],
    signal: AbortSignal | undefined,
  ): Promise<(snapshot: SnapshotKeys) => boolean> {
    const stored = new Set<string>();
    const entities = snapshots.map(({ entity_id: entityId, first, last }) => ({ entityId, first, last }));
    for (const part of history.splitEntities(entities)) {
      const rows = await this.read<(string | number)[]>(sql.storedEventKeysSql(stream, part), signal);
      for (const row of rows) stored.add(JSON.stringify(row));
    }
    const isStored = (id: string, { partition, offset, timestamp, ingested_at }: EventOffsetAndTimestamps) =>
      stored.has(JSON.stringify([id, partition, offset, timestamp, ingested_at]));
    return ({ entity_id, first, last }) => isStored(entity_id, first) && isStored(entity_id, last);
  }

  private async metadata(
    statement: ParameterizedSql,
    signal?: AbortSignal,
  ): Promise<EntitySnapshotMetadata[]> {
    return (await this.read<EntitySnapshotMetadataRow>(statement, signal)).map(readSnapshotMetadata);
  }

  /** Reads the states of snapshots, and omits snapshots that were removed since their metadata was read. */
  private async withStates(
    snapshots: readonly EntitySnapshotMetadata[],
    signal: AbortSignal | undefined,
    resultBytes?: number,
  ): Promise<EntitySnapshot[]> {
    const states = new Map<string, string>();
    for (let from = 0; from < snapshots.length; from += statesPerQuery) {
      const statement = sql.statesSql(snapshots.slice(from, from + statesPerQuery));
      const rows = await this.read<(string | number)[]>(statement, signal, resultBytes);
      for (const row of rows) states.set(JSON.stringify(row.slice(0, -1)), row.at(-1) as string);
    }
    return snapshots.flatMap((metadata) => {
      const state = states.get(JSON.stringify(sql.stateKeyOf(metadata)));
      return state === undefined ? [] : [withState(metadata, state)];
    });
  }

  private read<Row extends readonly unknown[]>(
    { query, params }: ParameterizedSql,
    signal?: AbortSignal,
    resultBytes = this.store.bounds.resultBytes,
  ): Promise<Row[]> {
    const limits = boundSettings({ ...this.store.bounds, resultBytes });
    const settings = { ...limits, ...longQuerySettings, max_threads: 1 };
    return this.store.connection.select<Row>(query, { params, settings, signal });
  }
}

/** Reads snapshots of an entity, and the events that they are derived from. */
export type EntitySnapshotReader = Pick<
  ClickHouseEntitySnapshotStore,
  'versionRange' | 'history' | 'nearest' | 'snapshots'
>;

/** Reads, saves and removes snapshots of one entity. */
export type EntitySnapshotStore = EntitySnapshotReader &
  Pick<ClickHouseEntitySnapshotStore, 'save' | 'removeStale'>;

/** All methods; those for many entities of one stream read and save with one query each, in no authorization scope. */
export type EntitySnapshotBatchStore = Pick<
  ClickHouseEntitySnapshotStore,
  keyof ClickHouseEntitySnapshotStore
>;

function withState(
  { stateBytes: _bytes, areEventsStored: _stored, ...snapshot }: EntitySnapshotMetadata,
  state: string,
): EntitySnapshot {
  return { ...snapshot, stream: streamNameOf(snapshot.stream), state };
}

/** Returns the first snapshots whose states together fit into `snapshotPageBytes`, but at least one snapshot. */
function fitting(snapshots: readonly EntitySnapshotMetadata[]): readonly EntitySnapshotMetadata[] {
  let bytes = 0;
  const end = snapshots.findIndex(({ stateBytes, areEventsStored }, i) => {
    bytes += areEventsStored ? stateBytes : 0;
    return i > 0 && bytes > snapshotPageBytes;
  });
  return end < 0 ? snapshots : snapshots.slice(0, end);
}
