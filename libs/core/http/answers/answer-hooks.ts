import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest, onSendHookHandler } from 'fastify';
import { ProblemError } from '#api';
import { rulesOf } from '../route-config.js';
import { whenClosed } from '../when-closed.js';
import type { HttpAnswerMemoryBudget, HttpAnswerMemoryShare } from './http-answer-memory-budget.js';
import { defaultSlowClientLimits, SlowClientWatch, type SlowClientLimits } from './slow-client-watch.js';

/** Bytes of a body that are written to a connection at a time. */
const pieceBytes = 64 * 1024;

/** The answer budget and the slow-client watch of each HTTP server. */
const bounds = new WeakMap<object, { budget: HttpAnswerMemoryBudget; watch: SlowClientWatch }>();
const shares = new WeakMap<FastifyReply, HttpAnswerMemoryShare>();

/**
 * Limits the bytes of answers that wait to be sent on a port. Each answer counts in the answer budget until its client
 * has received it, and a client that reads too slowly is disconnected. A body larger than `pieceBytes` is sent in
 * pieces.
 */
export function registerAnswerLimits(
  instance: FastifyInstance,
  { budget, sending }: { budget: HttpAnswerMemoryBudget; sending?: Partial<SlowClientLimits> | undefined },
): void {
  const watch = new SlowClientWatch({ ...defaultSlowClientLimits, ...sending }, (time) =>
    budget.tightSince(time),
  );
  bounds.set(instance.server, { budget, watch });
  instance.addHook('onSend', (...[request, reply, payload, done]: Parameters<onSendHookHandler>) => {
    const bytes = countedBytes(payload);
    if (bytes === 0) return done();
    try {
      countAnswerBytes(request, reply, bytes);
    } catch (error) {
      return done(error as Error);
    }
    if (bytes <= pieceBytes || isStream(payload)) return done();
    void reply.header('content-length', bytes);
    const body = typeof payload === 'string' ? Buffer.from(payload) : (payload as Buffer);
    // The connection buffers only one piece at a time, so its progress shows how much the client has read.
    done(null, Readable.from(pieces(body), { objectMode: false }));
  });
}

/**
 * Counts `bytes` for an answer in the answer budget until its client has received it. A handler calls it before it
 * sends the headers of a streamed answer.
 * @throws ProblemError 503 `overloaded` when the budget has no room
 */
export function countAnswerBytes(request: FastifyRequest, reply: FastifyReply, bytes: number): void {
  const bound = bounds.get(request.server.server);
  // The client has disconnected: do not count the answer, because no later event would return its bytes to the budget.
  if (!bound || shares.has(reply) || reply.raw.destroyed) return;
  const share = bound.budget.share();
  if (mustBeSent(request, reply)) share.force(bytes);
  else if (!share.take(bytes)) {
    const detail =
      'Too many bytes of answers wait for clients to read them. Repeat the request, or ask for a smaller page.';
    throw new ProblemError('overloaded', detail, { retryAfterSeconds: 2 });
  }
  shares.set(reply, share);
  const unwatch = bound.watch.add(request.raw.socket);
  whenClosed(reply.raw, () => {
    unwatch();
    share.end();
  });
}

/** Returns whether the answer must be sent although the budget is full: an error, a health check, a confirmed change. */
function mustBeSent({ routeOptions }: FastifyRequest, { statusCode }: FastifyReply): boolean {
  if (rulesOf(routeOptions).alwaysAnswered || statusCode >= 400) return true;
  return routeOptions.url?.startsWith('/health') === true;
}

/** Returns the bytes that a payload counts. A stream counts as one piece, unless `countAnswerBytes` was called before. */
function countedBytes(payload: unknown): number {
  if (typeof payload === 'string') return Buffer.byteLength(payload);
  if (Buffer.isBuffer(payload)) return payload.length;
  return isStream(payload) ? pieceBytes : 0;
}

function isStream(payload: unknown): boolean {
  return typeof (payload as { pipe?: unknown } | null | undefined)?.pipe === 'function';
}

function* pieces(body: Buffer): Generator<Buffer> {
  for (let at = 0; at < body.length; at += pieceBytes) yield body.subarray(at, at + pieceBytes);
}
