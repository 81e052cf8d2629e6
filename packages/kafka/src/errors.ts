/** Kafka (or its in-memory fake) did not respond, or did not acknowledge records in time. A retry may succeed. */
export class LogUnavailableError extends Error {
  override readonly name = 'LogUnavailableError';
}

/** An `append` would exceed the limit of unacknowledged bytes, so none of its records was written. */
export class ProducerBufferFullError extends Error {
  override readonly name = 'ProducerBufferFullError';
}

/** A record exceeds `max.message.bytes` of its topic. Other records of the `append` may be written. */
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

  /** `name`: invalid, or it collides with another topic's name. `settings`: Kafka rejects a setting. */
  readonly reason: 'name' | 'settings';

  constructor(
    readonly topic: string,
    { reason, ...options }: ErrorOptions & { reason: 'name' | 'settings' },
  ) {
    super(`Kafka rejects the ${reason} of topic ${topic}`, options);
    this.reason = reason;
  }
}

/** Whether a retry of the failed operation may succeed. False for a wrong password, for example. */
export function isRetriableLogError(error: unknown): boolean {
  // Brokers may not know a new topic yet.
  return error instanceof LogUnavailableError || error instanceof UnknownTopicError;
}
