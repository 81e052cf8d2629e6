import { compareUtf8, formatTime } from '#json';
import { streamNameOf, type StoredEvent } from '#event';
import { allStreams, permitsStream } from '#api';
import { type ExpressionTree, UntranslatableExpressionError } from '#cel';
import { decodeCursor, encodeCursor } from '../cursor.js';
import { assertDeadLetterIdsBounded, deadLetterId, deadLetterIdentity } from '../dead-letter-id.js';
import { QueryTooExpensiveError, UntranslatableValueError } from '../errors.js';
import { eventCursor, eventCursorPosition } from '../event-page-sort-key.js';
import { assertRangesBounded, assertStoredIdsBounded, nextOffsets, type OffsetRange } from '../log-order.js';
import type {
  StoredEventCountBucket,
  EventCountQuery,
  DeadLetter,
  DeadLetterQuery,
  EntitySummariesQuery,
  ScopedEntityReference,
  EntitySummary,
  ErasableDataPresence,
  EventFilter,
  EventIdQuery,
  EventQuery,
  EventReader,
  EventRow,
  StoredDeadLetter,
  LogOrderPage,
  LogOrderQuery,
  CursorPage,
  AuthorizationScope,
  StoredEventIdsQuery,
  StreamSummariesQuery,
  StreamSummary,
} from '../store.js';
import { isDeadLetterOf } from './memory-event-remover.js';
import { compareKeys } from './memory-order.js';
import type { MemoryTables } from './memory-tables.js';

/**
 * Returns whether an event fulfils a `where` condition; false if the condition has no value for the event.
 */
export type EvaluateCondition = (expression: ExpressionTree, event: StoredEvent) => boolean;

/** In-memory fake of the store's event reader, for specs. */
export class MemoryReader implements EventReader {
  constructor(
    private readonly tables: MemoryTables,
    private readonly evaluate: EvaluateCondition | undefined,
  ) {}

  async query(query: EventQuery): Promise<CursorPage<StoredEvent>> {
    const after = eventCursorPosition(query);
    const sign = query.order === 'asc' ? 1 : -1;
    const order = (row: EventRow) => [row.timestamp, row.partition, row.offset, row.stream];
    const start = after && [after.timestamp, after.partition, after.offset, after.stream];
    const rows = this.matching(query)
      .filter((row) => !start || sign * compareKeys(order(row), start) > 0)
      .sort((a, b) => sign * compareKeys(order(a), order(b)));
    requireWithin(query.maxBytes, rows.slice(0, query.limit + 1));
    const next = pageOf(rows, query.limit, (last) => eventCursor(query, last));
    return { ...next, items: next.items.map(toStoredEvent) };
  }

  async inLogOrder({ ranges, limit, maxBytes, ...filter }: LogOrderQuery): Promise<LogOrderPage> {
    assertRangesBounded(ranges);
    const isIn = (row: EventRow) => ranges.some((range) => inRange(row, range));
    const order = (row: EventRow) => [row.stream, row.partition, row.offset, row.event_id];
    const rows = this.matching(filter)
      .filter(isIn)
      .sort((a, b) => compareKeys(order(a), order(b)))
      .slice(0, limit);
    requireWithin(maxBytes, rows);
    return {
      events: rows.map(toStoredEvent),
      next: nextOffsets(ranges, rows.length < limit ? undefined : rows.at(-1)),
    };
  }

  async storedIds(query: StoredEventIdsQuery): Promise<string[]> {
    assertStoredIdsBounded(query);
    const { ranges, ids } = query;
    const isIn = (row: EventRow) => ranges.some((range) => inRange(row, range));
    const rows = this.matching({ access: allStreams }).filter(isIn);
    const wanted = new Set(ids);
    return [...new Set(rows.map(({ event_id }) => event_id).filter((id) => wanted.has(id)))];
  }

  async count(query: EventCountQuery): Promise<{ buckets: StoredEventCountBucket[]; total: number }> {
    const { time = 'timestamp', quantiles } = query;
    if (quantiles)
      throw new UntranslatableValueError('This store cannot evaluate a value.', quantiles.value.at);
    const always = { ...query, since: undefined, until: undefined };
    const rows = this.matching(always).filter((row) => within(row[time], query));
    const counts = new Map<string, StoredEventCountBucket>();
    for (const row of rows) {
      const bucket = bucketOf(row, query);
      const key = JSON.stringify([bucket.start, bucket.group]);
      bucket.count = (counts.get(key)?.count ?? 0) + 1;
      counts.set(key, bucket);
    }
    const order = (bucket: StoredEventCountBucket) => [bucket.start ?? 0, bucket.group ?? ''];
    const buckets = [...counts.values()].sort((a, b) => compareKeys(order(a), order(b)));
    return { buckets: buckets.slice(0, query.limit), total: rows.length };
  }

