import type { FoldValues } from '#dataflow';
import { jsonValue, type EpochMicros } from '#json';
import type { ConsumerRecord, ProducerRecord } from '#kafka';
import type {
  WatermarkRecord,
  PipelineEvent,
  UpstreamEmissionPosition,
} from '#features/pipelines/computation';

/**
 * Format of the record values in a stage's internal topic. A value is either a repartitioned event or a watermark
 * record of an upstream partition. The key of a repartitioned event's record is the event's key in the stage. The two
 * forms are
 *
 * <length of the head><head><metadata><data>
 *
 * [1, source, next, watermark, idle]
 *
 * The head is a JSON array, too:
 *
 * [0, source, at, index, watermark, stream, partition, offset, path, event_id, event_type, entity_id, timestamp,
 * ingested_at, schema_version, length of metadata, replay, values?, expected?, side?]
 *
 * `values` are those of the stage's `reduce`, so that its task need not parse the data; see `Fold.valuesOf`. `source` and `at` are the upstream partition and the offset of the upstream record. The members from `stream` to
 * `path`, `replay` (or 0) and `expected`, are the provenance of the event. The metadata and data of the event follow the head
 * unescaped, so that they are not parsed twice. Lengths are in UTF-16 units.
 */
type RepartitionedEventHeader = [
  kind: 0,
  source: string,
  at: number,
  index: number,
  watermark: EpochMicros,
  stream: string,
  partition: number,
  offset: number,
  path: string,
  eventId: string,
  eventType: string,
  entityId: string | null,
  timestamp: EpochMicros,
  ingestedAt: EpochMicros,
  schemaVersion: number | null,
  metadataLength: number,
  replay: number,
  values?: FoldValues | null,
  expected?: string | null,
  side?: 'right',
];
type WatermarkRecordValue = [kind: 1, source: string, next: number, watermark: EpochMicros, idle: boolean];

/** An event that an upstream partition has repartitioned to a keyed stage. */
export interface RepartitionedEvent extends UpstreamEmissionPosition {
  /** Watermark of the upstream partition before the source record of the event was read. */
  readonly watermark: EpochMicros;
  readonly flow: PipelineEvent;
  readonly values?: FoldValues | undefined;
  /** `right` for an event of the right side of a join. */
  readonly side?: 'right' | undefined;
}

export type StageRecord =
  | { readonly key: string; readonly forwarded: RepartitionedEvent; readonly control?: undefined }
  | { readonly control: WatermarkRecord; readonly forwarded?: undefined };

/** Encodes an event for the internal topic of a stage. */
export function encodeRepartitionedEvent(repartitioned: RepartitionedEvent): string {
  const { source, offset, index, watermark, flow, values, side } = repartitioned;
  const { event, origin } = flow;
  const head: RepartitionedEventHeader = [
    0,
    source,
    offset,
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
    event.metadata.length,
    origin.replay ?? 0,
    ...moreOf(values, origin.expected, side),
  ];
  const text = JSON.stringify(head);
  return `${text.length}${text}${event.metadata}${event.data}`;
}

/** Returns the optional members at the end of a head. */
function moreOf(
  values: FoldValues | undefined,
  expected: string | undefined,
  side: 'right' | undefined,
): [(FoldValues | null)?, (string | null)?, 'right'?] {
  if (side) return [values ?? null, expected ?? null, side];
  if (expected !== undefined) return [values ?? null, expected];
  return values ? [values] : [];
}

/** Returns one watermark record for each partition of a stage's internal topic. */
export function watermarkRecords(
  topic: string,
  partitions: number,
  control: WatermarkRecord,
): ProducerRecord[] {
  const { source, next, watermark, idle } = control;
  const value = JSON.stringify([1, source, next, watermark, idle] satisfies WatermarkRecordValue);
  return Array.from({ length: partitions }, (_, partition) => ({
    ...{ topic, key: source, partition, value, partitions },
  }));
}

/**
 * Decodes a record of a stage's internal topic. Returns undefined if the record has a form that no upstream task
 * writes.
 */
export function readStageRecord({ key, value }: ConsumerRecord): StageRecord | undefined {
  const text = String(value);
  const start = text.indexOf('[');
  if (start > 0) {
    const forwarded = readForwarded(text, start);
    return forwarded && { key: String(key), forwarded };
  }
  const read = jsonValue(text);
  if (!Array.isArray(read) || read[0] !== 1 || read.length !== 5) return undefined;
  const [, source, next, watermark, idle] = read as WatermarkRecordValue;
  return { control: { source, next, watermark, idle } };
}

function readForwarded(text: string, start: number): RepartitionedEvent | undefined {
  const end = start + Number(text.slice(0, start));
  const head = jsonValue(text.slice(start, end));
  if (!Array.isArray(head) || head[0] !== 0 || head.length < 17) return undefined;
  const [, source, at, index, watermark, stream, partition, offset, path, ...event] =
    head as RepartitionedEventHeader;
  const [
    event_id,
    event_type,
    entity_id,
    timestamp,
    ingested_at,
    schema_version,
    metadataLength,
    replay,
    values,
    expected,
    side,
  ] = event;
  const dataAt = end + metadataLength;
  if (!(dataAt < text.length)) return undefined;
  return {
    source,
    offset: at,
    index,
    path,
    watermark,
    values: values ?? undefined,
    side,
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
        metadata: text.slice(end, dataAt),
        data: text.slice(dataAt),
      },
      origin: {
        ...{ stream, partition, offset, path },
        ...(replay > 0 && { replay }),
        ...(typeof expected === 'string' && { expected }),
      },
    },
  };
}
