import { encodeRecord, limits, type EpochMicros } from '#event';
import { derivedId, type PipelineEvent } from '#dataflow';

/** The name, version and id of a job, which its emitted events and dead letters contain. */
export interface JobIdentity {
  /** Name of the pipeline. */
  readonly name: string;
  readonly version: number;
  /** Id of the job. */
  readonly id: string;
  /** Returns the streams whose events can appear in the job's dead letters. */
  readonly streams: () => readonly string[];
  /** Returns the id of a stream that the job reads or writes to, or `''` if the stream does not exist. */
  readonly idOf: (stream: string) => string;
}

/** An emitted event that is encoded as the value of a Kafka record. */
interface EmittedRecord {
  /** The event id, which is derived from the job, the source event and the operator. */
  readonly id: string;
  readonly key: string;
  readonly value: string;
}

/**
 * Encodes an emitted event as ingest encodes the events of clients. The event id is derived from the job, the source
 * event and the operator.
 */
export function emittedRecord(
  { at, flow }: { at: string; flow: PipelineEvent },
  run: JobIdentity,
  { schemaVersion, now }: { schemaVersion: number | null; now: EpochMicros },
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

/**
 * Returns whether an emitted event exceeds the size limit. The bytes are counted only if the number of characters
 * allows the event to exceed the limit.
 */
export function isTooLarge({ value }: EmittedRecord): boolean {
  return value.length * 3 > limits.eventBytes && Buffer.byteLength(value) > limits.eventBytes;
}

export const tooLarge = `an event is at most ${limits.eventBytes} bytes of JSON`;

const own = /"(?:pipeline|pipeline_version|source_stream|source_event_id)"/;

/**
 * Returns the metadata of an emitted event: the event's own metadata, with the pipeline and the source event added. The
 * metadata of a window result already contains the number of events in the window.
 */
export function emittedMetadata({ event, origin }: PipelineEvent, run: JobIdentity): string {
  const from = event.event_id === '' ? {} : { source_stream: origin.stream, source_event_id: event.event_id };
  const added = { pipeline: run.name, pipeline_version: run.version, ...from };
  const before = event.metadata.trim();
  // The added members are inserted as text, so that numbers in the metadata keep their original form.
  if (!own.test(before)) {
    const members = JSON.stringify(added).slice(1);
    return before.slice(0, -1).trim() === '{' ? `{${members}` : `${before.slice(0, -1)},${members}`;
  }
  return JSON.stringify({ ...(JSON.parse(before) as object), ...added });
}
