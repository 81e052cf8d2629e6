import type { Expression } from '#cel';
import type { EpochMicros } from '#event';
import type { StreamAccess } from '#api';

/**
 * The authorization scope of a query: an answer contains nothing of other streams, whatever else the query
 * asks for.
 */
export interface AuthorizationScope {
  access: StreamAccess;
  /** Streams that no caller sees, whatever its access: the streams that are being deleted. */
  hidden?: readonly string[];
}

/** A filter for events. All conditions must match; the values of one list are alternatives. */
export interface EventFilter extends AuthorizationScope {
  streams?: readonly string[];
  eventTypes?: readonly string[];
  eventTypePrefix?: string;
  entityIds?: readonly string[];
  /** Only events with a timestamp at or after this time. */
  since?: EpochMicros;
  /** Only events with a timestamp before this time. */
  until?: EpochMicros;
  where?: Expression;
}

/** One page of a list, with a cursor for the next page. */
export interface Page<T> {
  items: T[];
  /** Cursor of the next page; absent on the last page. */
  nextCursor?: string;
}

/** A query for one entity of one stream. */
export interface EntityQuery extends AuthorizationScope {
  stream: string;
  entityId: string;
}
