import { parseTime, type StoredEvent } from '#contracts';
import { parseJson } from './json.js';
import { Timestamp, type Value, type ValueObject } from './values.js';

/** The event as expressions see it: `data` and `metadata` are read when they are first asked for. */
export function eventValue(event: StoredEvent): ValueObject {
  return new LazyEvent(event) as unknown as ValueObject;
}

class LazyEvent {
  readonly event_id: Value;
  readonly stream: Value;
  readonly event_type: Value;
  readonly entity_id: Value;
  readonly version: Value;
  readonly timestamp: Value;
  readonly ingested_at: Value;
  readonly schema_version: Value;
  readonly partition: Value;
  readonly offset: Value;
  declare readonly data: Value;
  declare readonly metadata: Value;

  constructor(event: StoredEvent) {
    this.event_id = event.event_id;
    this.stream = event.stream;
    this.event_type = event.event_type;
    this.entity_id = event.entity_id;
    this.version = event.version;
    this.timestamp = new Timestamp(parseTime(event.timestamp) ?? NaN);
    this.ingested_at = new Timestamp(parseTime(event.ingested_at) ?? NaN);
    this.schema_version = event.schema_version;
    this.partition = event.partition;
    this.offset = event.offset;
    lazy(this, 'data', event.data);
    lazy(this, 'metadata', event.metadata);
  }
}

function lazy(target: object, name: 'data' | 'metadata', text: string): void {
  let value: Value | undefined;
  Object.defineProperty(target, name, { enumerable: true, get: () => (value ??= parseJson(text)) });
}
