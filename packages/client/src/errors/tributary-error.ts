/** Every error of this package, but those of a signal that was aborted. */
export class TributaryError extends Error {
  override readonly name: string = 'TributaryError';
}

/** No answer came: the address is wrong, nothing listens there, or the connection broke. */
export class UnreachableError extends TributaryError {
  override readonly name = 'UnreachableError';
}

/** No answer came in time. */
export class TimeoutError extends TributaryError {
  override readonly name = 'TimeoutError';
}

/** What answered is not Tributary, or something on the way changed the answer. */
export class InvalidAnswerError extends TributaryError {
  override readonly name = 'InvalidAnswerError';
}

/** The producer was closed before the event was sent. */
export class ProducerClosedError extends TributaryError {
  override readonly name = 'ProducerClosedError';
}

/** With `onFull: 'reject'`: the buffer of the producer is full. The event was not sent. */
export class BufferFullError extends TributaryError {
  override readonly name = 'BufferFullError';
}

/**
 * The event was not acknowledged within `deliveryTimeoutMs`. It may be stored or not. Sent again with the same
 * `event_id` while the server remembers ids, it is stored once.
 */
export class UnknownOutcomeError extends TributaryError {
  override readonly name = 'UnknownOutcomeError';
  readonly code = 'unknown';

  constructor(
    readonly event_id: string,
    /** Requests that carried it. After none, it is certain that the event is not stored. */
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
