import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Answer } from './answer.js';
import type { Engine } from './engine.js';
import { handleQuery } from './handler.js';
import { readRequest } from './request.js';

/**
 * ClickHouse's HTTP interface over the engine. Users and passwords are accepted as they come: it listens on the
 * loopback address, for development.
 */
export function createClickHouseServer(engine: Engine): Server {
  const server = createServer((request, response) => void serve(engine, request, response));
  // Longer than any client keeps an idle socket, so that no request meets a socket that is being closed.
  server.keepAliveTimeout = 65_000;
  server.requestTimeout = 0;
  server.maxRequestsPerSocket = 0;
  return server;
}

async function serve(engine: Engine, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://embedded');
  const method = request.method ?? '';
  if (url.pathname === '/ping' || url.pathname === '/replicas_status') return plain(response, 200, 'Ok.\n');
  if (url.pathname !== '/') return plain(response, 404, `There is no handle ${url.pathname}\n`);
  if (method !== 'GET' && method !== 'POST' && method !== 'HEAD') {
    return plain(response, 501, 'Code: 48. DB::Exception: Method is not supported. (NOT_IMPLEMENTED)\n');
  }
  if (method !== 'POST' && !url.searchParams.has('query')) return plain(response, 200, 'Ok.\n');
  await answerQuery({ engine, request, response, url });
}

async function answerQuery(parts: {
  engine: Engine;
  request: IncomingMessage;
  response: ServerResponse;
  url: URL;
}): Promise<void> {
  const { engine, request, response, url } = parts;
  const queryId = cleanId(url.searchParams.get('query_id')) ?? randomUUID();
  const answer = new Answer({ request, response, url, queryId, version: engine.version });
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

/** A query id comes back in a header: nothing but what is harmless there. */
function cleanId(id: string | null): string | undefined {
  return id && /^[\w.:-]{1,128}$/.test(id) ? id : undefined;
}

function plain(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'Content-Type': 'text/plain; charset=UTF-8' });
  response.end(text);
}
