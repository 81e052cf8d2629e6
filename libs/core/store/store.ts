import type { ExpressionTree } from '#cel';
import type { EpochMicros } from '#json';
import type { StoredEvent } from '#event';
import type { EventRowBatch } from './row-batch/event-row-batch.js';
import type { ScrubPassStore } from './scrub-passes.js';
import type { EventRemover } from './event-remover.js';
import type { EventRow } from './row-batch/event-row.js';
import type {
  EventsOfPartition,
  LogOrderPage,
  LogOrderQuery,
  OffsetRange,
  StoredEventIdsQuery,
} from './log-order.js';
import type { PipelineFailureLocation } from './pipeline-failure-location.js';
import type { ScopedEntityReference, EventFilter, CursorPage, AuthorizationScope } from './query-types.js';
import type { ScrubbedEvent, ScrubReader } from './scrub-reader.js';
import type { KeyedHistoryReader, KeyedStateReader, KeyedStateStore } from './keyed-state-store.js';

export type { EntityErasure, EventRemover } from './event-remover.js';
export type { ScopedEntityReference, EventFilter, CursorPage, AuthorizationScope } from './query-types.js';
export type { EventRow };
export {
  maxEventsOfPartition,
  maxIdOffsets,
  maxOffsetRanges,
  maxRangeOffsets,
  maxStoredIds,
  type LogOrderPage,
  type EventsOfPartition,
  type LogOrderQuery,
  type OffsetAndEventId,
  type OffsetRange,
  type StoredEventIdsQuery,
} from './log-order.js';

/** A record or an event that could not be processed. (source, stream, partition, offset, step) identifies it. */
export interface DeadLetter {
  /** The component that failed: `materializer`, `projection:<name>` or `pipeline:<name>`. */
  source: string;
  stream: string;
  partition: number;
  offset: number;
  /** Where in the pipeline the event failed; only for a dead letter from a pipeline. */
  step?: PipelineFailureLocation;
  /** Stable code of the reason for the dead letter, such as `unreadable` or `refused_by_store`. */
  reason: string;
  /** A sentence that explains the reason in detail. */
  error: string;
  /** The value of the Kafka record as text if it is valid UTF-8, otherwise as base64 with the prefix `base64:`. */
  event: string;
  created_at: EpochMicros;
  /**
   * Names of all streams whose data the dead letter can reveal: only a caller that may see all of them sees it. Default:
   * the name of `stream`. Not returned by queries.
   */
  streams?: readonly string[];
}

/** The shard of a partition: an outage of another shard does not affect its rows. */
export interface PartitionShard {
  /** From 0. */
  shard: number;
  /** Number of shards of the store. */
  shards: number;
}

/**
 * Writes events and dead letters, and looks up which events are stored, for a materializer. All writes are idempotent:
 * writing the same rows again does not change any answer.
 */
export interface EventWriter {
  /**
   * Writes the rows of the batches to all tables at once. `token` identifies the insert: a second insert with
   * the same token is ignored, perhaps even if some of the rows have been removed in between.
   * @throws StoreUnavailableError when a retry may succeed (down, slow, read-only, too many parts, disk full)
   * @throws RowsRejectedError when ClickHouse rejects the rows permanently
   */
  appendRowBatches(batches: readonly EventRowBatch[], token: string): Promise<void>;
  appendDeadLetters(deadLetters: readonly DeadLetter[]): Promise<void>;
  /**
   * Marks at most `maxDeadLetterIds` dead letters as replayed, and ignores other ids. The mark remains when a dead letter
   * is written again unchanged.
   */
  markReplayed(ids: readonly string[], at: EpochMicros): Promise<void>;
  /**
   * Returns the shard that has the rows of a partition. The first call for a stream writes down over how many shards it is spread.
   * @throws StoreUnavailableError
   */
  shardOf(stream: string, partition: number): Promise<PartitionShard>;
  /** Returns the greatest offset of a partition that was ever stored, even if its event was removed since. */
  lastStoredOffset(stream: string, partition: number): Promise<number | undefined>;
  /**
   * Returns the events of an offset range of which a table has a row, ordered by offset. An interrupted insert or removal can
   * have reached only some of the tables: such an event is not complete. Several events can have the same offset after the topic
   * was recreated or has lost its end: an offset alone does not prove that an event is stored.
   * @param range At most `maxRangeOffsets` offsets.
   */
  storedEvents(range: OffsetRange): Promise<ScrubbedEvent[]>;
  /** Returns the number of stored events of a partition from an offset on; an event can count several times. */
  countFrom(query: Pick<OffsetRange, 'stream' | 'partition' | 'from'>): Promise<number>;
  /**
   * Returns these events of a partition, ordered by offset, each once; those that are not stored are missing.
   * @param query At most `maxEventsOfPartition` events.
   */
  eventsAt(query: EventsOfPartition): Promise<EventRow[]>;
  /**
   * Returns the latest version of each entity that has events at offsets from `from` up to, but not including, `before`,
   * counting only these events.
   */
  latestVersions(query: {
    stream: string;
    partition: number;
    entityIds: readonly string[];
    before: number;
    /** Events below this offset were erased and may still be stored. */
    from?: number;
  }): Promise<Map<string, number>>;
  /** Returns the version of each stored event of a partition, by event id; null for an event without an entity. */
  versionsOf(
    query: Pick<OffsetRange, 'stream' | 'partition'> & { eventIds: readonly string[] },
  ): Promise<Map<string, number | null>>;
  /** Returns the offsets of stored events in an offset range, by event id. */
  offsetsOf(query: OffsetRange & { eventIds: readonly string[] }): Promise<Map<string, number[]>>;
  /**
   * Returns the ids of the events in a range of at most `maxIdOffsets` offsets, in any order, each as four 32-bit words,
   * the most significant first. An id can be returned twice.
   */
  idsIn(range: OffsetRange): Promise<Uint32Array>;
}

