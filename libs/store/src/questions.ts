import type { Expression } from '#cel';
import type { Micros } from '#event';
import type { StreamAccess } from '#api';

/** What the asker of a question may see: an answer holds nothing of other streams, whatever the question says. */
export interface Permitted {
  access: StreamAccess;
  /** Streams that nobody sees, whatever the access: those that are being deleted. */
  hidden?: readonly string[];
}

/** Which events. All conditions hold together; values of one list are alternatives. */
export interface EventFilter extends Permitted {
  streams?: readonly string[];
  eventTypes?: readonly string[];
  eventTypePrefix?: string;
  entityIds?: readonly string[];
  /** Inclusive. */
  since?: Micros;
  /** Exclusive. */
  until?: Micros;
  where?: Expression;
}

export interface Page<T> {
  items: T[];
  /** Set when there is more. */
  nextCursor?: string;
}

export interface EntityQuery extends Permitted {
  stream: string;
  entityId: string;
}
