import { gunzipSync } from 'node:zlib';
import { HttpClient, type Fetch } from './http-client.js';

/** A request that a `fakeFetch` has received. */
export interface SeenRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  /** The decompressed body. */
  text: string;
}

/** The HTTP answer of a `fakeFetch`: status, headers and body. */
export interface FakeAnswer {
  status?: number;
  headers?: Record<string, string>;
  /** A text, or a value that is sent as JSON. */
  body?: unknown;
}

type Answering = (request: SeenRequest) => FakeAnswer | Promise<FakeAnswer>;

/** A `fetch` whose answers come from a function; an error of the function is a failed connection. */
export function fakeFetch(answer: Answering): Fetch & { seen: SeenRequest[] } {
  const seen: SeenRequest[] = [];
  const fetch: Fetch = async (url, { method = 'GET', headers, body, signal }) => {
    signal?.throwIfAborted();
    const request = {
      ...{ method, path: url.replace(/^http:\/\/[^/]+/, '') },
      ...{ headers: headers as Record<string, string>, text: textOf(body) },
    };
    seen.push(request);
    const aborted = new Promise<never>((_, reject) =>
      signal?.addEventListener('abort', () => reject(signal.reason as Error)),
    );
    const {
      status = 200,
      headers: sent,
      body: content = '',
    } = await Promise.race([answer(request), aborted]);
    const text = typeof content === 'string' ? content : JSON.stringify(content);
    return new Response(status === 204 ? null : text, { status, headers: sent });
  };
  return Object.assign(fetch, { seen });
}

export function clientOf(fetch: Fetch): HttpClient {
  return new HttpClient({ url: 'http://tributary', timeoutMs: 5_000, fetch });
}

/** Returns a fake answer with this status and a problem document as its body. */
export function problem(code: string, status: number, more: object = {}): FakeAnswer {
  const document = { type: `urn:tributary:problem:${code}`, title: code, status, detail: `It is ${code}.` };
  return { status, body: { ...document, code, request_id: 'r-1', ...more } };
}

function textOf(body: RequestInit['body']): string {
  if (body === undefined || body === null) return '';
  if (typeof body === 'string') return body;
  const bytes = Buffer.from(body as Uint8Array);
  return (bytes[0] === 0x1f ? gunzipSync(bytes) : bytes).toString();
}
