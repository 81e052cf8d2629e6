import type { ClickHouseSettings } from '@clickhouse/client';
import { allStreams } from '#api';
import { entityHash, streamNameOf } from '#event';
import type { CursorPage } from '../../store.js';
import {
  snapshotPageBytes,
  type EntitySnapshot,
  type ScopedEntityReferenceAsOf,
  type EventOffsetAndTimestamps,
  type EventVersion,
  type EntityHistoryEvent,
  type EntityHistoryQuery,
  type NearestEntitySnapshotQuery,
  type EntitySnapshotBatchStore,
  type EntitySnapshotsQuery,
  type EntitySnapshotStore,
  type EntityStoredVersionRange,
} from '../../entity-snapshot-store.js';
import type { StoreClickHouseClient } from '../store-clickhouse-client.js';
import { synchronousInsert } from '../insert-settings.js';
import type { ParameterizedSql } from '../event-query.js';
import { boundSettings, type QueryLimits } from '../query-limits.js';
import { removeSnapshotsByKey } from '../removal/remove-snapshots.js';
import { RowBinaryWriter } from '../../row-batch/row-binary.js';
import { splitEntities } from './entity-params.js';
import {
  historiesSql,
  historyEvent,
  historySql,
  versionRangeSql,
  type EntitiesHistoryRow,
  type EntityHistoryRow,
  type EntityStoredVersionRangeRow,
} from './history-query.js';
import {
  areEventsStoredSql,
  nearestSnapshotSql,
  nearestSnapshotsSql,
  snapshotPageSql,
  snapshotsCursor,
  snapshotsOfEntitySql,
  snapshotTotalSql,
  statesSql,
  storedEventKeysSql,
  removedEventsSql,
  versionsAtSql,
  type EventOffsetAndTimestampsRow,
  type EventVersionRow,
} from './snapshot-query.js';
import {
  readSnapshotMetadata,
  snapshotColumns,
  writeSnapshot,
  type EntitySnapshotMetadataRow,
  type EntitySnapshotRow,
  type EntitySnapshotMetadata,
} from './entity-snapshot-row.js';

const insertSnapshots = `INSERT INTO snapshots (${snapshotColumns.join(', ')}) FORMAT RowBinary`;

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
/** Raises the limit on the text of a query; ClickHouse's default is 256 KiB. */
const longQuery: ClickHouseSettings = { max_query_size: String(4 * 1024 * 1024) };

/** The members of a snapshot that name its entity, its first and its last event. */
type SnapshotKeys = Pick<EntitySnapshot, 'entity_id' | 'first' | 'last'>;

/** Saves and reads snapshots of entities in ClickHouse, and reads the events that they are derived from. */
export class ClickHouseEntitySnapshotStore implements EntitySnapshotStore, EntitySnapshotBatchStore {
  constructor(
    private readonly connection: StoreClickHouseClient,
    private readonly bounds: QueryLimits,
  ) {}

  async versionRange(
    query: ScopedEntityReferenceAsOf,
    signal?: AbortSignal,
  ): Promise<EntityStoredVersionRange | undefined> {
    const [row] = await this.read<EntityStoredVersionRangeRow>(versionRangeSql(query), signal);
    return row && row[0] > 0 ? { first: row[1], last: row[2] } : undefined;
  }

  async history(query: EntityHistoryQuery, signal?: AbortSignal): Promise<EntityHistoryEvent[]> {
    const rows = await this.read<EntityHistoryRow>(historySql(query), signal);
    return rows.map(historyEvent);
  }

  async nearest(
    query: NearestEntitySnapshotQuery,
    signal?: AbortSignal,
  ): Promise<EntitySnapshot | undefined> {
    let upTo = query.upTo;
    for (let passedOver = 0; passedOver < maxSkippedSnapshots; passedOver++) {
      const [row] = await this.read<EntitySnapshotRow>(nearestSnapshotSql({ ...query, upTo }), signal);
      if (!row) return undefined;
      const head = readSnapshotMetadata(row);
      const [found] = await this.read<[counts: number]>(areEventsStoredSql(head), signal);
      if (found?.[0] === 1) return withState(head, row.at(-1) as string);
      upTo = head.version - 1;
    }
    return undefined;
  }

