import type { Micros } from '#contracts';
import type { LogRecord, NewRecord } from '#log';
import type { Control, FlowEvent, ForwardedPosition } from '#streaming';

/**
 * The value of a record in a stage's topic: a JSON array, `[0, …]` an event on its way and `[1, …]` what a feeder says of
 * itself. Its key is that of the event.
 *
 *     [0, source, at, index, watermark, stream, partition, offset, path, event_id, event_type, entity_id, timestamp,
 *      ingested_at, schema_version, metadata, data, replay?]
 *     [1, source, next, watermark, idle]
 *
 * `source` and `at` are the feeder's partition and the offset of its record; `stream` to `path` are the event's origin, and
 * `replay`, where there is one.
 */
type EventValue = [
  kind: 0,
  source: string,
  at: number,
  index: number,
  watermark: Micros,
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
  replay?: number,
];
type ControlValue = [kind: 1, source: string, next: number, watermark: Micros, idle: boolean];

/** An event that one partition of a feeder has forwarded. */
export interface ForwardedEvent extends ForwardedPosition {
  /** The feeder's, before the record that it comes from. */
  readonly watermark: Micros;
  readonly flow: FlowEvent;
}

export type StageRecord =
  | { readonly key: string; readonly forwarded: ForwardedEvent; readonly control?: undefined }
  | { readonly control: Control; readonly forwarded?: undefined };

export function eventValue({ source, offset: at, index, watermark, flow }: ForwardedEvent): string {
  const { event, origin } = flow;
  const value: EventValue = [
    0,
    source,
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
  if (origin.replay !== undefined) value.push(origin.replay);
  return JSON.stringify(value);
}

/** The same for every partition of a topic. */
export function controlRecords(topic: string, partitions: number, control: Control): NewRecord[] {
  const { source, next, watermark, idle } = control;
  const value = JSON.stringify([1, source, next, watermark, idle] satisfies ControlValue);
  return Array.from({ length: partitions }, (_, partition) => ({
    ...{ topic, key: source, partition, value, partitions },
  }));
}

/** Undefined when it is nothing that a feeder writes. */
export function readStageRecord({ key, value }: LogRecord): StageRecord | undefined {
  const read = parsed(value);
  if (!Array.isArray(read)) return undefined;
  if (read[0] === 1 && read.length === 5) {
    const [, source, next, watermark, idle] = read as ControlValue;
    return { control: { source, next, watermark, idle } };
  }
  if (read[0] === 0 && (read.length === 17 || read.length === 18))
    return { key: String(key), forwarded: readForwarded(read as EventValue) };
  return undefined;
}

function readForwarded(value: EventValue): ForwardedEvent {
  const [, source, at, index, watermark, stream, partition, offset, path, event_id, event_type] = value;
  const [entity_id, timestamp, ingested_at] = [value[11], value[12], value[13]];
  const [schema_version, metadata, data, replay] = [value[14], value[15], value[16], value[17]];
  return {
    source,
    offset: at,
    index,
    watermark,
    flow: {
      event: {
        event_id,
        stream,
        event_type,
        entity_id,
        timestamp,
        ingested_at,
        schema_version,
        partition,
        offset,
        metadata,
        data,
      },
      origin: { stream, partition, offset, path, ...(replay !== undefined && { replay }) },
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
