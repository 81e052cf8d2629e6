/** An event that the demo writes, converted from a row of public data. */
export interface DemoEvent {
  event_id: string;
  stream: string;
  event_type: string;
  entity_id: string;
  timestamp: string;
  data: Record<string, unknown>;
  metadata: Record<string, string | number>;
}

/** The rows of one public data set, converted to events of one stream. */
export interface Dataset {
  stream: string;
  /** A description of the rows and of their conversion, which the demo prints. */
  about: string;
  events: DemoEvent[];
}