  async snapshots(
    query: EntitySnapshotsQuery,
    signal?: AbortSignal,
  ): Promise<CursorPage<EntitySnapshot> & { total: number }> {
    const heads = await this.heads(snapshotPageSql(query), signal);
    const [count] = await this.read<[number]>(snapshotTotalSql(query), signal);
    const looked = fitting(heads.slice(0, query.limit));
    const items = await this.withStates(
      looked.filter(({ counts }) => counts),
      signal,
    );
    const last = looked.at(-1);
    const more = last && heads.length > looked.length;
    return { items, ...(more && { nextCursor: snapshotsCursor(query, last) }), total: count?.[0] ?? 0 };
  }

  async nearestOf(
    { stream, entities }: Parameters<EntitySnapshotBatchStore['nearestOf']>[0],
    signal?: AbortSignal,
  ): Promise<Map<string, EntitySnapshot>> {
    const heads: EntitySnapshotMetadata[] = [];
    for (const part of splitEntities(entities))
      heads.push(...(await this.heads(nearestSnapshotsSql(stream, part), signal)));
    const stored = await this.storedKeys(stream, heads, signal);
    const found = await this.withStates(
      heads.filter((head) => stored(head)),
      signal,
      batchBytes,
    );
    return new Map(found.map((snapshot) => [snapshot.entity_id, snapshot]));
  }

  async historyOf(
    { stream, entities }: Parameters<EntitySnapshotBatchStore['historyOf']>[0],
    signal?: AbortSignal,
  ): Promise<Map<string, EntityHistoryEvent[]>> {
    const found = new Map<string, EntityHistoryEvent[]>();
    for (const part of splitEntities(entities))
      for (const [entityId, ...row] of await this.read<EntitiesHistoryRow>(
        historiesSql(stream, part),
        signal,
        batchBytes,
      )) {
        const events = found.get(entityId);
        if (events) events.push(historyEvent(row));
        else found.set(entityId, [historyEvent(row)]);
      }
    return found;
  }

  async current(snapshots: readonly EntitySnapshot[], signal?: AbortSignal): Promise<EntitySnapshot[]> {
    if (snapshots.length === 0) return [];
    const stored = await this.storedKeys(snapshots[0]!.stream, snapshots, signal);
    return snapshots.filter((snapshot) => stored(snapshot));
  }

  async versionsAt(
    { stream, keys }: Parameters<EntitySnapshotBatchStore['versionsAt']>[0],
    signal?: AbortSignal,
  ): Promise<EventVersion[]> {
    const found: EventVersion[] = [];
    for (let from = 0; from < keys.length; from += keysPerQuery) {
      const sql = versionsAtSql(stream, keys.slice(from, from + keysPerQuery));
      for (const row of await this.read<EventVersionRow>(sql, signal)) {
        const [partition, offset, timestamp, ingested_at, version] = row;
        found.push({ partition, offset, timestamp, ingested_at, version });
      }
    }
    return found;
  }

  async removedEvents(stream: string, signal?: AbortSignal): Promise<Map<number, number>> {
    return new Map(await this.read<[number, number]>(removedEventsSql(stream), signal));
  }

  async save(snapshot: EntitySnapshot): Promise<void> {
    await this.saveAll([snapshot]);
  }

  async saveAll(snapshots: readonly EntitySnapshot[]): Promise<void> {
    const out = new RowBinaryWriter();
    for (const snapshot of snapshots) writeSnapshot(out, snapshot);
    await this.connection.insert(insertSnapshots, [out.bytes()], synchronousInsert);
  }

