import { encodeRecord, limits } from '#event';
import type { EpochMicros } from '#json';
import {
  derivedId,
  metadataWith,
  type PipelineEvent,
  type Provenance,
} from '#features/pipelines/computation';

/** The name, version and id of a job, which its emitted events and dead letters contain. */
export interface JobIdentity {
  /** Name of the pipeline. */
  readonly name: string;
  readonly version: number;
  /** Id of the job. */
  readonly id: string;
  /** Returns the streams whose events can appear in the job's dead letters. */
  readonly streams: () => readonly string[];
  /** The sorted ids of the streams that the job reads, as one text. */
  readonly sourceIds: string;
  /** Returns the id of a stream that the job reads or writes to, or `''` if the stream does not exist. */
  readonly idOf: (stream: string) => string;
}

/** An emitted event that is encoded as the value of a Kafka record. */
export interface EmittedRecord {
  /** The event id, which is derived from the job, the source event and the operator. */
  readonly id: string;
  readonly key: string;
  readonly eventType: string;
  readonly value: string;
}

/**
 * Returns the id of an emitted event. The id of a missing event (`expect`) is the same for each job of the pipeline, so
 * that it is not reported again after a reset.
 */
export function emittedId(run: JobIdentity, origin: Provenance, at: string): string {
  const { expected, stream, path } = origin;
  if (expected === undefined) return derivedId(run.id, origin, at);
  // Deleted and recreated streams have other ids. A window or a join, which the path names, has events of several streams.
  const sources = stream === '' || path.includes(':') ? run.sourceIds : run.idOf(stream);
  return derivedId(`${run.name} ${sources} ${expected}`, origin, at);
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
  const id = emittedId(run, origin, at);
  const value = encodeRecord({
    event_id: id,
    event_type: event.event_type,
    entity_id: event.entity_id,
    timestamp: event.timestamp,
    ingested_at: now,
    schema_version: schemaVersion,
    metadata: emittedMetadata(flow, run),
    data: event.data,
  });
  return { id, key: event.entity_id ?? id, eventType: event.event_type, value };
}

/**
 * Returns whether an emitted event exceeds the size limit. The bytes are counted in any case: V8 then keeps the value as
 * one piece, which takes half of the memory of the pieces it was made of, while the record waits to be written.
 */
export function isTooLarge({ value }: EmittedRecord): boolean {
  return Buffer.byteLength(value) > limits.eventBytes;
}

export const tooLarge = `an event is at most ${limits.eventBytes} bytes of JSON`;

const own = /"(?:pipeline|pipeline_version|source_stream|source_event_id)"/;

/**
 * Returns the metadata of an emitted event: the event's own metadata, with the pipeline and the source event added. The
 * metadata of a window result already contains the number of events in the window.
 */
export function emittedMetadata({ event, origin }: PipelineEvent, run: JobIdentity): string {
  const isSource = event.event_id !== '';
  const members = isSource
    ? `${membersBefore(run, origin.stream)}${JSON.stringify(event.event_id)}`
    : membersOf(run);
  return metadataWith(event.metadata, members, own);
}

/** Returns the members that name the job, as JSON text. */
function membersOf({ name, version }: JobIdentity): string {
  return `"pipeline":${JSON.stringify(name)},"pipeline_version":${version}`;
}

/** Cache of the last result of `membersBefore`, because the events of a batch have the same job and stream. */
let last: { run?: JobIdentity; stream: string; text: string } = { stream: '', text: '' };

/** Returns the members that name the job and the source stream, as JSON text that ends before the id of the source event. */
function membersBefore(run: JobIdentity, stream: string): string {
  if (run !== last.run || stream !== last.stream) {
    const source = `"source_stream":${JSON.stringify(stream)},"source_event_id":`;
    last = { run, stream, text: `${membersOf(run)},${source}` };
  }
  return last.text;
}
