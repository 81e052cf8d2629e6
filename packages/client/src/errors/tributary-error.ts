/** The base class of all errors of this package, except those of an aborted signal. */
export class TributaryError extends Error {
  override readonly name: string = 'TributaryError';
  /** Of `client.append`: the number of events that were written before this error. */
  appended?: number;
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
