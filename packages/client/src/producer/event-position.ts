/** The id of a written event, and its stream, partition and offset in Kafka. */
export interface EventPosition {
  event_id: string;
  stream: string;
  partition: number;
  offset: number;
  /** The version of an event with an expected version; null if its entity has been erased since. */
  version?: number | null;
}
