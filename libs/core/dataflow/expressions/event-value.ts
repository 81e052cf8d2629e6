import { LazyObject, parseExactJson, Timestamp, type CelObject, type CelValue } from '#cel';
import type { EventFromKafka, StoredEvent } from '#event';
import { parseTime } from '#json';

/** Returns a stored event as the CEL variable `event`. `data` and `metadata` are parsed on first use. */
export function eventValue(event: StoredEvent): CelObject {
  const [timestamp, ingestedAt] = [parseTime(event.timestamp), parseTime(event.ingested_at)];
  const value = new LazyEvent(event);
  value.version = event.version;
  value.timestamp = new Timestamp(timestamp ?? NaN);
  value.ingested_at = new Timestamp(ingestedAt ?? NaN);
  return value as unknown as CelObject;
}

/** Returns an event from Kafka as the CEL variable `event`; it has no version yet. */
export function logEventValue(event: EventFromKafka): CelObject {
  const value = new LazyEvent(event);
  value.timestamp = new Timestamp(event.timestamp);
  value.ingested_at = new Timestamp(event.ingested_at);
  return value as unknown as CelObject;
}

class LazyEvent extends LazyObject {
  readonly event_id: CelValue;
  readonly stream: CelValue;
  readonly event_type: CelValue;
  readonly entity_id: CelValue;
  version: CelValue = null;
  timestamp: CelValue = null;
  ingested_at: CelValue = null;
  data: CelValue | undefined = undefined;
  metadata: CelValue | undefined = undefined;
  readonly schema_version: CelValue;
  readonly partition: CelValue;
  readonly offset: CelValue;
  readonly #data: string;
  readonly #metadata: string;

  constructor(event: Omit<EventFromKafka, 'timestamp' | 'ingested_at'>) {
    super();
    this.event_id = event.event_id;
    this.stream = event.stream;
    this.event_type = event.event_type;
    this.entity_id = event.entity_id;
    this.schema_version = event.schema_version;
    this.partition = event.partition;
    this.offset = event.offset;
    this.#data = event.data;
    this.#metadata = event.metadata;
  }

  read(name: string): CelValue {
    if (name === 'data') return (this.data = parseExactJson(this.#data));
    return (this.metadata = parseExactJson(this.#metadata));
  }
}
