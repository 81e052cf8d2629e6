import { limits } from '#event';
import { ProblemError } from '#api';
import { tooLarge } from '../read-event.js';
import type { EventRejection } from '../rejection.js';

/** Maximum nesting depth of lists and maps in a value. */
export const mostLevels = 32;

/** Returns the problem of a body that cannot be parsed. @param what The reason */
export function unreadable(what: string, cause?: unknown): ProblemError {
  const detail = `The body is not an ExportLogsServiceRequest: ${what}.`;
  return new ProblemError('invalid_request', detail, { cause });
}

/** Returns the problem of a value that is nested too deep. */
export function tooDeep(): ProblemError {
  return unreadable(`a value is nested more than ${mostLevels} levels deep`);
}

/**
 * Returns whether a record, a resource or a scope is larger than an event may be. Its values are then not parsed.
 * @param encodings Factor by which the encoding may be longer than the event
 */
export function isOversized(length: number, encodings = 1): boolean {
  return length > encodings * limits.eventBytes;
}

export function oversized(): EventRejection {
  return tooLarge('');
}

/** Counts the records, or the resources and scopes, of a request. @throws ProblemError when there are too many */
export class RequestElementCounter {
  private count = 0;

  add(): void {
    if (++this.count <= limits.rawValues) return;
    const detail = `A request may have up to ${limits.rawValues} log records, and as many resources and scopes.`;
    throw new ProblemError('payload_too_large', detail);
  }
}
