import type { EventsOfPartition } from './log-order.js';
import type { EpochMicros } from '#json';

/** The erasure of one entity of one stream, up to an offset of each partition. */
export interface EntityErasure {
  /** The id of the stream that contains the entity. */
  stream: string;
  /** SHA-256 (hex, lower case) of the stream's name, a zero byte and the entity's id, as in a tombstone. */
  entityHash: string;
  /** With the id, the erasure also finds rows that only one table has, and dead letters that are not JSON. */
  entityId?: string;
  /** The offset of each partition below which events are erased. Other partitions keep their events. */
  before: Readonly<Record<string, number>>;
}

/**
 * Removes events and the rows derived from them. Once a removal resolves, no answer contains the removed events;
 * counts, streams and entities agree with that. A removal can be repeated: a repeat completes an interrupted removal,
 * and does nothing when nothing is left to remove. Within one process, removals run one after the other.
 *
 * All methods throw StoreUnavailableError when the caller should retry: the store is down, slow or read-only, or too
 * many removals are pending. A returned number counts the events found, unless the method says otherwise.
 */
export interface EventRemover {
  /**
   * Removes the entity's events and dead letters that are stored below the offsets in `before`, and its snapshots that
   * begin with such an event. Afterwards the entity's latest version is that of its remaining events; an entity without
   * any starts at version 1 again. The caller first writes a tombstone, so that the materializer skips erased events
   * that it has not stored yet.
   */
  eraseEntity(erasure: EntityErasure): Promise<number>;
  /** Returns the number of stored events that `eraseEntity` would remove now; requires `entityId`. */
  countEntity(erasure: EntityErasure & { entityId: string }): Promise<number>;
  /**
   * Removes the events of a stream that were ingested before a time, the snapshots that begin with such an event, and
   * dead letters created before that time. The latest version of each entity remains.
   */
  expire(query: { stream: string; before: EpochMicros }): Promise<number>;
  /**
   * Removes the events and dead letters of a partition below an offset, and the snapshots that begin with such an
   * event. The latest version of each entity remains.
   */
  truncate(query: { stream: string; partition: number; before: number }): Promise<number>;
  /**
   * Removes these events, whose records Kafka has lost, after they were written to Kafka again. Their offsets count as
   * never stored, and each entity's latest version is that of its remaining events. Removing them again does nothing.
   * @param lost At most `maxEventsOfPartition` events.
   */
  removeLost(lost: EventsOfPartition): Promise<void>;
  /**
   * Prepares the offsets of a partition from `from` on for other records, after Kafka has lost those that had them: events
   * that are written there count, even if an event was removed at the same offset before, and snapshots that contain an
   * event at such an offset are removed.
   */
  reuseOffsets(query: { stream: string; partition: number; from: number }): Promise<void>;
  /**
   * Removes all rows of the stream with this id. Rows of the stream that are written later appear only in answers to
   * queries that name the stream; `removeLateRows` removes them.
   */
  dropStream(stream: string): Promise<void>;
  /**
   * Removes rows that were written for dropped streams after the drop. Returns the number of streams with
   * such rows, 100 at most.
   */
  removeLateRows(): Promise<number>;
  /**
   * Starts a rewrite of the data parts that still contain removed rows on disk. Without a purge, the rows
   * leave the disk when ClickHouse merges the parts. The cost is proportional to the size of the parts, and
   * one purge covers all removals since the last one: once an hour or a day is enough. Resolves when the
   * rewrite has been started or is already in progress.
   */
  purge(): Promise<void>;
}
