import { Agent, request } from 'undici';
import type { IncomingHttpHeaders } from 'node:http';

/** A complete HTTP answer: status, headers and text. */
export interface HttpAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  /** Returns the parsed JSON body of the answer. @throws SyntaxError if the body is not JSON */
  json<T = Record<string, unknown>>(): T;
}

/** Body, headers and time-out of a request. */
interface HttpRequest {
  body?: string | Buffer;
  headers?: Record<string, string>;
  timeoutMs?: number;
}

/**
 * A keep-alive HTTP client of one base URL. The client returns an answer with any status, and throws only if the
 * exchange fails.
 */
export class HttpClient {
  private readonly agent: Agent;

  constructor(
    readonly baseUrl: string,
    private readonly options: {
      headers?: Record<string, string>;
      connections?: number;
      timeoutMs?: number;
    } = {},
  ) {
    this.agent = new Agent({ connections: options.connections ?? 16, pipelining: 1 });
  }

  get(path: string, more: HttpRequest = {}): Promise<HttpAnswer> {
    return this.send('GET', path, more);
  }

  /** Posts a value as JSON, or a string or bytes unchanged. The default content type is JSON. */
  post(path: string, body: unknown, more: Omit<HttpRequest, 'body'> = {}): Promise<HttpAnswer> {
    const raw = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
    return this.send('POST', path, {
      ...more,
      body: raw,
      headers: { 'content-type': 'application/json', ...more.headers },
    });
  }

  /** @throws an Error that names the request if it is not answered in time */
  async send(method: string, path: string, more: HttpRequest = {}): Promise<HttpAnswer> {
    try {
      return await this.answer(method, path, more);
    } catch (error) {
      if ((error as Error).name !== 'TimeoutError') throw error;
      throw new Error(`${method} ${path} was not answered in time.`, { cause: error });
    }
  }

  private async answer(method: string, path: string, more: HttpRequest): Promise<HttpAnswer> {
    const answer = await request(new URL(path, this.baseUrl), {
      method: method as 'GET',
      dispatcher: this.agent,
      body: more.body ?? null,
      headers: { ...this.options.headers, ...more.headers },
      signal: AbortSignal.timeout(more.timeoutMs ?? this.options.timeoutMs ?? 60_000),
    });
    const text = await answer.body.text();
    return {
      status: answer.statusCode,
      headers: answer.headers,
      text,
      json: <T>() => JSON.parse(text) as T,
    };
  }

  async close(): Promise<void> {
    await this.agent.destroy();
  }
}
