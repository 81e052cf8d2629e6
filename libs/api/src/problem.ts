/**
 * One error in the input of a request. `pointer` is a JSON pointer (RFC 6901) into the body, or the name of a
 * parameter.
 */
export interface InputProblem {
  pointer: string;
  detail: string;
}

interface CatalogueEntry {
  status: number;
  title: string;
  /** Whether the same request may succeed later. Answers with a retryable problem have a `Retry-After` header. */
  retryable?: boolean;
}

/**
 * All problems (RFC 9457) that the HTTP API can answer with. The key is the stable `code` of the problem, from which
 * its `type` is derived.
 */
export const problems = {
  invalid_request: { status: 400, title: 'The request is not valid' },
  invalid_json: { status: 400, title: 'The body is not valid JSON' },
  invalid_cursor: { status: 400, title: 'The cursor does not belong to this query' },
  invalid_schema: { status: 400, title: 'The schema cannot be used' },
  invalid_expression: { status: 400, title: 'The expression cannot be used' },
  unauthenticated: { status: 401, title: 'Credentials are required' },
  invalid_token: { status: 401, title: 'The API key is not valid' },
  insufficient_scope: { status: 403, title: 'The API key does not permit this' },
  stream_forbidden: { status: 403, title: 'The API key does not permit this stream' },
  stream_reserved: { status: 403, title: 'The name is reserved for the system' },
  cross_site_request: { status: 403, title: 'Pages of other sites may not use this port' },
  not_found: { status: 404, title: 'There is nothing at this address' },
  event_not_found: { status: 404, title: 'There is no event with this id' },
  stream_not_found: { status: 404, title: 'There is no stream with this name' },
  schema_not_found: { status: 404, title: 'There is no such schema' },
  key_not_found: { status: 404, title: 'There is no key with this id' },
  entity_not_found: { status: 404, title: 'There is no such entity' },
  projection_not_found: { status: 404, title: 'There is no projection with this name' },
  pipeline_not_found: { status: 404, title: 'There is no pipeline with this name' },
  projection_key_not_found: { status: 404, title: 'The projection has no such key' },
  snapshot_impossible: { status: 409, title: 'The entity has no state for a snapshot' },
  method_not_allowed: { status: 405, title: 'The method is not allowed here' },
  not_acceptable: { status: 406, title: 'None of the accepted media types can be produced' },
  request_timeout: { status: 408, title: 'The request was not sent in time' },
  stream_exists: { status: 409, title: 'The stream exists already' },
  stream_name_collision: { status: 409, title: 'The name collides with that of another stream' },
  stream_limit_reached: { status: 409, title: 'The number of streams has reached its limit' },
  key_inactive: { status: 409, title: 'The API key is revoked or expired' },
  stream_being_deleted: { status: 409, title: 'The stream is being deleted' },
  schema_incompatible: { status: 409, title: 'The schema is not compatible with earlier versions' },
  definition_limit_reached: {
    status: 409,
    title: 'The number of definitions of this kind has reached its limit',
  },
  projection_exists: { status: 409, title: 'There is a projection with this name already' },
  pipeline_exists: { status: 409, title: 'There is a pipeline with this name already' },
  pipeline_loop: { status: 409, title: 'The pipeline would feed itself' },
  version_conflict: { status: 412, title: 'The entity has another version' },
  payload_too_large: { status: 413, title: 'The body is too large' },
  uri_too_long: { status: 414, title: 'The URI is too long' },
  unsupported_media_type: { status: 415, title: 'The media type is not supported' },
  expectation_failed: { status: 417, title: 'The expectation cannot be met' },
  host_not_allowed: { status: 421, title: 'This instance does not serve this host' },
  headers_too_large: { status: 431, title: 'The headers are too large' },
  too_many_requests: { status: 429, title: 'Too many requests', retryable: true },
  internal_error: { status: 500, title: 'The server failed with an internal error' },
  overloaded: { status: 503, title: 'This instance is overloaded', retryable: true },
  log_unavailable: { status: 503, title: 'Kafka cannot be reached', retryable: true },
  store_unavailable: { status: 503, title: 'ClickHouse cannot be reached', retryable: true },
  starting: { status: 503, title: 'This instance is still starting', retryable: true },
  shutting_down: { status: 503, title: 'This instance is shutting down', retryable: true },
  definition_conflict: {
    status: 503,
    title: 'Other requests keep changing the same definition',
    retryable: true,
  },
  projection_building: { status: 503, title: 'The projection is still being built', retryable: true },
  entity_state_too_large: { status: 422, title: 'The state of the entity is too large' },
  schema_too_expensive: { status: 422, title: 'The event takes too long to validate against its schema' },
  schema_violation: { status: 422, title: 'The event does not match its schema' },
  query_too_expensive: { status: 422, title: 'The query costs more than is allowed' },
  undecided: { status: 504, title: 'The conditional write is not decided yet', retryable: true },
  not_yet_materialized: { status: 504, title: 'The position cannot be queried yet' },
} as const satisfies Record<string, CatalogueEntry>;

/** Stable `code` of a problem in an answer of the HTTP API, such as `invalid_json`. */
export type ProblemCode = keyof typeof problems;

/** Body (RFC 9457) of every answer of the HTTP API that is not 2xx or 3xx. The HTTP layer adds `request_id`. */
export interface ProblemDocument {
  type: string;
  title: string;
  status: number;
  detail: string;
  code: ProblemCode;
  errors?: InputProblem[];
  /** For the problem `version_conflict`: the current version of the entity. */
  current_version?: number;
}

/**
 * An error that a request is answered with, as a problem document with this code and detail. Any other error becomes an
 * `internal_error` without details.
 */
export class ProblemError extends Error {
  override readonly name = 'ProblemError';

  constructor(
    readonly code: ProblemCode,
    detail: string,
    readonly options: {
      errors?: InputProblem[];
      currentVersion?: number | undefined;
      retryAfterSeconds?: number;
      headers?: Record<string, string>;
      cause?: unknown;
    } = {},
  ) {
    super(detail, { cause: options.cause });
  }

  get status(): number {
    return problems[this.code].status;
  }

  get retryable(): boolean {
    const entry: CatalogueEntry = problems[this.code];
    return entry.retryable ?? false;
  }

  toDocument(): ProblemDocument {
    return {
      type: `urn:tributary:problem:${this.code}`,
      title: problems[this.code].title,
      status: this.status,
      detail: this.message,
      code: this.code,
      ...(this.options.errors && { errors: this.options.errors }),
      ...(this.options.currentVersion !== undefined && { current_version: this.options.currentVersion }),
    };
  }
}
