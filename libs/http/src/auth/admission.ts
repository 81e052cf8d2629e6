import type { FastifyReply, FastifyRequest } from 'fastify';
import { allStreams, type StreamAccess } from '#api';
import { portOf } from '../port-name.js';
import type { KeyLimits } from '../rate-limit/key-limits.js';
import type { ApiKey } from './key-ring.js';
import type { Scope } from './scope.js';

/** How a port that requires keys has let a request in; without a key only where a route is public. */
export interface Admission {
  key?: ApiKey;
  limits?: KeyLimits;
  /** Looks at the key again. @throws ProblemError when it does not open this route any more */
  check?(): void;
  reply: FastifyReply;
}

const admissions = new WeakMap<FastifyRequest, Admission>();

const noStreams: StreamAccess = { patterns: [], reserved: false };

/** Keeps how a request was let in, for those who ask below. */
export function admit(request: FastifyRequest, admission: Admission): void {
  admissions.set(request, admission);
}

/** The key that this request was let in with; undefined on ports without authentication and on public routes. */
export function apiKeyOf(request: FastifyRequest): ApiKey | undefined {
  return admissions.get(request)?.key;
}

/**
 * The streams that this request may see and write: all on a port without authentication, else those of its key, the
 * system's own only with the scope `admin`.
 */
export function accessOf(request: FastifyRequest): StreamAccess {
  const admission = admissions.get(request);
  if (!admission) return allStreams;
  const { key } = admission;
  return key ? { patterns: key.streams, reserved: key.scopes.has('admin') } : noStreams;
}

/** Whether this request may be answered with what a route of this scope answers; always on a port without authentication. */
export function hasScope(request: FastifyRequest, scope: Scope): boolean {
  const admission = admissions.get(request);
  return !admission || admission.key?.scopes.has(scope) === true;
}

/**
 * For an answer that takes long: whether the request would still be let in. Nothing is counted.
 * @throws ProblemError when its key has expired or was revoked, or nobody knows
 */
export function requireStillAdmitted(request: FastifyRequest): void {
  admissions.get(request)?.check?.();
}

/** Who made this request, for the audit. It has the shape of an `Actor` of the definitions. */
export function actorOf(request: FastifyRequest): {
  key_id: string | null;
  port: string;
  request_id: string;
} {
  return { key_id: apiKeyOf(request)?.keyId ?? null, port: portOf(request), request_id: request.id };
}

/**
 * Uses up a part of the events per second that this request's key may write. Call it once a request, when it is known
 * how many events it has and before any is written.
 * @throws ProblemError too_many_requests
 */
export function takeEvents(request: FastifyRequest, count: number): void {
  const admission = admissions.get(request);
  if (!admission?.limits) return;
  const now = performance.now();
  admission.limits.take('events', count, now);
  void admission.reply.headers(admission.limits.headers(now));
}
