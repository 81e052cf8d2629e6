import { STATUS_CODES, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { randomUUID } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { ProblemError } from '#api';
import { problemHeaders } from '../problems/send-problem.js';
import { whenClosed } from '../when-closed.js';

/**
 * Answers requests that fail before HTTP routing (RFC 9112): invalid HTTP, contradicting lengths, too large headers, or
 * a time-out while they arrive. The connection is closed after the answer.
 */
export function answerClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  const current = answerOf(socket);
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) socket.destroy();
  else if (current?.req.complete) endAfter(current, socket);
  // An answer has begun: the client would read another one as its body.
  else if (current?.headersSent) socket.destroy();
  else reject(socket, problemFor(error.code));
}

/** Answers requests that Node would answer without a body: no `Host`, an unknown `Expect`, the method CONNECT. */
export function registerUnroutedRequests(instance: FastifyInstance): void {
  const unexpected = new WeakSet<IncomingMessage>();
  instance.server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    unexpected.add(request);
    instance.routing(request, response);
  });
  instance.server.on('connect', (_request: IncomingMessage, socket: Duplex) => {
    const problem = new ProblemError('method_not_allowed', 'This is not a proxy.', {
      headers: { allow: '' },
    });
    reject(socket, problem);
  });
  instance.addHook('onRequest', (request, _reply, done) => {
    const { raw } = request;
    if (raw.headers.host === undefined && raw.httpVersion === '1.1')
      done(new ProblemError('invalid_request', 'An HTTP/1.1 request needs a Host header (RFC 9112).'));
    else if (raw.headers.expect !== undefined && unexpected.has(raw))
      done(new ProblemError('expectation_failed', 'The only supported expectation is 100-continue.'));
    else done();
  });
}

const ending = new WeakSet<Socket>();

/** Closes a connection after the answer to the request in progress, because invalid bytes came after that request. */
function endAfter(answer: ServerResponse, socket: Socket): void {
  if (ending.has(socket)) return;
  ending.add(socket);
  socket.pause();
  answer.shouldKeepAlive = false;
  whenClosed(answer, () => socket.destroySoon());
}

function reject(socket: Duplex, problem: ProblemError): void {
  socket.end(clientErrorAnswer(problem), () => socket.destroy());
}

function problemFor(code: string | undefined): ProblemError {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return new ProblemError('request_timeout', 'The whole request must arrive within the time-out.');
  if (code === 'HPE_HEADER_OVERFLOW')
    return new ProblemError('headers_too_large', 'The headers are larger than 16 KiB.');
  return new ProblemError('invalid_request', 'This is not a valid HTTP/1.1 request.');
}

function clientErrorAnswer(problem: ProblemError): string {
  const id = randomUUID();
  const headers = Object.entries(problemHeaders(problem))
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');
  const body = JSON.stringify({ ...problem.toDocument(), request_id: id });
  return (
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}\r\nContent-Type: application/problem+json\r\n` +
    `X-Request-Id: ${id}\r\n${headers}Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`
  );
}

/** Returns the answer in progress on a socket, which Node keeps in an undocumented property. */
function answerOf(socket: Socket): ServerResponse | undefined {
  return (socket as Socket & { _httpMessage?: ServerResponse | null })._httpMessage ?? undefined;
}
