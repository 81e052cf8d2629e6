import type { Time } from './json.js';
import type { WaitFor } from './event.js';

/** One entity of one stream. */
export interface EntityAddress {
  stream: string;
  entity_id: string;
}

export interface StateQuery extends EntityAddress, WaitFor {
  /** The state that the events had made by then. */
  as_of?: Time;
}

export interface Entity extends EntityAddress {
  version: number;
  last_timestamp: string;
}

/** What an erasure took away. */
export interface Erasure extends EntityAddress {
  events_erased: number;
  /** Events that were on their way are still to be removed. */
  pending: boolean;
  erased_at: string;
}
