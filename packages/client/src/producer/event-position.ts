/** The position of an event in the log. */
export interface EventPosition {
  event_id: string;
  stream: string;
  partition: number;
  offset: number;
}
