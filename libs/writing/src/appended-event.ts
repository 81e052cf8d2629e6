import type { RecordPosition } from '#log';
import type { AcceptedEvent } from './read-event.js';

/** An event that the log has acknowledged, at its position. */
export interface AppendedEvent {
  event: AcceptedEvent;
  position: RecordPosition;
  /** The version of an accepted conditional event; null if the event was erased meanwhile. */
  version?: number | null;
}
