import { limits } from '#event';
import { ProblemError } from '#api';
import { EventRejection } from '#writing';

/** Maximum nesting depth of lists and maps in a value of an OTLP log record. */
export const mostLevels = 32;
/** Maximum number of fields and list elements of a log record, a resource or a scope, with all their values. */
export const mostFields = 50_000;
/**
 * Maximum number of fields and list elements of a request outside of its log records, resources and scopes, each of
 * which counts as one. The limits of `OtlpElementLimiter` are reached first, except by unknown fields.
 */
export const mostRequestFields = 4 * limits.rawValues;

/** An encoded message that cannot be read, or has too many fields. The message of the error is a part of a sentence. */
export class UnreadableMessageError extends Error {
  constructor(
    message: string,
    readonly code: 'invalid_request' | 'payload_too_large' = 'invalid_request',
    cause?: unknown,
  ) {
    super(message, { cause });
  }

  /** Returns the problem if the request itself cannot be read. */
  toProblem(): ProblemError {
    const detail = `The body is not an ExportLogsServiceRequest: ${this.message}.`;
    return new ProblemError(this.code, detail, { cause: this });
  }

  /** Returns the rejection of a log record that cannot be read. */
  toRejection(): EventRejection {
    return new EventRejection(this.code, `The log record cannot be read: ${this.message}.`);
  }
}

/** Returns the error for a value that does not have its type. @param what The reason */
export function unreadable(what: string, cause?: unknown): UnreadableMessageError {
  return new UnreadableMessageError(what, 'invalid_request', cause);
}

/** Returns the error for an OTLP value that is nested too deep. */
export function tooDeep(): UnreadableMessageError {
  return unreadable(`a value is nested more than ${mostLevels} levels deep`);
}

export function tooManyFields(): UnreadableMessageError {
  return new UnreadableMessageError('it has too many fields and values', 'payload_too_large');
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
