import type { RecordPosition } from '#log';
import type { AcceptedEvent } from './read-event.js';

export interface AppendedEvent {
  event: AcceptedEvent;
  position: RecordPosition;
  /** The version of an accepted conditional event; null if the event was erased meanwhile. */
  version?: number | null;
}
