import { parseTime, type Micros, type StoredEvent } from '#event';
import { parseExactJson } from './json.js';
import { Timestamp, type Value, type ValueObject } from './values.js';

/** An event in the log; its version is not known there. `data` and `metadata` are the raw JSON text of objects. */
export interface LogEvent extends Omit<StoredEvent, 'version' | 'timestamp' | 'ingested_at'> {
  timestamp: Micros;
  ingested_at: Micros;
}

/** The event as expressions see it: `data` and `metadata` are read when they are first asked for. */
export function eventValue(event: StoredEvent): ValueObject {
  const [timestamp, ingestedAt] = [parseTime(event.timestamp), parseTime(event.ingested_at)];
  const value = new LazyEvent(event);
  value.version = event.version;
  value.timestamp = new Timestamp(timestamp ?? NaN);
  value.ingested_at = new Timestamp(ingestedAt ?? NaN);
  return value as unknown as ValueObject;
}

/** The same without a version. */
export function logEventValue(event: LogEvent): ValueObject {
  const value = new LazyEvent(event);
  value.timestamp = new Timestamp(event.timestamp);
  value.ingested_at = new Timestamp(event.ingested_at);
  return value as unknown as ValueObject;
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
  version: Value = null;
  timestamp: Value = null;
  ingested_at: Value = null;
  data: Value | undefined = undefined;
  metadata: Value | undefined = undefined;
  readonly schema_version: Value;
  readonly partition: Value;
  readonly offset: Value;
  readonly #data: string;
  readonly #metadata: string;

  constructor(event: Omit<LogEvent, 'timestamp' | 'ingested_at'>) {
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

  static is(value: object): value is LazyEvent {
    return #data in value;
  }

  read(name: string): Value {
    if (name === 'data') return (this.data = parseExactJson(this.#data));
    return (this.metadata = parseExactJson(this.#metadata));
  }
}
