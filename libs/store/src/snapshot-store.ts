import type { Micros } from '#event';
import type { EntityQuery, Page, Permitted } from './questions.js';

/** An event, told from every other of its stream. A topic that is made anew counts its offsets from 0 again. */
export interface EventPlace {
  partition: number;
  offset: number;
  timestamp: Micros;
  ingested_at: Micros;
}

/** One event of an entity, as far as its state goes. */
export interface HistoryEvent extends EventPlace {
  version: number;
  /** Raw JSON text of an object. */
  data: string;
}

export type SnapshotReason = 'automatic' | 'requested';

/** What an entity was like after its event of a version. */
export interface EntitySnapshot {
  stream: string;
  entity_id: string;
  version: number;
  /** The first event in it. */
  first: EventPlace;
  /** The event of its version. */
  last: EventPlace;
  /** The greatest timestamp of all events in it. */
  latest_timestamp: Micros;
  created_at: Micros;
  reason: SnapshotReason;
  /** Raw JSON text of an object. */
  state: string;
}

export interface EntityTimeQuery extends EntityQuery {
  /** Only events whose timestamp is not later; undefined is all of them. */
  asOf?: Micros;
}

/** Of the events of an entity that are stored: the least and the greatest version. */
export interface VersionSpan {
  first: number;
  last: number;
}

export interface HistoryQuery extends EntityTimeQuery {
  /** Only greater versions. */
  after: number;
  /** Only versions up to this one, inclusive; at most `maxHistory` after `after`. */
  upTo: number;
}

/** Versions that one question for a history may span. */
export const maxHistory = 16_384;

export interface NearestSnapshotQuery extends EntityTimeQuery {
  /** Only snapshots of this version or a lesser one. */
  upTo: number;
}

export interface SnapshotsQuery extends Permitted {
  stream?: string;
  entityId?: string;
  limit: number;
  cursor?: string;
}

/**
 * Snapshots and what they are made of. A snapshot whose first or last event is not stored any more is in no answer:
 * what a retention or an erasure has taken away does not live on in a state, whoever wrote it when.
 *
 * All throw @throws QueryTooExpensiveError @throws StoreUnavailableError
 */
export interface SnapshotReader {
  /** Undefined where there is no such event. */
  span(query: EntityTimeQuery, signal?: AbortSignal): Promise<VersionSpan | undefined>;
  /** By version, each once; of several events with one version (a removal is under way) the newest. */
  history(query: HistoryQuery, signal?: AbortSignal): Promise<HistoryEvent[]>;
  /** The one with the greatest version, of those of which all events are within `asOf`. */
  nearest(query: NearestSnapshotQuery, signal?: AbortSignal): Promise<EntitySnapshot | undefined>;
  /**
   * Newest first. A page ends before its limit where its states are large. `total` counts those that are kept.
   * @throws InvalidCursorError
   */
  snapshots(query: SnapshotsQuery, signal?: AbortSignal): Promise<Page<EntitySnapshot> & { total: number }>;
}

/** All can be repeated. @throws StoreUnavailableError @throws StoreRefusedError */
export interface SnapshotWriter {
  /** One of the same version and last event is replaced. */
  save(snapshot: EntitySnapshot): Promise<void>;
  /** Removes those of this entity that count no more: somebody was late to write them. */
  removeStale(entity: { stream: string; entityId: string }): Promise<void>;
}

export interface SnapshotStore extends SnapshotReader, SnapshotWriter {}

/** Bytes of states on one page of snapshots, if it has more than one. */
export const snapshotPageBytes = 16 * 1024 * 1024;
