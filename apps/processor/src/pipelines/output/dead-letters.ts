import { encodeRecord, type Micros } from '#event';
import type { LogRecord } from '#log';
import type { DeadLetter } from '#store';
import type { FlowEvent } from '#dataflow';
import type { JobLabel } from './emitted-record.js';

/** Why an event of a pipeline is a dead letter. */
export type DeadLetterReason = 'operator_failed' | 'late_event' | 'schema_violation' | 'webhook_failed';

/** What a dead letter says besides the event. */
export interface DeadLetterCause {
  /** Pointer of the operator. */
  at: string;
  reason: DeadLetterReason;
  /** Of the operator, with what is wrong there. */
  error: string;
  /** The target stream, if the target is a stream. */
  stream?: string;
}

/**
 * The dead letter of an event. That of a stream's event has the position of the event. The result of a window has no
 * position: its dead letter has the target's id as stream, or `''` where the target does not exist. `step` has the
 * rest that a replay needs.
 */
export function deadLetterOf(
  run: JobLabel,
  { event, origin }: FlowEvent,
  { at, reason, error, stream: target = '', now }: DeadLetterCause & { now: Micros },
): DeadLetter {
  const { stream, partition, offset, path, replay = 0 } = origin;
  const step = { run: run.id, operator: at, stream, path, replay };
  return {
    ...{
      source: letterSource(run),
      stream: run.idOf(stream === '' ? target : stream),
      partition,
      offset,
      step,
    },
    ...{ reason, error, event: encodeRecord(event), created_at: now, streams: run.streams() },
  };
}

/** The letter of a record of one of the job's own topics that nobody here has written. @param at who reads it */
export function unreadableDeadLetter(
  run: JobLabel,
  { partition, offset, value }: LogRecord,
  { at, now }: { at: string; now: Micros },
): DeadLetter {
  const step = { run: run.id, operator: at, stream: '', path: '', replay: 0 };
  return {
    ...{ source: letterSource(run), stream: '', partition, offset, step, reason: 'unreadable' },
    ...{ error: "no record of the run's own", event: String(value), created_at: now, streams: run.streams() },
  };
}

/** Returns the `source` of the job's dead letters. */
function letterSource({ name }: JobLabel): string {
  return `pipeline:${name}`;
}
