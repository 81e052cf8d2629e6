import { HttpException } from '@nestjs/common';
import { ProblemError, type ProblemCode } from '#api';
import { LogOverloadedError, LogUnavailableError, UnknownTopicError } from '#log';
import {
  InvalidCursorError,
  QueryTooExpensiveError,
  StoreOverloadedError,
  StoreUnavailableError,
} from '#store';
import { UntranslatableExpressionError } from '#cel';

/** Problems for the codes that Fastify gives its own errors. */
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

/** Problems for the statuses of Nest's own exceptions, and of those errors of Fastify that have no code above. */
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
 * The HTTP form of whatever was thrown: the one place where errors of the ports and of the framework become problems.
 * What is not known here is an `internal_error` that tells the client nothing but the request's id.
 */
export function problemOf(error: unknown): ProblemError {
  if (error instanceof ProblemError) return error;
  return portProblem(error) ?? frameworkProblem(error) ?? internalError(error);
}

function portProblem(error: unknown): ProblemError | undefined {
  if (error instanceof LogOverloadedError)
    return problem('overloaded', 'Too many bytes are on their way to Kafka. Repeat the request.', error);
  if (error instanceof LogUnavailableError)
    return problem('log_unavailable', 'Kafka did not acknowledge. Repeat with the same event ids.', error);
  if (error instanceof UnknownTopicError)
    return problem('stream_not_found', 'The stream does not exist any more.', error);
  if (error instanceof StoreOverloadedError)
    return problem(
      'overloaded',
      'Too many bytes of answers are held at once. Repeat the request, or ask for a smaller page.',
      error,
    );
  if (error instanceof StoreUnavailableError)
    return problem('store_unavailable', 'ClickHouse does not answer. Repeat the request.', error);
  if (error instanceof QueryTooExpensiveError) return problem('query_too_expensive', error.message, error);
  if (error instanceof InvalidCursorError) {
    const detail = 'The cursor is broken, or belongs to a query with other filters.';
    return new ProblemError('invalid_cursor', detail, { errors: [{ pointer: 'cursor', detail }] });
  }
  if (error instanceof UntranslatableExpressionError) {
    const detail = `${error.message} (at character ${error.at + 1})`;
    return new ProblemError('invalid_expression', detail, { errors: [{ pointer: 'where', detail }] });
  }
  return undefined;
}

function frameworkProblem(error: unknown): ProblemError | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code = '', statusCode } = error as { code?: string; statusCode?: number };
  const fastifyCode = fastifyCodes[code] ?? (code.startsWith('FST_') && codeOfStatus(statusCode));
  if (fastifyCode) return problem(fastifyCode, error.message, error);
  const nestCode = error instanceof HttpException && statusCodes[error.getStatus()];
  return nestCode ? problem(nestCode, error.message, error) : undefined;
}

/** What Fastify refuses is the client's fault, whether or not the refusal is known here. */
function codeOfStatus(status = 500): ProblemCode | undefined {
  return status >= 400 && status < 500 ? (statusCodes[status] ?? 'invalid_request') : undefined;
}

function internalError(cause: unknown): ProblemError {
  return problem('internal_error', 'The request could not be handled. Quote its request_id.', cause);
}

function problem(code: ProblemCode, detail: string, cause: unknown): ProblemError {
  return new ProblemError(code, detail, { cause });
}
