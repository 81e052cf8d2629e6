import type { RecordPosition } from '#kafka';
import type { AcceptedEvent } from './read-event.js';

/** An event whose record Kafka has acknowledged, with its partition and offset. */
export interface AppendedEvent {
  event: AcceptedEvent;
  position: RecordPosition;
  /**
   * For an accepted conditional event, the version that it gave its entity; null if the event was erased meanwhile.
   * Undefined for an unconditional event.
   */
  version?: number | null;
}