  async byId(query: EventIdQuery): Promise<StoredEvent | undefined> {
    const [first] = this.tables
      .events()
      .filter((row) => row.event_id === query.eventId.toLowerCase() && this.shows(query, row))
      .sort((a, b) =>
        compareKeys(
          [a.ingested_at, a.stream, a.partition, a.offset],
          [b.ingested_at, b.stream, b.partition, b.offset],
        ),
      );
    return first && toStoredEvent(first);
  }

  async streams(query: StreamSummariesQuery): Promise<StreamSummary[]> {
    const summaries = new Map<string, StreamSummary & { first_timestamp: number; last_timestamp: number }>();
    for (const { stream, timestamp } of this.matching(query)) {
      const known = summaries.get(stream);
      summaries.set(stream, {
        stream,
        events: (known?.events ?? 0) + 1,
        first_timestamp: Math.min(timestamp, known?.first_timestamp ?? timestamp),
        last_timestamp: Math.max(timestamp, known?.last_timestamp ?? timestamp),
      });
    }
    const found = [...summaries.values()].sort((a, b) => compareUtf8(a.stream, b.stream));
    return found.map((summary) => ({ ...summary, stream: streamNameOf(summary.stream) }));
  }

  async entities(query: EntitySummariesQuery): Promise<CursorPage<EntitySummary>> {
    const binding = ['entities', query.stream ?? null];
    const after =
      query.cursor === undefined ? undefined : decodeCursor(binding, query.cursor, ['string', 'string']);
    const heads = new Map<string, EntitySummary>();
    for (const head of this.tables.heads()) {
      if (!this.shows(query, head) || (query.stream ?? head.stream) !== head.stream) continue;
      const { stream, entity_id } = head;
      const key = JSON.stringify([stream, entity_id]);
      const other = heads.get(key);
      heads.set(key, {
        stream,
        entity_id,
        version: Math.max(head.version, other?.version ?? 0),
        last_timestamp: Math.max(head.last_timestamp, other?.last_timestamp ?? head.last_timestamp),
      });
    }
    const order = (head: EntitySummary) => [head.stream, head.entity_id];
    const items = [...heads.values()]
      .filter((head) => !after || compareKeys(order(head), after) > 0)
      .sort((a, b) => compareKeys(order(a), order(b)));
    const page = pageOf(items, query.limit, (last) => encodeCursor(binding, order(last)));
    return { ...page, items: page.items.map((one) => ({ ...one, stream: streamNameOf(one.stream) })) };
  }

  async erasableDataOf(query: ScopedEntityReference): Promise<ErasableDataPresence> {
    const { stream, entityId } = query;
    const isIts = (entity: string | null) => entity === entityId;
    const isInIt = (row: { stream: string }) => row.stream === stream && this.shows(query, row);
    const rows = [...this.tables.events(), ...this.tables.heads()];
    return {
      events: rows.some((row) => isInIt(row) && isIts(row.entity_id)),
      deadLetters: this.tables
        .letters()
        .some((letter) => isInIt(letter) && isDeadLetterOf(letter, isIts, entityId)),
    };
  }

  async deadLetters(query: DeadLetterQuery): Promise<CursorPage<StoredDeadLetter> & { total: number }> {
    const { ids, source, since, until, replayed } = query;
    if (ids) assertDeadLetterIdsBounded(ids);
    const binding = [
      'dead_letters',
      ids ?? null,
      source ?? null,
      since ?? null,
      until ?? null,
      replayed ?? null,
    ];
    const types = ['number', 'string', 'string', 'number', 'number', 'string'] as const;
    const after = query.cursor === undefined ? undefined : decodeCursor(binding, query.cursor, types);
    const order = (letter: StoredDeadLetter) => [letter.created_at, ...deadLetterIdentity(letter)];
    const all = this.tables
      .letters()
      .filter((letter) => maySeeDeadLetter(query, letter))
      .filter((letter) => this.shows(query, letter) && within(letter.created_at, query))
      .map(({ streams: _, ...letter }) => ({
        ...letter,
        id: deadLetterId(letter),
        replayed_at: this.tables.replayedAt(letter),
      }))
      .filter((letter) => (ids?.includes(letter.id) ?? true) && (source ?? letter.source) === letter.source)
      .filter((letter) => replayed === undefined || replayed === (letter.replayed_at !== null))
      .sort((a, b) => compareKeys(order(b), order(a)));
    const shown = all.filter((letter) => !after || compareKeys(order(letter), after) < 0);
    const most = Math.min(query.limit, fitting(shown, query.maxBytes ?? Infinity));
    const page = pageOf(shown, most, (last) => encodeCursor(binding, order(last)));
    const items = page.items.map((letter) => ({ ...letter, stream: streamNameOf(letter.stream) }));
    return { ...page, items, total: all.length };
  }

