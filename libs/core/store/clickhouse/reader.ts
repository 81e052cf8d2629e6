import { streamNameOf, uuidPattern, type StoredEvent } from '#event';
import { UntranslatableExpressionError } from '#cel';
import { ShardUnavailableError } from '../errors.js';
import type {
  StoredEventCountBucket,
  EventCountQuery,
  DeadLetterQuery,
  EntitySummariesQuery,
  ScopedEntityReference,
  EntitySummary,
  ErasableDataPresence,
  EventIdQuery,
  EventQuery,
  EventReader,
  StoredDeadLetter,
  LogOrderPage,
  LogOrderQuery,
  CursorPage,
  StoredEventIdsQuery,
  StreamSummariesQuery,
  StreamSummary,
} from '../store.js';
import {
  InvalidRegularExpressionError,
  type ClickHouseConnection,
} from './connection/store-clickhouse-client.js';
import {
  countSql,
  countsWholeStreams,
  repeatedRowsSql,
  type StoredEventCountBucketRow,
} from './count-query.js';
import { collapsedBins } from './quantile-bins.js';
import {
  deadLettersCursor,
  deadLettersSql,
  deadLettersTotalSql,
  toStoredDeadLetter,
  type DeadLetterRow,
} from './dead-letter-query.js';
import {
  erasableDataSql,
  streamSummaries,
  entitiesCursor,
  entitiesSql,
  entitySummary,
  streamsSql,
  type EntitySummaryRow,
  type StreamSummaryRow,
} from './summaries.js';
import { readEventPage } from './event-page.js';
import {
  eventByIdSql,
  positionOf,
  toStoredEvent,
  withoutRepeats,
  type EventResultRow,
  logOrderSql,
  storedIdsSql,
} from './event-query.js';
import { nextOffsets } from '../log-order.js';
import { TimeRangeHints } from './time-range-hints.js';
import { longQuerySettings, boundSettings, type QueryLimits } from './connection/settings.js';
import type { ParameterizedSql } from './connection/sql-params.js';

/** Pages up to this number of rows are read by one thread: for so few rows, more threads cost more than they save. */
const smallPage = 1_000;

/** How a reader reads the shards of a cluster. */
interface ClusterReading {
  /** Whether shards that do not answer are left out. */
  skipsUnavailable: boolean;
  /** Resolves with the numbers of the shards that do not answer. */
  unavailableShards: () => Promise<readonly number[]>;
}

/** Answers the gateway's queries for events, streams, entities and dead letters from ClickHouse. */
export class ClickHouseReader implements EventReader {
  private readonly timeRanges = new TimeRangeHints();

  constructor(
    private readonly connection: ClickHouseConnection,
    private readonly bounds: QueryLimits,
    private readonly cluster?: ClusterReading,
  ) {}

  query(query: EventQuery, signal?: AbortSignal): Promise<CursorPage<StoredEvent>> {
    const { limit, maxBytes } = query;
    const options = { signal, small: limit <= smallPage, maxBytes };
    return readEventPage(query, this.timeRanges, (sql) => this.select<EventResultRow>(sql, options));
  }

  async inLogOrder(query: LogOrderQuery, signal?: AbortSignal): Promise<LogOrderPage> {
    const { ranges, limit, maxBytes } = query;
    if (ranges.length === 0) return { events: [], next: [] };
    const options = { signal, small: true, maxBytes };
    const rows = await this.select<EventResultRow>(logOrderSql(query), options);
    const last = rows.length < limit ? undefined : rows.at(-1);
    return {
      events: withoutRepeats(rows).map(toStoredEvent),
      next: nextOffsets(ranges, last && positionOf(last)),
    };
  }

  async storedIds(query: StoredEventIdsQuery, signal?: AbortSignal): Promise<string[]> {
    if (query.ranges.length === 0 || query.ids.length === 0) return [];
    const { query: sql, params } = storedIdsSql(query);
    const options = { params, signal, settings: longQuerySettings, purpose: 'lookup' } as const;
    const rows = await this.connection.select<[string]>(sql, options);
    return rows.map(([id]) => id);
  }

  async count(
    query: EventCountQuery,
    signal?: AbortSignal,
  ): Promise<{ buckets: StoredEventCountBucket[]; total: number }> {
    if (countsWholeStreams(query)) return this.countStreams(query, signal);
    // Named entities have few rows, so deduplicating them costs little. Without named entities, rows are deduplicated
    // only if some rows are repeated.
    const final = query.entityIds !== undefined || (await this.hasRepeatedRows(signal));
    const rows = await this.select<StoredEventCountBucketRow>(countSql(query, final), { signal });
    const buckets = rows
      .filter(([, , count]) => count > 0)
      .map(([start, group, count, , bins]): StoredEventCountBucket => ({
        ...((query.intervalSeconds ?? query.bucketStarts) !== undefined && { start }),
        ...(query.groupBy && { group: groupOf(query.groupBy, group) }),
        count,
        ...(bins && query.quantiles && { quantiles: collapsedBins(bins, query.quantiles.bins) }),
      }));
    return { buckets, total: rows[0]?.[3] ?? 0 };
  }

