import { encodeRecord, limits, type Micros } from '#event';
import { derivedId, type FlowEvent } from '#dataflow';

/** The job that an emitted event names in its metadata. */
export interface JobLabel {
  /** The pipeline's. */
  readonly name: string;
  readonly version: number;
  /** The job's id. */
  readonly id: string;
  /** Returns the streams that show in its dead letters. */
  readonly streams: () => readonly string[];
  /** Returns the id of a stream that the job reads or writes to; `''` where there is no such stream. */
  readonly idOf: (stream: string) => string;
}

/** A record as it is written. */
export interface EmittedRecord {
  /** The derived id. */
  readonly id: string;
  readonly key: string;
  readonly value: string;
}

/** An event as ingest would have written it, under its derived id. @param output where it is emitted */
export function emittedRecord(
  { at, flow }: { at: string; flow: FlowEvent },
  run: JobLabel,
  { schemaVersion, now }: { schemaVersion: number | null; now: Micros },
): EmittedRecord {
  const { event, origin } = flow;
  const id = derivedId(run.id, origin, at);
  const value = encodeRecord({
    ...{ event_id: id, event_type: event.event_type, entity_id: event.entity_id },
    ...{ timestamp: event.timestamp, ingested_at: now, schema_version: schemaVersion },
    ...{ metadata: emittedMetadata(flow, run), data: event.data },
  });
  return { id, key: event.entity_id ?? id, value };
}

/** Bytes are counted only where there are enough characters for it to matter. */
export function isTooLarge({ value }: EmittedRecord): boolean {
  return value.length * 3 > limits.eventBytes && Buffer.byteLength(value) > limits.eventBytes;
}

export const tooLarge = `an event is at most ${limits.eventBytes} bytes of JSON`;

const own = /"(?:pipeline|pipeline_version|source_stream|source_event_id)"/;

/**
 * What the event's metadata has, with where it comes from. A window's result has its number of events there already.
 */
export function emittedMetadata({ event, origin }: FlowEvent, run: JobLabel): string {
  const from = event.event_id === '' ? {} : { source_stream: origin.stream, source_event_id: event.event_id };
  const added = { pipeline: run.name, pipeline_version: run.version, ...from };
  const before = event.metadata.trim();
  // Its numbers stay as they were sent.
  if (!own.test(before)) {
    const members = JSON.stringify(added).slice(1);
    return before.slice(0, -1).trim() === '{' ? `{${members}` : `${before.slice(0, -1)},${members}`;
  }
  return JSON.stringify({ ...(JSON.parse(before) as object), ...added });
}
