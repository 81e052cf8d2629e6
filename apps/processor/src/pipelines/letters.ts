import { createHash } from 'node:crypto';
import { encodeRecord, type Micros } from '#contracts';
import type { DeadLetter } from '#store';
import type { FlowEvent } from '#streaming';

/** Why an event of a pipeline is a dead letter. */
export type LetterReason = 'operator_failed' | 'late_event' | 'schema_violation' | 'webhook_failed';

/** What a letter says beside the event. */
export interface LetterCause {
  reason: LetterReason;
  /** Of the operator, with what is wrong there. */
  error: string;
  /** Where the event was to go, where it was to go to a stream. */
  stream?: string;
}

/**
 * The letter of an event. One that comes of an event of a stream has the place of that one; the result of a window has
 * none: it has that of the stream that it was to go to, with a number made of the window's name for an offset, so that
 * letters of several windows are several.
 */
export function letterOf(
  name: string,
  flow: FlowEvent,
  { reason, error, stream = '', now }: LetterCause & { now: Micros },
): DeadLetter {
  const { event, origin } = flow;
  const place =
    origin.stream === ''
      ? { stream, partition: 0, offset: numberOf(origin.path) }
      : { stream: origin.stream, partition: origin.partition, offset: origin.offset };
  return { source: `pipeline:${name}`, ...place, reason, error, event: encodeRecord(event), created_at: now };
}

/** Of 48 bits. */
function numberOf(path: string): number {
  return createHash('sha256').update(path).digest().readUIntBE(0, 6);
}
