import type { ExpressionTree } from '#cel';
import type { EpochMicros } from '#json';
import type { StreamAccess } from '#api';

/** The streams whose data the answer to a store query may contain, whatever else the query asks for. */
export interface AuthorizationScope {
  access: StreamAccess;
  /** Ids of streams that are being deleted: no answer contains their data, whatever the caller's access. */
  hidden?: readonly string[];
}

/** Conditions for stored events. An event must meet all given conditions; the values of one list are alternatives. */
export interface EventFilter extends AuthorizationScope {
  streams?: readonly string[];
  eventTypes?: readonly string[];
  eventTypePrefix?: string;
  entityIds?: readonly string[];
  /** The filter selects only events with a timestamp at or after this time. */
  since?: EpochMicros;
  /** The filter selects only events with a timestamp before this time. */
  until?: EpochMicros;
  where?: ExpressionTree;
}

/** One page of a paged list, with the cursor of the next page unless it is the last one. */
export interface CursorPage<T> {
  items: T[];
  /** Cursor of the next page; absent on the last page. */
  nextCursor?: string;
}

/** Names one entity of one stream (by the stream's id), with the authorization scope of the query. */
export interface ScopedEntityReference extends AuthorizationScope {
  stream: string;
  entityId: string;
}
