import type { Micros } from '#event';

/** All events of one entity in one stream up to an end of its log. */
export interface EntityErasure {
  /** Its id. */
  stream: string;
  /** SHA-256 (hex, lower case) of the stream's name, a zero byte and the entity's id: all that a tombstone knows of it. */
  entityHash: string;
  /**
   * The entity's id, where it is known. With it nothing is missed that only one of the tables has, and dead letters that
   * are not JSON are erased, too, when they hold the id.
   */
  entityId?: string;
  /** By partition: what is below this offset goes. Partitions that are not named keep everything. */
  before: Readonly<Record<string, number>>;
}

/**
 * Takes out of the store what must not be there any more. What is removed is in no answer from the moment on in which a
 * removal resolves; counts, streams and entities agree with it. A removal can be repeated: it finishes what an earlier
 * one left, and does nothing where nothing is left. Removals of one process run one after the other.
 *
 * All throw StoreUnavailableError when they should be tried again: the store is down, slow or read-only, or too many
 * removals are under way. Where a number comes back, it is that of the events that were found.
 */
export interface EventEraser {
  /**
   * Nothing of the entity is left: no event, no dead letter, and no last version, so that versions start at 1 again.
   * Whoever writes sees to it that what is erased is not written again, and has written everything else below `before`.
   */
  eraseEntity(erasure: EntityErasure): Promise<number>;
  /** How many events `eraseEntity` would find now; `entityId` must be given. */
  countEntity(erasure: EntityErasure & { entityId: string }): Promise<number>;
  /** Events that were ingested before a time, and dead letters of that age. Entities keep their last version. */
  expire(query: { stream: string; before: Micros }): Promise<number>;
  /** Events of a partition below an offset, and dead letters of these. Entities keep their last version. */
  truncate(query: { stream: string; partition: number; before: number }): Promise<number>;
  /**
   * Everything of the stream with this id, for ever: what is written of it later is in no answer that does not name it, and
   * goes with `removeLate`.
   */
  dropStream(stream: string): Promise<void>;
  /** Removes what was written of dropped streams since. Resolves with how many streams there were, up to 100. */
  removeLate(): Promise<number>;
  /**
   * Starts to write anew what still holds removed rows on disk. Without it they go when ClickHouse happens to merge their
   * parts. It costs as much as these parts are large, so once an hour or a day is often enough: until then more comes
   * together. Resolves when it has been started, or is under way already.
   */
  purge(): Promise<void>;
}
