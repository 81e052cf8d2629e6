import { randomFillSync, randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { isTraceparent } from '#telemetry';
import { spanOf } from './http-tracing.js';

/** Printable ASCII without spaces at the ends, at most 128 characters: safe in a header, a log line and Kafka. */
const requestIdPattern = /^[\x21-\x7e](?:[\x20-\x7e]{0,126}[\x21-\x7e])?$/;

/** The request's id: the client's `X-Request-Id` when it can be carried everywhere unchanged, else a new UUID. */
export function requestIdOf(request: Pick<IncomingMessage, 'headers'>): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && requestIdPattern.test(given) ? given : randomUUID();
}

/** The client's `traceparent` when it is valid, else the start of a new trace, which nobody has recorded so far. */
export function traceparentOf(request: Pick<IncomingMessage, 'headers'>): string {
  const given = request.headers.traceparent;
  if (isTraceparent(given)) return given;
  const ids = randomHex48();
  return `00-${ids.slice(0, 32)}-${ids.slice(32)}-00`;
}

/** Random bytes are taken from the system for many traces at once: one call costs as much as for one. */
const pool = Buffer.alloc(24 * 128);
let poolHex = '';
let poolUsed = Infinity;

function randomHex48(): string {
  if (poolUsed >= 2 * pool.length) {
    poolHex = randomFillSync(pool).toString('hex');
    poolUsed = 0;
  }
  poolUsed += 48;
  return poolHex.slice(poolUsed - 48, poolUsed);
}

/** What every record that a request writes carries in its Kafka headers. Make it once a request. */
export function recordHeaders(request: FastifyRequest): Record<string, string> {
  const traceparent = spanOf(request)?.traceparent ?? traceparentOf(request.raw);
  return { 'x-request-id': request.id, traceparent };
}
