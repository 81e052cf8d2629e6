import type { FastifyInstance, FastifyReply, FastifyRequest, onSendHookHandler } from 'fastify';
import { ProblemError } from '#api';
import { isAlwaysAnswered } from '../route-config.js';
import { whenClosed } from '../when-closed.js';
import type { AnswerBudget, AnswerShare } from './answer-budget.js';
import { inPieces, pieceBytes } from './in-pieces.js';
import { defaultSendBounds, SendWatch, type SendBounds } from './send-watch.js';

/** What bounds the answers of each server. */
const bounds = new WeakMap<object, { budget: AnswerBudget; watch: SendWatch }>();
const shares = new WeakMap<FastifyReply, AnswerShare>();

/**
 * Bounds what waits to be sent on a port: every answer counts in the budget until its client has taken it, and a client
 * that takes too little is cut off. A body that is larger than one piece goes out piece by piece.
 */
export function registerAnswers(
  instance: FastifyInstance,
  { budget, sending }: { budget: AnswerBudget; sending?: Partial<SendBounds> | undefined },
): void {
  const watch = new SendWatch({ ...defaultSendBounds, ...sending }, (time) => budget.tightSince(time));
  bounds.set(instance.server, { budget, watch });
  instance.addHook('onSend', (...[request, reply, payload, done]: Parameters<onSendHookHandler>) => {
    const bytes = heldBytes(payload);
    if (bytes === 0) return done();
    try {
      hold(request, reply, bytes);
    } catch (error) {
      return done(error as Error);
    }
    if (bytes <= pieceBytes || isStream(payload)) return done();
    void reply.header('content-length', bytes);
    done(null, inPieces(typeof payload === 'string' ? Buffer.from(payload) : (payload as Buffer)));
  });
}

/**
 * Counts what a streamed answer holds until its client has taken it. Call it before the answer's headers are set.
 * @throws ProblemError 503 `overloaded` when too many bytes of answers wait already.
 */
export function holdAnswer(request: FastifyRequest, reply: FastifyReply, bytes: number): void {
  hold(request, reply, bytes);
}

function hold(request: FastifyRequest, reply: FastifyReply, bytes: number): void {
  const bound = bounds.get(request.server.server);
  // Without a client that waits, nothing is held, and nothing would give it back.
  if (!bound || shares.has(reply) || reply.raw.destroyed) return;
  const share = bound.budget.share();
  if (mustBeSent(request, reply)) share.force(bytes);
  else if (!share.take(bytes)) throw tooMuchWaits();
  shares.set(reply, share);
  const unwatch = bound.watch.add(request.raw.socket);
  whenClosed(reply.raw, () => {
    unwatch();
    share.end();
  });
}

/** A refusal, the answer to a probe, and what says that something was changed. */
function mustBeSent({ routeOptions }: FastifyRequest, { statusCode }: FastifyReply): boolean {
  const { config, url } = routeOptions;
  return isAlwaysAnswered(config) || statusCode >= 400 || url?.startsWith('/health') === true;
}

/** A stream holds what its buffers hold, unless whoever made it has said more. */
function heldBytes(payload: unknown): number {
  if (typeof payload === 'string') return Buffer.byteLength(payload);
  if (Buffer.isBuffer(payload)) return payload.length;
  return isStream(payload) ? pieceBytes : 0;
}

function isStream(payload: unknown): boolean {
  return typeof (payload as { pipe?: unknown } | null | undefined)?.pipe === 'function';
}

function tooMuchWaits(): ProblemError {
  const detail =
    'Too many bytes of answers wait for clients to take them. Repeat the request, or ask for a smaller page.';
  return new ProblemError('overloaded', detail, { retryAfterSeconds: 2 });
}
