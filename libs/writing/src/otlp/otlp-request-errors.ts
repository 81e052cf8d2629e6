import { limits } from '#event';
import { ProblemError } from '#api';
import { tooLarge } from '../read-event.js';
import type { EventRejection } from '../rejection.js';

/** Maximum nesting depth of lists and maps in a value of an OTLP log record. */
export const mostLevels = 32;

/** Returns the problem for a body that is not a valid OTLP logs request. @param what The reason */
export function unreadable(what: string, cause?: unknown): ProblemError {
  const detail = `The body is not an ExportLogsServiceRequest: ${what}.`;
  return new ProblemError('invalid_request', detail, { cause });
}

/** Returns the problem for an OTLP value that is nested too deep. */
export function tooDeep(): ProblemError {
  return unreadable(`a value is nested more than ${mostLevels} levels deep`);
}

/**
 * Returns whether an encoded log record, resource or scope is larger than an event may be. The values of such a log
 * record, resource or scope are not parsed.
 * @param encodings Factor by which the encoding may be longer than the event
 */
export function isOversized(length: number, encodings = 1): boolean {
  return length > encodings * limits.eventBytes;
}

export function oversized(): EventRejection {
  return tooLarge('');
}

/**
 * Counts the log records of one OTLP request, or its resources and scopes together. @throws ProblemError when there are
 * too many
 */
export class OtlpElementLimiter {
  private count = 0;

  add(): void {
    if (++this.count <= limits.rawValues) return;
    const detail = `A request may have up to ${limits.rawValues} log records, and as many resources and scopes.`;
    throw new ProblemError('payload_too_large', detail);
  }
}
