import {
  ProducerBufferFullError,
  LogUnavailableError,
  TopicRejectedError,
  UnknownTopicError,
  RecordTooLargeError,
} from '../../errors.js';

/** Fields of a kafkajs error that identify it; `type` is the name of an error code of the Kafka protocol. */
interface KafkaErrorShape {
  name: string;
  type?: unknown;
  retriable?: unknown;
  cause?: unknown;
  /** The errors that a KafkaJSAggregateError combines. */
  errors?: unknown;
}

const maxCauses = 8;
const logErrors = [
  LogUnavailableError,
  ProducerBufferFullError,
  RecordTooLargeError,
  UnknownTopicError,
  TopicRejectedError,
];

/** Returns the names of the Kafka protocol errors in this error and its causes. */
export function protocolErrors(error: unknown): string[] {
  const found: string[] = [];
  const open: unknown[] = [error];
  for (let seen = 0; open.length > 0 && seen < maxCauses; seen++) {
    const current = open.shift();
    if (!isErrorShape(current)) continue;
    if (typeof current.type === 'string') found.push(current.type);
    if (Array.isArray(current.errors)) open.push(...(current.errors as unknown[]).slice(0, maxCauses));
    open.push(current.cause);
  }
  return found;
}

/** Whether the error, or one of its first causes, is one of these errors of the Kafka protocol. */
export function isProtocolError(error: unknown, ...types: string[]): boolean {
  return protocolErrors(error).some((type) => types.includes(type));
}

const fatalTypes = new Set([
  'TOPIC_AUTHORIZATION_FAILED',
  'GROUP_AUTHORIZATION_FAILED',
  'CLUSTER_AUTHORIZATION_FAILED',
  'SASL_AUTHENTICATION_FAILED',
  'UNSUPPORTED_SASL_MECHANISM',
  'UNSUPPORTED_VERSION',
  'INCONSISTENT_GROUP_PROTOCOL',
  'INVALID_SESSION_TIMEOUT',
  'INVALID_GROUP_ID',
]);

const fatalNames = new Set([
  'KafkaJSSASLAuthenticationError',
  'KafkaJSNotImplemented',
  'KafkaJSServerDoesNotSupportApiKey',
  'TopicRejectedError',
  'UnknownTopicError',
  'TypeError',
  'RangeError',
  'ReferenceError',
]);

/** Whether a retry cannot fix the error, such as a wrong password, a missing permission or a bug in this code. */
export function isFatal(error: unknown): boolean {
  if (protocolErrors(error).some((type) => fatalTypes.has(type))) return true;
  let current: unknown = error;
  for (let seen = 0; isErrorShape(current) && seen < maxCauses; seen++) {
    if (fatalNames.has(current.name)) return true;
    current = current.cause;
  }
  return false;
}

/** Returns the error for callers: a LogUnavailableError, unless it is one of the log or a retry cannot fix it. */
export function toLogError(error: unknown, doing: string): Error {
  if (error instanceof Error && isFatal(error)) return error;
  if (error instanceof Error && logErrors.some((type) => error instanceof type)) return error;
  if (isProtocolError(error, 'MESSAGE_TOO_LARGE', 'RECORD_LIST_TOO_LARGE'))
    return new RecordTooLargeError('A record is larger than its topic accepts', { cause: error });
  return new LogUnavailableError(`${doing}: ${error instanceof Error ? error.message : String(error)}`, {
    cause: error,
  });
}

const invalidNameError = 'INVALID_TOPIC_EXCEPTION';
/** INVALID_REPLICATION_FACTOR is not in this list: brokers may be down for a moment, so it is retried. */
const rejectedSettingErrors = ['INVALID_PARTITIONS', 'INVALID_CONFIG', 'INVALID_REQUEST', 'POLICY_VIOLATION'];

/** Returns the TopicRejectedError for an error with which Kafka rejects a topic's name or settings. */
export function toTopicRejectedError(topic: string, error: unknown): TopicRejectedError | undefined {
  if (isProtocolError(error, invalidNameError))
    return new TopicRejectedError(topic, { reason: 'name', cause: error });
  if (!isProtocolError(error, ...rejectedSettingErrors)) return undefined;
  return new TopicRejectedError(topic, { reason: 'settings', cause: error });
}

function isErrorShape(value: unknown): value is KafkaErrorShape {
  return typeof value === 'object' && value !== null && 'name' in value;
}
