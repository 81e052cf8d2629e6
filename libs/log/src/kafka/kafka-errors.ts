import { LogOverloadedError, LogUnavailableError, TopicRefusedError, UnknownTopicError } from '../errors.js';

/** The parts of kafkajs' errors that say what they are; `type` is the name of a code of Kafka's protocol. */
interface KafkaErrorShape {
  name: string;
  type?: unknown;
  retriable?: unknown;
  cause?: unknown;
  /** Of KafkaJSAggregateError. */
  errors?: unknown;
}

const maxCauses = 8;

/** The names of the protocol errors that this error is about, through its causes. */
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

/** Whether the error is about one of these protocol errors. */
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
  'TopicRefusedError',
  'UnknownTopicError',
  'TypeError',
  'RangeError',
  'ReferenceError',
]);

/** Whether trying again cannot help: a wrong password, a missing right, a fault of ours. */
export function isFatal(error: unknown): boolean {
  if (protocolErrors(error).some((type) => fatalTypes.has(type))) return true;
  let current: unknown = error;
  for (let seen = 0; isErrorShape(current) && seen < maxCauses; seen++) {
    if (fatalNames.has(current.name)) return true;
    current = current.cause;
  }
  return false;
}

/** What the port promises to throw. What is fatal stays as it is: repeating does not help, so nobody may think so. */
export function toLogError(error: unknown, doing: string): Error {
  if (error instanceof Error && isFatal(error)) return error;
  if (
    error instanceof LogUnavailableError ||
    error instanceof LogOverloadedError ||
    error instanceof UnknownTopicError ||
    error instanceof TopicRefusedError
  ) {
    return error;
  }
  return new LogUnavailableError(`${doing}: ${error instanceof Error ? error.message : String(error)}`, {
    cause: error,
  });
}

function isErrorShape(value: unknown): value is KafkaErrorShape {
  return typeof value === 'object' && value !== null && 'name' in value;
}