/** A query for one page of events, ordered by timestamp. */
export interface EventQuery extends EventFilter {
  order: 'asc' | 'desc';
  limit: number;
  /** Limit in bytes on the rows of the page and the one after them; a larger page fails with QueryTooExpensiveError. */
  maxBytes?: number;
  cursor?: string;
}

/** A query that counts events, optionally grouped and by time bucket. */
export interface EventCountQuery extends EventFilter {
  groupBy?: 'stream' | 'event_type' | 'entity_id';
  /** Width of a time bucket in seconds. */
  intervalSeconds?: number;
  /** The start of each time bucket instead, in ascending order, of which the first is at or before `since`. */
  bucketStarts?: readonly EpochMicros[];
  /** The time that `since`, `until` and the buckets refer to; default: `timestamp`. */
  time?: EventTimeName;
  /** Numbers of the events of each bucket, whose quantiles are estimated. */
  quantiles?: QuantileQuery;
  limit: number;
}

/** Quantiles of the numbers that an expression gives; events for which it gives none are left out. */
export interface QuantileQuery {
  value: ExpressionTree;
  /** Numbers from 0 to 1. Of n numbers in ascending order, the quantile p is the one of rank floor(p * (n - 1)). */
  probabilities: readonly number[];
  bins: LogarithmicBins;
}

/** Bins of the same relative width for the magnitudes of numbers: the index is `ceil(log2(magnitude) * perDoubling)`. */
export interface LogarithmicBins {
  perDoubling: number;
  /** Magnitudes up to this one count as zero. */
  zeroMagnitude: number;
  /** The number of successive bins of each sign. Lower ones collapse into the lowest of these. */
  most: number;
}

/** The bin of a number: the sign of the number, and the index of its magnitude; the index of zero is 0. */
export interface SignedBin {
  sign: -1 | 0 | 1;
  index: number;
}

/** Names of the times of an event: when it happened, and when Tributary accepted it. */
export const eventTimeNames = ['timestamp', 'ingested_at'] as const;
/** Name of a time of an event. */
export type EventTimeName = (typeof eventTimeNames)[number];

/** The number of matching events in one time bucket and one group, such as one event type. */
export interface StoredEventCountBucket {
  start?: EpochMicros;
  group?: string | null;
  count: number;
  /** The bin of each quantile, in the order of the probabilities; null if no event has a number. */
  quantiles?: readonly (SignedBin | null)[];
}

/** A stream with its number of stored events and their first and last timestamp. */
export interface StreamSummary {
  stream: string;
  events: number;
  first_timestamp: EpochMicros | null;
  last_timestamp: EpochMicros | null;
}

/** An entity with its latest version. New events continue from it, even after retention removed all events. */
export interface EntitySummary {
  stream: string;
  entity_id: string;
  version: number;
  last_timestamp: EpochMicros;
}

/** A query for the stored event with this event id. */
export interface EventIdQuery extends AuthorizationScope {
  eventId: string;
}

/** A query for the number of events and the first and last timestamp of each stream. */
export interface StreamSummariesQuery extends AuthorizationScope {
  /** Only these streams (ids); undefined means all streams. */
  streams?: readonly string[];
}

/** A query for one page of entities, ordered by stream and id. */
export interface EntitySummariesQuery extends AuthorizationScope {
  stream?: string;
  limit: number;
  cursor?: string;
}

/** Whether the store has data of an entity that an erasure would remove. */
export interface ErasableDataPresence {
  /** True if the entity has events, or a latest version that outlived its events. */
  events: boolean;
  deadLetters: boolean;
}

/** Maximum number of dead letter ids in one call of `deadLetters` or `markReplayed`. */
export const maxDeadLetterIds = 500;

