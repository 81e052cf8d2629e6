import type { Time } from './json.js';
import type { WaitFor } from './event.js';

/** One entity of one stream. */
export interface EntityAddress {
  stream: string;
  entity_id: string;
}

export interface StateQuery extends EntityAddress, WaitFor {
  /** Requests the state of the events up to this time. */
  as_of?: Time;
}

export interface Entity extends EntityAddress {
  version: number;
  last_timestamp: string;
}

/** The result of an erasure. */
export interface Erasure extends EntityAddress {
  events_erased: number;
  /** Events in flight are still to be removed. */
  pending: boolean;
  erased_at: string;
}
