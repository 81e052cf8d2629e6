import { errorOf } from '../errors/error-of.js';
import { ProblemError, InvalidAnswerError, UnreachableError } from '../errors/tributary-error.js';
import { queryText, type QueryParameters } from './address.js';
import { backOffMs, retryAfterSeconds, sleep } from './back-off.js';
import { Deadline } from './deadline.js';

/** The subset of the global `fetch` that the client uses. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** URL, API key and time-out of the requests to one port of Tributary. */
interface HttpClientOptions {
  url: string;
  apiKey?: string;
  fetch?: Fetch;
  /** The time-out of one request in milliseconds. */
  timeoutMs: number;
}

/** Options of every method in addition to its own parameters. */
export interface CallOptions {
  /** Aborts the call: the promise rejects with the signal's reason. */
  signal?: AbortSignal;
}

/** One HTTP request to the API. */
export interface ApiRequest extends CallOptions {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
  query?: QueryParameters;
  headers?: Record<string, string>;
  body?: string | Uint8Array<ArrayBuffer>;
  timeoutMs?: number;
  /** A status outside 2xx with which the answer is returned instead of thrown as an error. */
  accept?: number;
}

/** Status and body of an answer that is not an error. */
export interface HttpAnswer {
  status: number;
  text: string;
  requestId: string;
}

/** The maximum number of attempts of a request that is safe to repeat. */
const mostAttempts = 3;

/** Sends requests to one port of Tributary, and converts failures to the errors of this package. */
export class HttpClient {
  private readonly base: string;
  private readonly fetch: Fetch;

  constructor(private readonly options: HttpClientOptions) {
    this.base = options.url.replace(/\/+$/, '');
    this.fetch = options.fetch ?? ((url, init) => globalThis.fetch(url, init));
  }

  /**
   * Sends a request that is safe to repeat, up to three times while the server cannot be reached or refuses it with
   * `Retry-After`. A request that timed out is not repeated.
   */
  async repeat(request: ApiRequest): Promise<HttpAnswer> {
    for (let failures = 1; ; failures++) {
      try {
        return await this.send(request);
      } catch (error) {
        if (failures === mostAttempts || !isRefusedForNow(error)) throw error;
        const ms = backOffMs(failures, error);
        // After a longer time the server may have forgotten the event's id, and would store the event twice.
        if (ms > this.options.timeoutMs) throw error;
        await sleep(ms, request.signal);
      }
    }
  }

  /** Sends a request once. @throws ProblemError and the other errors of this package */
  async send(request: ApiRequest): Promise<HttpAnswer> {
    const deadline = new Deadline(request.timeoutMs ?? this.options.timeoutMs, request.signal);
    try {
      const response = await this.call(request, deadline.signal);
      const text = await response.text().catch((error: unknown) => cutOff(error, deadline.signal));
      const { ok, status, headers } = response;
      if (!ok && status !== request.accept) throw failure(response, text);
      return { status, text, requestId: headers.get('x-request-id') ?? '' };
    } finally {
      deadline.release();
    }
  }

  /** Opens an answer with one of these media types, which is read as a stream. The signal cancels it. */
  async open(
    request: ApiRequest,
    signal: AbortSignal,
    mediaTypes: readonly string[] = ['text/event-stream'],
  ): Promise<{ body: ReadableStream<Uint8Array>; headers: Headers }> {
    const response = await this.call(request, signal);
    if (response.ok && response.body) {
      const body = bodyOfType(response, response.body, mediaTypes);
      return { body: checkedBody(body, (error) => cutOff(error, signal)), headers: response.headers };
    }
    const text = await response.text().catch((error: unknown) => cutOff(error, signal));
    throw failure(response, text);
  }

  private async call(request: ApiRequest, signal: AbortSignal): Promise<Response> {
    const { method = 'GET', body, headers } = request;
    const url = this.base + request.path + queryText(request.query);
    const key = this.options.apiKey;
    const authorization = key === undefined ? undefined : { authorization: `Bearer ${key}` };
    const type = body === undefined ? undefined : { 'content-type': 'application/json' };
    try {
      return await this.fetch(url, {
        method,
        body,
        signal,
        headers: { ...authorization, ...type, ...headers },
      });
    } catch (error) {
      signal.throwIfAborted();
      throw new UnreachableError(`${this.base} cannot be reached: ${reasonOf(error)}`, { cause: error });
    }
  }
}

/** Returns the body if it has an expected media type, which the page of a proxy has not. @throws InvalidAnswerError */
function bodyOfType(
  { headers }: Response,
  body: ReadableStream<Uint8Array>,
  mediaTypes: readonly string[],
): ReadableStream<Uint8Array> {
  const type = headers.get('content-type') ?? 'nothing';
  if (mediaTypes.some((one) => type.startsWith(one))) return body;
  throw new InvalidAnswerError(`The answer is ${type}, and not ${mediaTypes.join(' or ')}.`);
}

function failure({ status, headers }: Response, text: string): Error {
  const exceptionCode = headers.get('x-clickhouse-exception-code');
  return errorOf({ status, text, exceptionCode, retryAfterSeconds: retryAfterSeconds(headers) });
}

/** Whether a refusal is transient. A read that timed out is not: a repetition would cost as much again. */
function isRefusedForNow(error: unknown): boolean {
  if (error instanceof UnreachableError) return true;
  return error instanceof ProblemError && error.retryAfterSeconds !== undefined;
}

function cutOff(cause: unknown, signal: AbortSignal): never {
  signal.throwIfAborted();
  throw new InvalidAnswerError(`The answer was cut off: ${reasonOf(cause)}`, { cause });
}

/** Returns the reason of a failed `fetch`, which is in the cause of its error. */
function reasonOf(error: unknown): string {
  const { cause, message } = error as Error;
  return cause instanceof Error ? cause.message || (cause as { code?: string }).code || message : message;
}

/** Reads a body on demand. If reading fails, the reader gets the error that `fail` throws. */
function checkedBody(
  body: ReadableStream<Uint8Array>,
  fail: (error: unknown) => never,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await reader.read().catch(fail);
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}
