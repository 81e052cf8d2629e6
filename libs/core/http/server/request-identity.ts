import { randomFillSync, randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { isTraceparent } from '#telemetry';
import { spanOf } from './http-tracing.js';

/** Printable ASCII without spaces at the ends, 1 to 128 characters: safe in a header, a log line and a Kafka header. */
const requestIdPattern = /^[\x21-\x7e](?:[\x20-\x7e]{0,126}[\x21-\x7e])?$/;

/** Returns the id of a request: the client's `X-Request-Id` if it matches `requestIdPattern`, else a new UUID. */
export function requestIdOf(request: Pick<IncomingMessage, 'headers'>): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && requestIdPattern.test(given) ? given : randomUUID();
}

/** Random bytes for the ids of 128 traces. One call for all of them costs as much as a call for the bytes of one. */
const pool = Buffer.alloc(24 * 128);
let poolHex = '';
let poolUsed = 0;

/** Returns the client's `traceparent` if it is valid, else one for a new trace that is not sampled. */
export function traceparentOf(request: Pick<IncomingMessage, 'headers'>): string {
  const given = request.headers.traceparent;
  if (isTraceparent(given)) return given;
  if (poolUsed >= poolHex.length) {
    poolHex = randomFillSync(pool).toString('hex');
    poolUsed = 0;
  }
  const ids = poolHex.slice(poolUsed, poolUsed + 48);
  poolUsed += 48;
  return `00-${ids.slice(0, 32)}-${ids.slice(32)}-00`;
}

/** Returns the headers of every Kafka record that a request writes. Call it once per request. */
export function recordHeaders(request: FastifyRequest): Record<string, string> {
  const traceparent = spanOf(request)?.traceparent ?? traceparentOf(request.raw);
  return { 'x-request-id': request.id, traceparent };
}
