import type { Time } from './json.js';
import type { WaitForPositions } from './event.js';

/** One entity of one stream. */
export interface EntityAddress {
  stream: string;
  entity_id: string;
}

/** The entity whose state to read, and as of which time. */
export interface EntityStateQuery extends EntityAddress, WaitForPositions {
  /** Requests the state of the events up to this time. */
  as_of?: Time;
}

/** An entity in a list, with its latest version. */
export interface Entity extends EntityAddress {
  version: number;
  last_timestamp: string;
}

/** The result of an erasure. */
export interface ErasureResult extends EntityAddress {
  events_erased: number;
  /**
   * True if the server could not wait for events that were written before the erasure and not yet stored: they may
   * still appear for some minutes.
   */
  pending: boolean;
  erased_at: string;
}