  async byId(query: EventIdQuery, signal?: AbortSignal): Promise<StoredEvent | undefined> {
    if (!uuidPattern.test(query.eventId)) return undefined;
    const [row] = await this.select<EventResultRow>(eventByIdSql(query), { signal, small: true });
    return row && toStoredEvent(row);
  }

  async streams(query: StreamSummariesQuery, signal?: AbortSignal): Promise<StreamSummary[]> {
    return streamSummaries(query, (sql) => this.select(sql, { signal, small: true }));
  }

  async entities(query: EntitySummariesQuery, signal?: AbortSignal): Promise<CursorPage<EntitySummary>> {
    const rows = await this.select<EntitySummaryRow>(entitiesSql(query), { signal, small: true });
    const { items, ...next } = page(rows, query.limit, (last) => entitiesCursor(query, last));
    return { ...next, items: items.map(entitySummary) };
  }

  async erasableDataOf(query: ScopedEntityReference, signal?: AbortSignal): Promise<ErasableDataPresence> {
    const found = await this.select<[string]>(erasableDataSql(query), { signal, small: true });
    const tables = new Set(found.map(([table]) => table));
    return {
      events: tables.has('entities') || tables.has('events_by_entity'),
      deadLetters: tables.has('dead_letters'),
    };
  }

  async deadLetters(
    query: DeadLetterQuery,
    signal?: AbortSignal,
  ): Promise<CursorPage<StoredDeadLetter> & { total: number }> {
    // Awaits the total first, so that its answer and the page are not held in memory at the same time.
    const [count] = await this.select<[number]>(deadLettersTotalSql(query), { signal });
    const rows = await this.select<DeadLetterRow>(deadLettersSql(query), { signal });
    const shown = rows.slice(0, query.limit);
    const [last, found] = [shown.at(-1), rows[0]?.[10] ?? 0];
    return {
      items: shown.map(toStoredDeadLetter),
      ...(last && found > shown.length && { nextCursor: deadLettersCursor(query, last) }),
      total: count?.[0] ?? 0,
    };
  }

  private async countStreams(
    query: EventCountQuery,
    signal?: AbortSignal,
  ): Promise<{ buckets: StoredEventCountBucket[]; total: number }> {
    const streams = await this.select<StreamSummaryRow>(streamsSql(query), { signal });
    const total = streams.reduce((sum, [, events]) => sum + events, 0);
    if (!query.groupBy) return { buckets: total === 0 ? [] : [{ count: total }], total };
    const buckets = streams.map(([stream, events]) => ({ group: streamNameOf(stream), count: events }));
    return { buckets: buckets.slice(0, query.limit), total };
  }

  private async hasRepeatedRows(signal?: AbortSignal): Promise<boolean> {
    const settings = this.shardSettings;
    const [row] = await this.namingShards(
      this.connection.select<[number]>(repeatedRowsSql, { signal, settings }),
    );
    return row?.[0] !== 0;
  }

  /** Returns the result of a query. @throws ShardUnavailableError with the numbers of the shards that do not answer */
  private async namingShards<T>(answer: Promise<T>): Promise<T> {
    try {
      return await answer;
    } catch (error) {
      if (!(error instanceof ShardUnavailableError) || !this.cluster) throw error;
      const shards = await this.cluster.unavailableShards();
      throw new ShardUnavailableError(error.message, { cause: error.cause }, shards);
    }
  }

  private get shardSettings(): { skip_unavailable_shards?: 1 } {
    return this.cluster?.skipsUnavailable ? { skip_unavailable_shards: 1 } : {};
  }

  private async select<Row extends readonly unknown[]>(
    sql: ParameterizedSql,
    { signal, small, maxBytes }: { signal?: AbortSignal; small?: boolean; maxBytes?: number },
  ): Promise<Row[]> {
    try {
      const settings = {
        ...boundSettings(this.bounds),
        ...this.shardSettings,
        optimize_read_in_order: 1 as const,
        optimize_aggregation_in_order: small ? (1 as const) : (0 as const),
        ...(small && { max_threads: 1 }),
        ...(maxBytes !== undefined && { max_result_bytes: String(maxBytes) }),
      };
      const { query, params } = sql;
      return await this.namingShards(this.connection.select<Row>(query, { params, signal, settings }));
    } catch (error) {
      if (!(error instanceof InvalidRegularExpressionError)) throw error;
      throw new UntranslatableExpressionError(
        'The pattern of matches() is not a regular expression (RE2).',
        0,
      );
    }
  }
}

function groupOf(groupBy: EventCountQuery['groupBy'], group: string): string | null {
  if (groupBy === 'stream') return streamNameOf(group);
  return groupBy === 'entity_id' && group === '' ? null : group;
}

/**
 * Builds a page from a query for one item more than the page holds; the extra item shows that there is a next page.
 */
function page<T>(items: T[], limit: number, cursor: (last: T) => string): CursorPage<T> {
  const shown = items.slice(0, limit);
  const last = shown.at(-1);
  return items.length > limit && last ? { items: shown, nextCursor: cursor(last) } : { items: shown };
}
