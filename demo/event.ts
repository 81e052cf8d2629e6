/** An event as the demo sends it. */
export interface DemoEvent {
  event_id: string;
  stream: string;
  event_type: string;
  entity_id: string;
  timestamp: string;
  data: Record<string, unknown>;
  metadata: Record<string, string | number>;
}

/** Real rows made into events of one stream. */
export interface Dataset {
  stream: string;
  /** What the rows are and how they were made into events, for the reader of the terminal. */
  about: string;
  events: DemoEvent[];
}