  private shows(query: AuthorizationScope, row: { stream: string }): boolean {
    return isInScope(query, row) && !this.tables.dropped.has(row.stream);
  }

  private matching(filter: EventFilter): EventRow[] {
    return this.tables.events().filter((row) => this.matches(row, filter));
  }

  private matches(row: EventRow, filter: EventFilter): boolean {
    if (!this.shows(filter, row)) return false;
    if (filter.streams && !filter.streams.includes(row.stream)) return false;
    if (filter.eventTypes && !filter.eventTypes.includes(row.event_type)) return false;
    if (!row.event_type.startsWith(filter.eventTypePrefix ?? '')) return false;
    if (filter.entityIds && (row.entity_id === null || !filter.entityIds.includes(row.entity_id)))
      return false;
    if (!within(row.timestamp, filter)) return false;
    if (!filter.where) return true;
    if (!this.evaluate) {
      throw new UntranslatableExpressionError(
        'This store cannot evaluate a where condition.',
        filter.where.at,
      );
    }
    return this.evaluate(filter.where, toStoredEvent(row));
  }
}

/** Whether the authorization scope of a query includes the stream of a row. */
export function isInScope({ access, hidden }: AuthorizationScope, { stream }: { stream: string }): boolean {
  return permitsStream(access, stream) && !hidden?.includes(stream);
}

/**
 * Whether the authorization scope includes every stream that a dead letter can reveal. A caller with limited
 * access never sees a dead letter with an empty list of streams.
 */
function maySeeDeadLetter({ access }: AuthorizationScope, { stream, streams }: DeadLetter): boolean {
  if (access.patterns === undefined && access.reserved) return true;
  const byName = { ...access, patterns: access.patterns?.map(streamNameOf) };
  const names = streams ?? [streamNameOf(stream)];
  return names.length > 0 && names.every((one) => permitsStream(byName, one));
}

function within(time: number, { since, until }: { since?: number; until?: number }): boolean {
  return (since === undefined || time >= since) && (until === undefined || time < until);
}

function inRange({ stream, partition, offset }: EventRow, range: OffsetRange): boolean {
  const { from, until } = range;
  return stream === range.stream && partition === range.partition && offset >= from && offset < until;
}

function bucketOf(row: EventRow, query: EventCountQuery): StoredEventCountBucket {
  const width = (query.intervalSeconds ?? 0) * 1_000_000;
  const time = row[query.time ?? 'timestamp'];
  return {
    ...(width > 0 && { start: Math.floor(time / width) * width }),
    ...(query.bucketStarts && { start: query.bucketStarts.findLast((start) => start <= time) }),
    ...(query.groupBy && {
      group: query.groupBy === 'stream' ? streamNameOf(row.stream) : row[query.groupBy],
    }),
    count: 0,
  };
}

/** Returns the first `limit` items as a page, with a cursor for the next page if there are more items. */
export function pageOf<T>(items: T[], limit: number, cursor: (last: T) => string): CursorPage<T> {
  const shown = items.slice(0, limit);
  const last = shown.at(-1);
  return items.length > limit && last ? { items: shown, nextCursor: cursor(last) } : { items: shown };
}

function toStoredEvent(row: EventRow): StoredEvent {
  return {
    event_id: row.event_id,
    stream: streamNameOf(row.stream),
    event_type: row.event_type,
    entity_id: row.entity_id,
    version: row.version,
    timestamp: formatTime(row.timestamp),
    ingested_at: formatTime(row.ingested_at),
    data: row.data,
    metadata: row.metadata,
    schema_version: row.schema_version,
    partition: row.partition,
    offset: row.offset,
  };
}

/** @throws QueryTooExpensiveError for rows of more than `maxBytes` */
function requireWithin(maxBytes: number | undefined, rows: readonly EventRow[]): void {
  const bytes = rows.reduce((sum, { data, metadata }) => sum + data.length + metadata.length, 0);
  if (bytes > (maxBytes ?? Infinity)) throw new QueryTooExpensiveError('The answer is larger than allowed.');
}

/** Number of leading dead letters whose events fit in `maxBytes`, at least one. */
function fitting(letters: readonly DeadLetter[], maxBytes: number): number {
  let bytes = 0;
  const beyond = letters.findIndex(({ event }) => (bytes += Buffer.byteLength(event)) > maxBytes);
  return beyond < 0 ? letters.length : Math.max(1, beyond);
}
