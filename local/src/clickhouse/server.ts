import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { ClickHouseResponseWriter } from './response.js';
import type { EmbeddedClickHouse } from './engine.js';
import { refuseCredentials, refuseForeignOrigin, type HttpRefusal } from './guard.js';
import { handleQuery } from './handler.js';
import { readRequest } from './request.js';

/**
 * Returns an HTTP server that implements ClickHouse's HTTP interface over the engine, for development. The server
 * listens on the loopback address, answers only queries with the password, and refuses requests from web pages.
 */
export function createClickHouseServer(engine: EmbeddedClickHouse, password: string): Server {
  // The maximum URL size of ClickHouse's server: the URL contains settings.
  const server = createServer(
    { maxHeaderSize: 1 << 20 },
    (request, response) => void serve({ engine, password, request, response }),
  );
  // Longer than the idle time of any client's socket, so that no request is sent on a socket that is being closed.
  server.keepAliveTimeout = 65_000;
  server.requestTimeout = 0;
  server.maxRequestsPerSocket = 0;
  return server;
}

interface Incoming {
  engine: EmbeddedClickHouse;
  password: string;
  request: IncomingMessage;
  response: ServerResponse;
}

async function serve({ engine, password, request, response }: Incoming): Promise<void> {
  const foreign = refuseForeignOrigin(request.headers);
  if (foreign) return refuse(response, foreign);
  const [target, base] = [request.url ?? '/', 'http://embedded'];
  if (!URL.canParse(target, base)) return refuse(response, { status: 400, text: 'The URL cannot be read\n' });
  const url = new URL(target, base);
  const method = request.method ?? '';
  if (url.pathname === '/ping') return plain(response, 200, 'Ok.\n');
  if (url.pathname !== '/') return plain(response, 404, `There is no handle ${url.pathname}\n`);
  if (method !== 'GET' && method !== 'POST' && method !== 'HEAD') {
    return plain(response, 501, 'Code: 48. DB::Exception: Method is not supported. (NOT_IMPLEMENTED)\n');
  }
  if (method !== 'POST' && !url.searchParams.has('query')) return plain(response, 200, 'Ok.\n');
  const unknown = refuseCredentials(request.headers, password);
  if (unknown) return refuse(response, unknown);
  await answerQuery({ engine, request, response, url });
}

async function answerQuery(parts: {
  engine: EmbeddedClickHouse;
  request: IncomingMessage;
  response: ServerResponse;
  url: URL;
}): Promise<void> {
  const { engine, request, response, url } = parts;
  const queryId = cleanId(url.searchParams.get('query_id')) ?? randomUUID();
  const answer = new ClickHouseResponseWriter({ request, response, url, queryId, version: engine.version });
  const gone = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) gone.abort();
  });
  try {
    const query = readRequest({ url, headers: request.headers, queryId });
    await handleQuery(engine, { http: request, query, answer, gone: gone.signal });
  } catch (error) {
    answer.fail(error);
  }
}

/** Returns the query id if it is safe in a response header, otherwise undefined. */
function cleanId(id: string | null): string | undefined {
  return id && /^[\w.:-]{1,128}$/.test(id) ? id : undefined;
}

/** Sends a refusal. The body is not read, so the connection cannot be reused. */
function refuse(response: ServerResponse, { status, text }: HttpRefusal): void {
  response.setHeader('Connection', 'close');
  plain(response, status, text);
}

function plain(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'Content-Type': 'text/plain; charset=UTF-8' });
  response.end(text);
}
