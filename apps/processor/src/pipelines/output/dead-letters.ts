import { encodeRecord, type Micros } from '#event';
import type { LogRecord } from '#log';
import type { DeadLetter } from '#store';
import type { FlowEvent } from '#dataflow';
import type { JobLabel } from './emitted-record.js';

/** Why an event of a pipeline is a dead letter. */
export type DeadLetterReason = 'operator_failed' | 'late_event' | 'schema_violation' | 'webhook_failed';

/** What a letter says beside the event. */
export interface DeadLetterCause {
  /** Pointer of the operator. */
  at: string;
  reason: DeadLetterReason;
  /** Of the operator, with what is wrong there. */
  error: string;
  /** Where the event was to go, where it was to go to a stream. */
  stream?: string;
}

/**
 * The letter of an event. One that comes of an event of a stream has the place of that one; the result of a window has
 * none, and stands under the stream that it was to go to. The step has the rest of what it takes to go on with it.
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

/** Of whom letters say that it gave up. */
function letterSource({ name }: JobLabel): string {
  return `pipeline:${name}`;
}
