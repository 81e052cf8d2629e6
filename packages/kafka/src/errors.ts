/** Kafka (or its in-memory fake) did not respond, or did not acknowledge records in time. A retry may succeed. */
export class LogUnavailableError extends Error {
  override readonly name = 'LogUnavailableError';
}

/**
 * An `append` was rejected, because the producer's unacknowledged bytes would exceed their limit. None of its records
 * was written.
 */
export class ProducerBufferFullError extends Error {
  override readonly name = 'ProducerBufferFullError';
}

/**
 * A record is larger than its topic accepts (`max.message.bytes`), so no retry can write it. Other records of the `append`
 * may be written.
 */
export class RecordTooLargeError extends Error {
  override readonly name = 'RecordTooLargeError';
}

/** A topic does not exist. An `append` that fails with it has written no record to that topic. */
export class UnknownTopicError extends Error {
  override readonly name = 'UnknownTopicError';

  constructor(readonly topic: string) {
    super(`The topic ${topic} does not exist`);
  }
}

/** Kafka rejects a topic's name or one of its settings. */
export class TopicRejectedError extends Error {
  override readonly name = 'TopicRejectedError';

  /**
   * `name`: the topic's name is invalid, or collides with the name of another topic. `settings`: Kafka rejects a
   * setting.
   */
  readonly reason: 'name' | 'settings';

  constructor(
    readonly topic: string,
    { reason, ...options }: ErrorOptions & { reason: 'name' | 'settings' },
  ) {
    super(`Kafka rejects the ${reason} of topic ${topic}`, options);
    this.reason = reason;
  }
}

/**
 * Whether a retry of the operation that failed with this error may succeed. False for a wrong password, for example.
 */
export function isRetriableLogError(error: unknown): boolean {
  // Brokers may not know a new topic yet.
  return error instanceof LogUnavailableError || error instanceof UnknownTopicError;
}
