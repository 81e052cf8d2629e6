import { parseTime, type EpochMicros } from '#json';
import type { StoredEvent } from '#event';
import { parseExactJson } from './json.js';
import { Timestamp, type CelValue, type CelObject } from './values.js';

/** An event read from Kafka, which has no version yet. `data` and `metadata` are the JSON text of objects. */
export interface EventFromKafka extends Omit<StoredEvent, 'version' | 'timestamp' | 'ingested_at'> {
  timestamp: EpochMicros;
  ingested_at: EpochMicros;
}

/**
 * Returns a stored event as the value of the variable `event` in CEL expressions. `data` and `metadata` are parsed on
 * first use.
 */
export function eventValue(event: StoredEvent): CelObject {
  const [timestamp, ingestedAt] = [parseTime(event.timestamp), parseTime(event.ingested_at)];
  const value = new LazyEvent(event);
  value.version = event.version;
  value.timestamp = new Timestamp(timestamp ?? NaN);
  value.ingested_at = new Timestamp(ingestedAt ?? NaN);
  return value as unknown as CelObject;
}

/**
 * Returns an event read from Kafka as the value of the variable `event` in CEL expressions; it has no version. `data`
 * and `metadata` are parsed on first use.
 */
export function logEventValue(event: EventFromKafka): CelObject {
  const value = new LazyEvent(event);
  value.timestamp = new Timestamp(event.timestamp);
  value.ingested_at = new Timestamp(event.ingested_at);
  return value as unknown as CelObject;
}

/**
 * Returns the value of one member of a CEL object. The caller has checked that the object has it, and `data` and
 * `metadata` of an event are parsed here.
 */
export function memberValue(of: CelObject, name: string): CelValue {
  const value = of[name];
  // JSON has no undefined: only a member that is not parsed yet is undefined.
  return value === undefined && LazyEvent.is(of) ? of.read(name) : (value as CelValue);
}

class LazyEvent {
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

  read(name: string): CelValue {
    if (name === 'data') return (this.data = parseExactJson(this.#data));
    return (this.metadata = parseExactJson(this.#metadata));
  }
}
