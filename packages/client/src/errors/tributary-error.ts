import type { Problem } from '../types/index.js';

/** The base class of all errors of this package, except those of an aborted signal. */
export class TributaryError extends Error {
  override readonly name: string = 'TributaryError';
}

/** No answer arrived: the URL is wrong, no server listens there, or the connection broke. */
export class UnreachableError extends TributaryError {
  override readonly name = 'UnreachableError';
}

/** No answer arrived within the time-out. */
export class TimeoutError extends TributaryError {
  override readonly name = 'TimeoutError';
}

/** The answer does not come from Tributary, or was changed on the way. */
export class InvalidAnswerError extends TributaryError {
  override readonly name = 'InvalidAnswerError';
}

/** The producer was closed before the event was sent. */
export class ProducerClosedError extends TributaryError {
  override readonly name = 'ProducerClosedError';
}

/** The buffer of a producer with `onFull: 'reject'` is full. The event was not sent. */
export class BufferFullError extends TributaryError {
  override readonly name = 'BufferFullError';
}

/**
 * The event was not acknowledged within `deliveryTimeoutMs`. The event may or may not be stored. If it is sent again
 * with the same `event_id` while the id is in the server's id window, it is stored once.
 */
export class UnknownOutcomeError extends TributaryError {
  override readonly name = 'UnknownOutcomeError';
  readonly code = 'unknown';

  constructor(
    readonly event_id: string,
    /** The number of requests that contained the event. If it is 0, the event is certainly not stored. */
    readonly attempts: number,
    cause?: unknown,
  ) {
    super(messageOf(attempts, cause), { cause });
  }
}

function messageOf(attempts: number, cause: unknown): string {
  const why = cause instanceof Error ? ` The last failure: ${cause.message}` : '';
  const what =
    attempts === 0
      ? 'The event was not sent in time'
      : `The event was not acknowledged after ${attempts} requests`;
  return `${what}.${why}`;
}

/**
 * The server refused the request. Each known `code` has a subclass; this class itself is used for codes that this
 * version of the client does not know.
 */
export class ProblemError extends TributaryError {
  override readonly name: string;
  readonly code: string;
  readonly status: number;

  constructor(
    /** The problem document (RFC 9457) of the answer. */
    readonly problem: Problem,
    /** Seconds of `Retry-After`, if the answer has it. */
    readonly retryAfterSeconds?: number,
  ) {
    super(withErrors(problem));
    this.code = problem.code;
    this.status = problem.status;
    this.name = classNameOf(problem.code);
  }
}

function withErrors({ detail, errors = [] }: Problem): string {
  const [first, second] = errors;
  // The detail of many problems with one error already contains it.
  if (first && !second && detail.includes(first.detail.replace(/\.$/, '')))
    return first.pointer && !detail.includes(first.pointer) ? `${first.pointer}: ${detail}` : detail;
  const texts = errors.map((error) => `${error.pointer}: ${error.detail}`);
  const listed = texts.filter((text) => !detail.includes(text.replace(/\.$/, '')));
  return [detail, ...listed].join('\n  ');
}

/** The names of the classes whose problem code alone would not say what is meant. */
const otherNames = new Map([
  ['not_found', 'AddressNotFoundError'],
  ['key_not_found', 'ApiKeyNotFoundError'],
  ['key_inactive', 'ApiKeyInactiveError'],
]);

/** Returns the class name, `StreamNotFoundError` for `stream_not_found`, even if a bundler has renamed the class. */
function classNameOf(code: string): string {
  const other = otherNames.get(code);
  if (other !== undefined) return other;
  const words = code.split('_').map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return `${words.join('').replace(/Error$/, '')}Error`;
}

/** The server refused an SQL statement, or the statement failed. The error has the form of ClickHouse's errors. */
export class SqlError extends TributaryError {
  override readonly name = 'SqlError';

  constructor(
    /** The HTTP status. */
    readonly status: number,
    /** ClickHouse's error code: 62 is a syntax error, 497 a statement that is not allowed. */
    readonly code: number,
    text: string,
  ) {
    super(text.replace(/^Code: \d+\. DB::Exception: /, '').trimEnd());
  }
}

/** An answer with an error status but without a problem document: it comes from a proxy or another server. */
export class UnexpectedStatusError extends TributaryError {
  override readonly name = 'UnexpectedStatusError';

  constructor(
    readonly status: number,
    text: string,
    /** Seconds of `Retry-After`, if the answer has it. */
    readonly retryAfterSeconds?: number,
  ) {
    super(`HTTP ${status} without a problem document: ${text.slice(0, 200)}`);
  }
}
