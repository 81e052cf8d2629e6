import type { ServerResponse } from 'node:http';
import { Socket } from 'node:net';

type Response = Pick<ServerResponse, 'once' | 'closed'>;

const waiting = new WeakMap<Response, (() => void)[]>();

/**
 * Calls `call` once, when the answer has been sent or its connection has closed; immediately if it is closed already.
 * All callers for one answer share one listener: Node warns of a leak at eleven listeners, and Fastify and Node add
 * their own.
 */
export function whenClosed(response: Response, call: () => void): void {
  if (response.closed) return call();
  const others = waiting.get(response);
  if (others) return void others.push(call);
  const calls = [call];
  waiting.set(response, calls);
  response.once('close', () => {
    for (const each of calls) each();
  });
}

/**
 * Resets the connection of an answer that has begun and cannot be completed. With HTTP/1.0, an answer without chunked
 * encoding would look complete after an orderly close (RFC 9112, section 6.3).
 */
export function resetAnswer({ headersSent, socket }: Pick<ServerResponse, 'headersSent' | 'socket'>): void {
  if (headersSent && socket instanceof Socket) socket.resetAndDestroy();
}
