import { encodeRecord } from '#event';
import type { EpochMicros } from '#json';
import type { ConsumerRecord } from '#kafka';
import type { DeadLetter } from '#store';
import type { PipelineEvent } from '#features/pipelines/computation';
import type { JobIdentity } from './emitted-record.js';

/** The reason why an event in a pipeline became a dead letter. */
type DeadLetterReason = 'operator_failed' | 'late_event' | 'schema_violation' | 'webhook_failed';

/** Where and why an event in a pipeline became a dead letter. */
export interface DeadLetterCause {
  /** JSON pointer of the operator at which the event became a dead letter. */
  at: string;
  reason: DeadLetterReason;
  /** Error text of the dead letter, with the JSON pointer of the operator. */
  error: string;
  /** Name of the target stream; undefined if the event was not to be written to a stream. */
  stream?: string;
}

/**
 * Returns the dead letter of an event. The dead letter of a source event has the stream and the position of that event.
 * The result of a window has no position: its dead letter has the id of the target stream, or `''` if the target stream
 * does not exist. `step` contains the further members that a replay needs.
 */
export function deadLetterOf(
  run: JobIdentity,
  { event, origin }: PipelineEvent,
  { at, reason, error, stream: target = '', now }: DeadLetterCause & { now: EpochMicros },
): DeadLetter {
  const { stream, partition, offset, path, replay = 0, expected } = origin;
  const step = {
    ...{ run: run.id, operator: at, stream, path, replay },
    ...(expected !== undefined && { expected }),
  };
  return {
    source: `pipeline:${run.name}`,
    stream: run.idOf(stream === '' ? target : stream),
    partition,
    offset,
    step,
    reason,
    error,
    event: encodeRecord(event),
    created_at: now,
    streams: run.streams(),
  };
}

/**
 * Returns the dead letter of an internal topic's record that no process of this job has written.
 * @param at JSON pointer of the operator that reads the internal topic.
 */
export function unreadableDeadLetter(
  run: JobIdentity,
  { partition, offset, value }: ConsumerRecord,
  { at, now }: { at: string; now: EpochMicros },
): DeadLetter {
  const step = { run: run.id, operator: at, stream: '', path: '', replay: 0 };
  return {
    source: `pipeline:${run.name}`,
    stream: '',
    partition,
    offset,
    step,
    reason: 'unreadable',
    error: 'the record is not one that this job has written',
    event: String(value),
    created_at: now,
    streams: run.streams(),
  };
}
