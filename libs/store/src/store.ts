import type { Micros, StoredEvent } from '#event';
import type { EventBlock } from './blocks/event-block.js';
import type { EventEraser } from './event-eraser.js';
import type { EventRow } from './blocks/event-row.js';
import type { LogOrderPage, LogOrderQuery, OffsetRange, StoredIdsQuery } from './log-order.js';
import type { LetterStep } from './letter-step.js';
import type { EntityQuery, EventFilter, Page, Permitted } from './questions.js';
import type { SnapshotStore } from './snapshot-store.js';
import type { KeyedStateReader, KeyedStateWriter } from './keyed-state-store.js';

export type { EntityErasure, EventEraser } from './event-eraser.js';
export type { EntityQuery, EventFilter, Page, Permitted } from './questions.js';
export type { EventRow };
export {
  maxOffsetRanges,
  maxRangeOffsets,
  maxStoredIds,
  type LogOrderPage,
  type LogOrderQuery,
  type OffsetRange,
  type StoredIdsQuery,
} from './log-order.js';

/**
 * The store: what has been materialized, for queries. ClickHouse stands behind it in production; a twin in memory
 * passes the same contract suite. `stream` is a stream's id in all that goes in, and its name in all that is read.
 */

/** A record that could not become an event, or an event that could not go on. (source, stream, partition, offset, step) is its identity. */
export interface DeadLetter {
  /** Who gave up on it: `materializer` or `projection:<name>` or `pipeline:<name>`. */
  source: string;
  stream: string;
  partition: number;
  offset: number;
  /** Of a letter of a pipeline. */
  step?: LetterStep;
  /** A stable word: `unreadable`, `refused_by_store`. */
  reason: string;
  /** What exactly went wrong. */
  error: string;
  /** The record's value, UTF-8 where it is that, else base64 with the prefix `base64:`. */
  event: string;
  created_at: Micros;
  /**
   * Names of the streams whose events can show in the letter, its own among them: who may not see one of them does not see
   * the letter. Default: the name of `stream` alone. They are stored, and are not read back.
   */
  streams?: readonly string[];
}

export interface StoredIdentity {
  offset: number;
  /** In lower case. */
  event_id: string;
}

/** What a materializer needs. All writes are idempotent: writing the same rows again changes nothing that is read. */
export interface EventWriter {
  /**
   * Writes the rows of the blocks to every table at once. `token` names the batch: the same token with the same rows is
   * dropped, unless some of them have been removed in between.
   * @throws StoreUnavailableError when it should be tried again (down, slow, read-only, too many parts, disk full).
   * @throws StoreRefusedError when ClickHouse will never take these rows.
   */
  appendBlocks(blocks: readonly EventBlock[], token: string): Promise<void>;
  appendDeadLetters(letters: readonly DeadLetter[]): Promise<void>;
  /**
   * Says that these letters were replayed. The mark stays when a letter is written again as it was; ids of which there is
   * no letter are passed over. @param ids At most `maxDeadLetterIds`.
   */
  markReplayed(ids: readonly string[], at: Micros): Promise<void>;
  /** The greatest offset of a partition that was ever stored, or undefined when there is none. */
  lastStored(stream: string, partition: number): Promise<number | undefined>;
  /**
   * Which events of a range are stored already, in every table, by offset. Several have the same offset when the
   * topic was made anew: an offset alone does not say that an event is stored.
   * @param range Of at most `maxRangeOffsets`.
   */
  stored(range: OffsetRange): Promise<StoredIdentity[]>;
  /**
   * The last stored version of each entity counting only events below `before` (the partition's offset), and only those
   * from `from` on; entities without one are left out.
   */
  versions(query: {
    stream: string;
    partition: number;
    entityIds: readonly string[];
    before: number;
    /** What is below it was erased, and may be stored still. */
    from?: number;
  }): Promise<Map<string, number>>;
}

export interface EventQuery extends EventFilter {
  order: 'asc' | 'desc';
  limit: number;
  cursor?: string;
}

export interface CountQuery extends EventFilter {
  groupBy?: 'stream' | 'event_type' | 'entity_id';
  /** Seconds of one bucket. */
  intervalSeconds?: number;
  limit: number;
}

export interface CountBucket {
  start?: Micros;
  group?: string | null;
  count: number;
}

/** A stream of which there are events. */
export interface StreamSummary {
  stream: string;
  events: number;
  first_timestamp: Micros | null;
  last_timestamp: Micros | null;
}

