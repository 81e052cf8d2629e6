import { parseTime, type Micros, type StoredEvent } from '#contracts';
import { parseJson } from './json.js';
import { Timestamp, type Value, type ValueObject } from './values.js';

/** What an expression sees of an event. `data` and `metadata` are the raw JSON text of objects. */
export interface EventFields extends Omit<StoredEvent, 'timestamp' | 'ingested_at'> {
  timestamp: Micros;
  ingested_at: Micros;
}

/** The event as expressions see it: `data` and `metadata` are read when they are first asked for. */
export function eventValue(event: StoredEvent): ValueObject {
  const timestamp = parseTime(event.timestamp) ?? NaN;
  return lazyEvent({ ...event, timestamp, ingested_at: parseTime(event.ingested_at) ?? NaN }, parseJson);
}

/** The same, with the reader of JSON that the arithmetic needs. */
export function lazyEvent(event: EventFields, read: (text: string) => Value): ValueObject {
  return new LazyEvent(event, read) as unknown as ValueObject;
}

/** A value's own member: for whoever finds members by `Object.hasOwn` or `Object.keys`. */
export function memberValue(of: ValueObject, name: string): Value {
  const value = of[name];
  // Nothing that JSON says is undefined: only what has not been read.
  return value === undefined && LazyEvent.is(of) ? of.read(name) : (value as Value);
}

class LazyEvent {
  readonly event_id: Value;
  readonly stream: Value;
  readonly event_type: Value;
  readonly entity_id: Value;
  readonly version: Value;
  readonly timestamp: Value;
  readonly ingested_at: Value;
  data: Value | undefined = undefined;
  metadata: Value | undefined = undefined;
  readonly schema_version: Value;
  readonly partition: Value;
  readonly offset: Value;
  readonly #data: string;
  readonly #metadata: string;
  readonly #parse: (text: string) => Value;

  constructor(event: EventFields, parse: (text: string) => Value) {
    this.event_id = event.event_id;
    this.stream = event.stream;
    this.event_type = event.event_type;
    this.entity_id = event.entity_id;
    this.version = event.version;
    this.timestamp = new Timestamp(event.timestamp);
    this.ingested_at = new Timestamp(event.ingested_at);
    this.schema_version = event.schema_version;
    this.partition = event.partition;
    this.offset = event.offset;
    this.#data = event.data;
    this.#metadata = event.metadata;
    this.#parse = parse;
  }

  static is(value: object): value is LazyEvent {
    return #data in value;
  }

  read(name: string): Value {
    if (name === 'data') return (this.data = this.#parse(this.#data));
    return (this.metadata = this.#parse(this.#metadata));
  }
}
