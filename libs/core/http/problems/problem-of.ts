import { HttpException } from '@nestjs/common';
import { internalErrorDetail, ProblemError, type ProblemCode } from '#api';
import { ProducerBufferFullError, LogUnavailableError, RecordTooLargeError, UnknownTopicError } from '#kafka';
import {
  InvalidCursorError,
  QueryTooExpensiveError,
  ShardUnavailableError,
  AnswerMemoryExhaustedError,
  StoreDamagedError,
  StoreUnavailableError,
  UntranslatableValueError,
} from '#store';
import { UntranslatableExpressionError } from '#cel';

/** Problem codes by Fastify's own error codes. */
const fastifyCodes: Record<string, ProblemCode> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'payload_too_large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported_media_type',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'invalid_request',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'invalid_json',
  FST_ERR_CTP_INVALID_JSON_BODY: 'invalid_json',
  FST_ERR_BAD_URL: 'invalid_request',
  FST_ERR_INVALID_URL: 'invalid_request',
  FST_ERR_MAX_PARAM_LENGTH: 'uri_too_long',
  FST_ERR_NOT_FOUND: 'not_found',
};

/** Problem codes by HTTP status, for Nest's own exceptions and for Fastify errors that are not in `fastifyCodes`. */
const statusCodes: Record<number, ProblemCode> = {
  400: 'invalid_request',
  403: 'not_found',
  404: 'not_found',
  405: 'method_not_allowed',
  406: 'not_acceptable',
  408: 'request_timeout',
  413: 'payload_too_large',
  415: 'unsupported_media_type',
  429: 'too_many_requests',
};

/**
 * Maps any thrown value to the problem that the client receives. Errors of the log, the store, CEL, Nest and Fastify
 * have their own codes. Any other error becomes an `internal_error`, whose answer reveals nothing but the request id.
 */
export function problemOf(error: unknown): ProblemError {
  if (error instanceof ProblemError) return error;
  return (
    portProblem(error) ?? frameworkProblem(error) ?? problem('internal_error', internalErrorDetail, error)
  );
}

/** Problems of the errors of Kafka and ClickHouse, whose messages the client does not see. */
const portProblems: readonly [new (...args: never[]) => Error, ProblemCode, string][] = [
  [
    ProducerBufferFullError,
    'overloaded',
    'Too many bytes wait for Kafka to acknowledge them. Repeat the request.',
  ],
  [LogUnavailableError, 'log_unavailable', 'Kafka did not acknowledge. Repeat with the same event ids.'],
  [
    RecordTooLargeError,
    'payload_too_large',
    'Kafka does not accept an event of this size. Send a smaller event.',
  ],
  [UnknownTopicError, 'stream_not_found', 'The stream does not exist any more.'],
  [
    AnswerMemoryExhaustedError,
    'overloaded',
    'Too many bytes of answers are in memory. Repeat the request, or ask for a smaller page.',
  ],
  [
    StoreDamagedError,
    'store_unavailable',
    "A part of ClickHouse's data is damaged, and this request needs it. An operator must repair it: docs/runbooks/TributaryStoreDamaged.md.",
  ],
  [StoreUnavailableError, 'store_unavailable', 'ClickHouse does not answer. Repeat the request.'],
];

function portProblem(error: unknown): ProblemError | undefined {
  if (error instanceof ShardUnavailableError) return problem('store_unavailable', shardDetail(error), error);
  const [, code, detail] = portProblems.find(([type]) => error instanceof type) ?? [];
  if (code && detail) return problem(code, detail, error);
  if (error instanceof QueryTooExpensiveError) return problem('query_too_expensive', error.message, error);
  if (error instanceof InvalidCursorError) {
    const detail = 'The cursor is broken, or belongs to a query with other filters.';
    return new ProblemError('invalid_cursor', detail, { errors: [{ pointer: 'cursor', detail }] });
  }
  if (error instanceof UntranslatableExpressionError) {
    const detail = `${error.message} (at character ${error.at + 1})`;
    const pointer = error instanceof UntranslatableValueError ? 'value' : 'where';
    return new ProblemError('invalid_expression', detail, { errors: [{ pointer, detail }] });
  }
  return undefined;
}

function shardDetail({ shards }: ShardUnavailableError): string {
  const which = shards.length === 0 ? '' : ` (${shards.join(', ')})`;
  return `A shard of ClickHouse${which} does not answer, and this request needs it. Repeat the request; events and counts of the other shards are answered with partial=true.`;
}

function frameworkProblem(error: unknown): ProblemError | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code = '', statusCode } = error as { code?: string; statusCode?: number };
  const fastifyCode = fastifyCodes[code] ?? (code.startsWith('FST_') && codeOfStatus(statusCode));
  if (fastifyCode) return problem(fastifyCode, error.message, error);
  const nestCode = error instanceof HttpException && statusCodes[error.getStatus()];
  return nestCode ? problem(nestCode, error.message, error) : undefined;
}

/** Returns the problem code of a Fastify error that is not in `fastifyCodes`. Each 4xx error is the client's fault. */
function codeOfStatus(status = 500): ProblemCode | undefined {
  return status >= 400 && status < 500 ? (statusCodes[status] ?? 'invalid_request') : undefined;
}

function problem(code: ProblemCode, detail: string, cause: unknown): ProblemError {
  return new ProblemError(code, detail, { cause });
}
