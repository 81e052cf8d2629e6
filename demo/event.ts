/** An event of the demo. */
export interface DemoEvent {
  event_id: string;
  stream: string;
  event_type: string;
  entity_id: string;
  timestamp: string;
  data: Record<string, unknown>;
  metadata: Record<string, string | number>;
}

/** Real rows, converted to events of one stream. */
export interface Dataset {
  stream: string;
  /** A description of the rows and of their conversion, which the demo prints. */
  about: string;
  events: DemoEvent[];
}