/** A dead letter as a query returns it. */
export interface StoredDeadLetter extends Omit<DeadLetter, 'streams'> {
  id: string;
  /** Time of the last replay; null if it was never replayed. */
  replayed_at: EpochMicros | null;
}

/** A query for one page of dead letters, newest first. */
export interface DeadLetterQuery extends AuthorizationScope {
  /** At most `maxDeadLetterIds`; a malformed id matches no dead letter. */
  ids?: readonly string[];
  source?: string;
  /** True selects only dead letters that were replayed, false only those that were not; undefined selects both. */
  replayed?: boolean;
  since?: EpochMicros;
  until?: EpochMicros;
  limit: number;
  /** Limit in bytes on the records of a page; the first dead letter is returned whatever its size. */
  maxBytes?: number;
  cursor?: string;
}

/**
 * Answers queries for events, counts, streams, entities and dead letters, for the gateway. No answer contains an event
 * twice, before or after ClickHouse merges parts. A cursor is only a position in an order: each page applies the
 * caller's access again, so the access is not bound into the cursor.
 */
export interface EventReader {
  /** @throws InvalidCursorError @throws UntranslatableExpressionError @throws QueryTooExpensiveError @throws StoreUnavailableError */
  query(query: EventQuery, signal?: AbortSignal): Promise<CursorPage<StoredEvent>>;
  /**
   * Returns events in log order, for readers that follow the log. A page reaches its limit as long as there
   * are more events.
   * @throws UntranslatableExpressionError @throws QueryTooExpensiveError @throws StoreUnavailableError
   */
  inLogOrder(query: LogOrderQuery, signal?: AbortSignal): Promise<LogOrderPage>;
  /** Returns those of the event ids that are stored in the offset ranges. @throws StoreUnavailableError */
  storedIds(query: StoredEventIdsQuery, signal?: AbortSignal): Promise<string[]>;
  /**
   * Returns buckets ordered by start, then by group. A query without interval and group returns one bucket
   * with all events, or no bucket if nothing matches.
   */
  count(
    query: EventCountQuery,
    signal?: AbortSignal,
  ): Promise<{ buckets: StoredEventCountBucket[]; total: number }>;
  byId(query: EventIdQuery, signal?: AbortSignal): Promise<StoredEvent | undefined>;
  streams(query: StreamSummariesQuery, signal?: AbortSignal): Promise<StreamSummary[]>;
  entities(query: EntitySummariesQuery, signal?: AbortSignal): Promise<CursorPage<EntitySummary>>;
  /** Returns which kinds of stored data of the entity an erasure would remove. */
  erasableDataOf(query: ScopedEntityReference, signal?: AbortSignal): Promise<ErasableDataPresence>;
  deadLetters(
    query: DeadLetterQuery,
    signal?: AbortSignal,
  ): Promise<CursorPage<StoredDeadLetter> & { total: number }>;
}

/**
 * Free space and size of each ClickHouse disk with a fixed size; rows, bytes on disk and active parts of each table, and the
 * parts that queries do not read because ClickHouse found them damaged, or somebody detached them.
 */
export interface StoreUsage {
  disks: { disk: string; freeBytes: number; sizeBytes: number }[];
  tables: { table: string; rows: number; bytes: number; parts: number; detachedParts: number }[];
  /** How often ClickHouse has found damaged parts since its start, by the name of its error. */
  damageErrors: { error: string; count: number }[];
}

/** What `ping` reports: undefined if all servers answer, otherwise what an operator must bring back although the store works. */
export type StoreHealth = { status: 'degraded'; servers_missing: string[] } | undefined;

/**
 * The store: materialized events for queries. ClickHouse implements it in production; an in-memory fake
 * passes the same contract suite. `stream` is a stream's id in all inputs, and its name in all results.
 */
export interface Store {
  readonly writer: EventWriter;
  readonly reader: EventReader;
  /** Reads the shards that answer, and leaves out the others. Only a store of several shards has it. */
  readonly partialReader?: EventReader;
  readonly eraser: EventRemover;
  readonly scrubPasses: ScrubPassStore;
  /** What the scrub of the materializer compares with the log. */
  readonly scrub: ScrubReader;
  /** States of projections. Their results have the same owners: a removal removes both. */
  readonly projections: KeyedStateStore & KeyedStateReader & KeyedHistoryReader;
  /** Results of projections for analysts' SQL: a row for each key, and checkpoints up to which they are complete. */
  readonly projectionResults: KeyedStateStore & KeyedStateReader;
  readonly pipelines: KeyedStateStore & KeyedStateReader;
  /** Applies the missing migrations. Several processes may run this at the same time. */
  migrate(): Promise<void>;
  /** Resolves when ClickHouse answers a trivial query. @throws StoreUnavailableError */
  ping(): Promise<StoreHealth>;
  /** Disk and table sizes, for monitoring. @throws StoreUnavailableError */
  usage(): Promise<StoreUsage>;
  close(): Promise<void>;
}
