import { limits } from '#event';
import { ProblemError } from '#api';
import { tooLarge } from '../read-event.js';
import type { Rejection } from '../rejection.js';

/** Levels of a value: lists and maps in one another. */
export const mostLevels = 32;

/** What a request says that cannot be read. */
export function unreadable(what: string, cause?: unknown): ProblemError {
  const detail = `The body is not an ExportLogsServiceRequest: ${what}.`;
  return new ProblemError('invalid_request', detail, { cause });
}

/** A value whose levels are too many. */
export function tooDeep(): ProblemError {
  return unreadable(`a value is nested more than ${mostLevels} levels deep`);
}

/** A record, a resource or a scope that is larger than an event may be: its values are not read. */
export function isOversized(length: number, encodings = 1): boolean {
  return length > encodings * limits.eventBytes;
}

export function oversized(): Rejection {
  return tooLarge('');
}

/** Counts what a request holds. @throws ProblemError when it is too much */
export class Bound {
  private count = 0;

  add(): void {
    if (++this.count <= limits.rawValues) return;
    const detail = `A request has up to ${limits.rawValues} log records, and as many resources and scopes.`;
    throw new ProblemError('payload_too_large', detail);
  }
}