  async removeStale(entity: { stream: string; entityId: string }): Promise<void> {
    const { stream, entityId } = entity;
    const hash = entityHash(streamNameOf(stream), entityId);
    for (let below = Number.MAX_SAFE_INTEGER; ;) {
      const limit = snapshotsPerQuery;
      const sql = snapshotsOfEntitySql({ access: allStreams, ...entity }, { below, limit });
      const heads = await this.heads(sql);
      const stale = heads.filter(({ counts }) => !counts).map(({ version, last }) => ({ version, last }));
      if (stale.length > 0) await removeSnapshotsByKey(this.connection, { stream, hash, places: stale });
      if (heads.length < limit) return;
      below = heads.at(-1)!.version;
    }
  }

  /** Returns a function that tells whether the first and the last event of one of these snapshots are stored. */
  private async storedKeys(
    stream: string,
    snapshots: readonly SnapshotKeys[],
    signal: AbortSignal | undefined,
  ): Promise<(snapshot: SnapshotKeys) => boolean> {
    const stored = new Set<string>();
    const entities = snapshots.map(({ entity_id: entityId, first, last }) => ({ entityId, first, last }));
    for (const part of splitEntities(entities)) {
      const rows = await this.read<EventOffsetAndTimestampsRow>(storedEventKeysSql(stream, part), signal);
      for (const row of rows) stored.add(JSON.stringify(row));
    }
    const isStored = (
      entityId: string,
      { partition, offset, timestamp, ingested_at }: EventOffsetAndTimestamps,
    ) => stored.has(JSON.stringify([entityId, partition, offset, timestamp, ingested_at]));
    return ({ entity_id, first, last }) => isStored(entity_id, first) && isStored(entity_id, last);
  }

  private async heads(sql: ParameterizedSql, signal?: AbortSignal): Promise<EntitySnapshotMetadata[]> {
    return (await this.read<EntitySnapshotMetadataRow>(sql, signal)).map(readSnapshotMetadata);
  }

  /** Reads the states of snapshots, and omits snapshots that were removed since their metadata was read. */
  private async withStates(
    heads: readonly EntitySnapshotMetadata[],
    signal: AbortSignal | undefined,
    resultBytes = this.bounds.resultBytes,
  ): Promise<EntitySnapshot[]> {
    const states = new Map<string, string>();
    for (let from = 0; from < heads.length; from += statesPerQuery) {
      const sql = statesSql(heads.slice(from, from + statesPerQuery));
      const rows = await this.read<[...key: (string | number)[], state: string]>(sql, signal, resultBytes);
      for (const row of rows) states.set(JSON.stringify(row.slice(0, -1)), row.at(-1) as string);
    }
    return heads.flatMap((head) => {
      const { entity_id, stream, version, last } = head;
      const key = [entity_id, stream, version, last.partition, last.offset, last.ingested_at];
      const state = states.get(JSON.stringify(key));
      return state === undefined ? [] : [withState(head, state)];
    });
  }

  private read<Row extends readonly unknown[]>(
    { query, params }: ParameterizedSql,
    signal?: AbortSignal,
    resultBytes = this.bounds.resultBytes,
  ): Promise<Row[]> {
    const settings = { ...boundSettings({ ...this.bounds, resultBytes }), ...longQuery, max_threads: 1 };
    return this.connection.select<Row>(query, { params, settings, signal });
  }
}

function withState(
  { stateBytes: _bytes, counts: _counts, ...head }: EntitySnapshotMetadata,
  state: string,
): EntitySnapshot {
  return { ...head, stream: streamNameOf(head.stream), state };
}

/**
 * Returns the first snapshots of a list whose states together fit into `snapshotPageBytes`, but at least one snapshot.
 */
function fitting(heads: readonly EntitySnapshotMetadata[]): EntitySnapshotMetadata[] {
  let bytes = 0;
  const end = heads.findIndex(({ stateBytes, counts }, i) => {
    bytes += counts ? stateBytes : 0;
    return i > 0 && bytes > snapshotPageBytes;
  });
  return end < 0 ? [...heads] : heads.slice(0, end);
}
