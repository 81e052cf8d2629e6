import type { Micros } from '#contracts';
import type { LogRecord, NewRecord } from '#log';
import type { FlowEvent } from '#streaming';

/**
 * The value of a record in a stage's topic: a JSON array, `[0, …]` an event on its way and `[1, …]` what a feeder says of
 * itself. Its key is that of the event.
 *
 *     [0, feeder, offset, index, watermark, stream, partition, offset, path, event_id, event_type, entity_id, timestamp,
 *      ingested_at, schema_version, metadata, data]
 *     [1, feeder, next, watermark, idle]
 *
 * `stream` to `path` are the event's origin.
 */
type EventValue = [
  kind: 0,
  feeder: string,
  at: number,
  index: number,
  watermark: Micros | null,
  stream: string,
  partition: number,
  offset: number,
  path: string,
  eventId: string,
  eventType: string,
  entityId: string | null,
  timestamp: Micros,
  ingestedAt: Micros,
  schemaVersion: number | null,
  metadata: string,
  data: string,
];
type ControlValue = [kind: 1, feeder: string, next: number, watermark: Micros | null, idle: boolean];

/** An event that one partition of a feeder has forwarded. */
export interface ForwardedEvent {
  readonly feeder: string;
  /** The feeder's record that it comes from, and its place among all that came of that one. */
  readonly offset: number;
  readonly index: number;
  /** The feeder's, before that record. */
  readonly watermark: Micros | null;
  readonly flow: FlowEvent;
}

/** How far one partition of a feeder is. */
export interface FeederWord {
  readonly feeder: string;
  /** Everything below it that goes to this partition is in it. */
  readonly next: number;
  readonly watermark: Micros | null;
  readonly idle: boolean;
}

export type StageRecord =
  | { readonly key: string; readonly event: ForwardedEvent; readonly word?: undefined }
  | { readonly word: FeederWord; readonly event?: undefined };

export function eventValue({ feeder, offset: at, index, watermark, flow }: ForwardedEvent): string {
  const { event, origin } = flow;
  const value: EventValue = [
    0,
    feeder,
    at,
    index,
    watermark,
    origin.stream,
    origin.partition,
    origin.offset,
    origin.path,
    event.event_id,
    event.event_type,
    event.entity_id,
    event.timestamp,
    event.ingested_at,
    event.schema_version,
    event.metadata,
    event.data,
  ];
  return JSON.stringify(value);
}

/** The same word for every partition of a topic. */
export function wordRecords(topic: string, partitions: number, word: FeederWord): NewRecord[] {
  const { feeder, next, watermark, idle } = word;
  const value = JSON.stringify([1, feeder, next, watermark, idle] satisfies ControlValue);
  return Array.from({ length: partitions }, (_, partition) => ({ topic, key: feeder, partition, value, partitions }));
}

/** Undefined when it is nothing that a feeder writes. */
export function readStageRecord({ key, value }: LogRecord): StageRecord | undefined {
  const read = parsed(value);
  if (!Array.isArray(read)) return undefined;
  if (read[0] === 1 && read.length === 5) {
    const [, feeder, next, watermark, idle] = read as ControlValue;
    return { word: { feeder, next, watermark, idle } };
  }
  if (read[0] === 0 && read.length === 17) return { key: String(key), event: forwarded(read as EventValue) };
  return undefined;
}

function forwarded(value: EventValue): ForwardedEvent {
  const [, feeder, at, index, watermark, stream, partition, offset, path, ...event] = value;
  const [event_id, event_type, entity_id, timestamp, ingested_at, schema_version, metadata, data] = event;
  const scalars = { event_id, event_type, entity_id, timestamp, ingested_at, schema_version };
  return {
    ...{ feeder, offset: at, index, watermark },
    flow: {
      event: { ...scalars, stream, partition, offset, metadata, data },
      origin: { stream, partition, offset, path },
    },
  };
}

function parsed(value: Buffer | null): unknown {
  try {
    return JSON.parse(String(value));
  } catch {
    return undefined;
  }
}
