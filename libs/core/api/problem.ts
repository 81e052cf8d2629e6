/** One error in the input of a request. `pointer` is a JSON pointer (RFC 6901) into the body, or a parameter's name. */
export interface InputProblem {
  pointer: string;
  detail: string;
}

/** What every answer with a problem says. */
export interface ProblemDefinition {
  status: number;
  title: string;
  /** Whether the same request may succeed later. Answers with a retryable problem have a `Retry-After` header. */
  retryable?: boolean;
}

const definitions = new Map<string, ProblemDefinition>();

/**
 * Defines problems (RFC 9457) that the HTTP API can answer with. The key is the stable `code` of the problem, from which
 * its `type` is derived. The file that calls this function also adds the codes to `ProblemCatalogue`, and the code that
 * throws such a problem imports the file.
 * @throws Error if a code is defined already
 */
export function defineProblems<Code extends string>(
  problems: Record<Code, ProblemDefinition>,
): Record<Code, ProblemDefinition> {
  for (const [code, definition] of Object.entries<ProblemDefinition>(problems)) {
    if (definitions.has(code)) throw new Error(`The problem ${code} is defined twice.`);
    definitions.set(code, definition);
  }
  return problems;
}

/** Problems of HTTP, authentication, Kafka and ClickHouse. Other problems are defined beside the code that throws them. */
export const coreProblems = defineProblems({
  invalid_request: { status: 400, title: 'The request is not valid' },
  invalid_json: { status: 400, title: 'The body is not valid JSON' },
  unauthenticated: { status: 401, title: 'Credentials are required' },
  invalid_token: { status: 401, title: 'The API key is not valid' },
  insufficient_scope: { status: 403, title: 'The API key does not permit this' },
  stream_forbidden: { status: 403, title: 'The API key does not permit this stream' },
  cross_site_request: { status: 403, title: 'Pages of other sites may not use this port' },
  not_found: { status: 404, title: 'There is nothing at this address' },
  stream_not_found: { status: 404, title: 'There is no stream with this name' },
  method_not_allowed: { status: 405, title: 'The method is not allowed here' },
  not_acceptable: { status: 406, title: 'None of the accepted media types can be produced' },
  request_timeout: { status: 408, title: 'The request was not sent in time' },
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
});

/** The problems by code. A file that defines problems adds its own with `declare module '#api'`. */
export interface ProblemCatalogue extends Readonly<typeof coreProblems> {}

/** Stable `code` of a problem in an answer of the HTTP API, such as `invalid_json`. */
export type ProblemCode = keyof ProblemCatalogue;

/** Returns the codes that are defined by what this process has imported, sorted. */
export function problemCodes(): ProblemCode[] {
  return [...definitions.keys()].sort() as ProblemCode[];
}

/** Returns the definition of a problem. @throws Error if the file that defines it is not imported */
export function problemDefinition(code: ProblemCode): ProblemDefinition {
  const definition = definitions.get(code);
  if (!definition) throw new Error(`The problem ${code} is not defined. Import the file that defines it.`);
  return definition;
}

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

/** Detail of an `internal_error`, whose cause is only logged. */
export const internalErrorDetail = 'The request could not be handled. Quote its request_id.';

/**
 * An error that a request is answered with, as a problem document with this code and detail. Any other error becomes an
 * `internal_error` without details, and so does an error whose code is not defined: its cause says so in the log.
 */
export class ProblemError extends Error {
  override readonly name = 'ProblemError';
  readonly code: ProblemCode;
  readonly options: {
    errors?: InputProblem[];
    currentVersion?: number | undefined;
    retryAfterSeconds?: number;
    headers?: Record<string, string>;
    cause?: unknown;
  };

  constructor(code: ProblemCode, detail: string, options: ProblemError['options'] = {}) {
    const isDefined = definitions.has(code);
    super(isDefined ? detail : internalErrorDetail, { cause: options.cause });
    this.code = isDefined ? code : 'internal_error';
    this.options = isDefined
      ? options
      : { cause: new Error(`The problem ${code} is not defined: ${detail}`) };
  }

  get status(): number {
    return problemDefinition(this.code).status;
  }

  get retryable(): boolean {
    return problemDefinition(this.code).retryable ?? false;
  }

  toDocument(): ProblemDocument {
    const { status, title } = problemDefinition(this.code);
    return {
      type: `urn:tributary:problem:${this.code}`,
      title,
      status,
      detail: this.message,
      code: this.code,
      ...(this.options.errors && { errors: this.options.errors }),
      ...(this.options.currentVersion !== undefined && { current_version: this.options.currentVersion }),
    };
  }
}
