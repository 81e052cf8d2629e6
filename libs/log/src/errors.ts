/** The log did not answer, or did not acknowledge in time. Repeating may help. */
export class LogUnavailableError extends Error {
  override readonly name = 'LogUnavailableError';
}

/** More bytes are in flight than allowed. Nothing was written. */
export class LogOverloadedError extends Error {
  override readonly name = 'LogOverloadedError';
}

/** A topic does not exist. Nothing was written. */
export class UnknownTopicError extends Error {
  override readonly name = 'UnknownTopicError';

  constructor(readonly topic: string) {
    super(`The topic ${topic} does not exist`);
  }
}

/** The log will not have a topic of this name beside those it has, or not with these settings. */
export class TopicRefusedError extends Error {
  override readonly name = 'TopicRefusedError';

  /** `name`: it is not a possible name, or collides with another's. */
  readonly reason: 'name' | 'settings';

  constructor(
    readonly topic: string,
    { reason, ...options }: ErrorOptions & { reason: 'name' | 'settings' },
  ) {
    super(`The topic ${topic} cannot be created: Kafka refuses its ${reason}`, options);
    this.reason = reason;
  }
}

/** Whether what failed with this error may succeed when it is repeated: not with a wrong password, for instance. */
export function logMayReturn(error: unknown): boolean {
  // A topic that was created just now is not known to every broker yet.
  return error instanceof LogUnavailableError || error instanceof UnknownTopicError;
}