/** The head of an entity. It outlives the entity's events where these are past their retention: versions go on from it. */
export interface EntitySummary {
  stream: string;
  entity_id: string;
  version: number;
  last_timestamp: Micros;
}

export interface EventIdQuery extends Permitted {
  eventId: string;
}

export interface StreamsQuery extends Permitted {
  /** Undefined is all. */
  streams?: readonly string[];
}

export interface EntitiesQuery extends Permitted {
  stream?: string;
  limit: number;
  cursor?: string;
}

export interface EntityTraces {
  /** There are events, or a head that has outlived them. */
  events: boolean;
  deadLetters: boolean;
}

/** Dead letters that one question can name. */
export const maxDeadLetterIds = 500;

/** A letter as it is found. */
export interface FoundDeadLetter extends Omit<DeadLetter, 'streams'> {
  id: string;
  /** When it was last replayed. */
  replayed_at: Micros | null;
}

export interface DeadLetterQuery extends Permitted {
  /** At most `maxDeadLetterIds`; what is no id names no letter. */
  ids?: readonly string[];
  source?: string;
  /** Whether it was replayed; undefined is both. */
  replayed?: boolean;
  since?: Micros;
  until?: Micros;
  limit: number;
  /** Bytes of the records of a page at most; the first letter comes whatever its size. */
  maxBytes?: number;
  cursor?: string;
}

/**
 * What the gateway needs. No answer ever shows an event twice, before or after merges. A cursor is a place in an order
 * and nothing more: the access is applied to each page anew, so it is no part of what a cursor is bound to.
 */
export interface EventReader {
  /** @throws InvalidCursorError @throws UntranslatableExpressionError @throws QueryTooExpensiveError @throws StoreUnavailableError */
  query(query: EventQuery, signal?: AbortSignal): Promise<Page<StoredEvent>>;
  /**
   * Events in the log's order, for whoever follows the log. A page is as long as its limit while there is more.
   * @throws UntranslatableExpressionError @throws QueryTooExpensiveError @throws StoreUnavailableError
   */
  inLogOrder(query: LogOrderQuery, signal?: AbortSignal): Promise<LogOrderPage>;
  /** Those of the ids that are stored in the ranges. @throws StoreUnavailableError */
  storedIds(query: StoredIdsQuery, signal?: AbortSignal): Promise<string[]>;
  /** Buckets by start, then group; without either, one bucket that is everything, or none when nothing matches. */
  count(query: CountQuery, signal?: AbortSignal): Promise<{ buckets: CountBucket[]; total: number }>;
  byId(query: EventIdQuery, signal?: AbortSignal): Promise<StoredEvent | undefined>;
  streams(query: StreamsQuery, signal?: AbortSignal): Promise<StreamSummary[]>;
  entities(query: EntitiesQuery, signal?: AbortSignal): Promise<Page<EntitySummary>>;
  /** What there is of an entity that an erasure takes away. */
  tracesOf(query: EntityQuery, signal?: AbortSignal): Promise<EntityTraces>;
  deadLetters(
    query: DeadLetterQuery,
    signal?: AbortSignal,
  ): Promise<Page<FoundDeadLetter> & { total: number }>;
}

/** A disk that the store keeps its data on. Object storage, which has no end, is none. */
export interface StoreDisk {
  disk: string;
  freeBytes: number;
  sizeBytes: number;
}

export interface StoreTable {
  table: string;
  rows: number;
  /** On disk. */
  bytes: number;
  /** Pieces that it is kept in: too many are slow. */
  parts: number;
}

/** How much room there is, and what takes it. */
export interface StoreUsage {
  disks: StoreDisk[];
  tables: StoreTable[];
}

export interface Store {
  readonly writer: EventWriter;
  readonly reader: EventReader;
  readonly eraser: EventEraser;
  readonly snapshots: SnapshotStore;
  readonly projections: KeyedStateWriter & KeyedStateReader;
  readonly pipelines: KeyedStateWriter & KeyedStateReader;
  /** Applies the migrations that are missing. Safe to run by several processes at once. */
  migrate(): Promise<void>;
  /** Resolves when the store answers. @throws StoreUnavailableError */
  ping(): Promise<void>;
  /** For whoever watches it. @throws StoreUnavailableError */
  usage(): Promise<StoreUsage>;
  close(): Promise<void>;
}
