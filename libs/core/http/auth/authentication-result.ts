import type { FastifyReply, FastifyRequest } from 'fastify';
import { allStreams, type StreamAccess } from '#api';
import { portOf } from '../port-name.js';
import type { KeyRateLimiter } from '../rate-limit/key-limits.js';
import type { ApiKey } from './key-ring.js';
import type { KeyScope } from './scope.js';

/**
 * The result of authenticating a request on a port that requires API keys: its key, rate limiter and repeated check.
 * `key` is undefined only on routes that need no key.
 */
export interface AuthenticationResult {
  key?: ApiKey;
  limits?: KeyRateLimiter;
  /** Checks the key again. @throws ProblemError when the key no longer permits this route */
  check?(): void;
  reply: FastifyReply;
}

const admissions = new WeakMap<FastifyRequest, AuthenticationResult>();

const noStreams: StreamAccess = { patterns: [], reserved: false };

/** Stores how a request was authenticated, so that handlers can look it up by request. */
export function storeAuthentication(request: FastifyRequest, admission: AuthenticationResult): void {
  admissions.set(request, admission);
}

/** Returns the key of this request; undefined on ports without authentication and on public routes. */
export function apiKeyOf(request: FastifyRequest): ApiKey | undefined {
  return admissions.get(request)?.key;
}

/**
 * Returns the streams that this request may read and write: all streams on a port without authentication, else the
 * streams of its key. Reserved streams of the system need the scope `admin`.
 */
export function accessOf(request: FastifyRequest): StreamAccess {
  const admission = admissions.get(request);
  if (!admission) return allStreams;
  const { key } = admission;
  return key ? { patterns: key.streams, reserved: key.scopes.has('admin') } : noStreams;
}

/** Returns whether the API key of this request has the scope; always true on a port without authentication. */
export function hasScope(request: FastifyRequest, scope: KeyScope): boolean {
  const admission = admissions.get(request);
  return !admission || admission.key?.scopes.has(scope) === true;
}

/**
 * Checks again, during a long-running answer, that the API key of its request is still valid. The check does not count
 * against the key's rate limit.
 * @throws ProblemError when the key has expired or was revoked, or when this cannot be verified
 */
export function requireStillAuthenticated(request: FastifyRequest): void {
  admissions.get(request)?.check?.();
}

/** Returns the key id, port and request id of this request, which audit events name as their actor. */
export function actorOf(request: FastifyRequest): {
  key_id: string | null;
  port: string;
  request_id: string;
} {
  return { key_id: apiKeyOf(request)?.keyId ?? null, port: portOf(request), request_id: request.id };
}

/**
 * Takes `count` events from the rate limit of this request's key. Call it once per request, when the number of events
 * is known and before any event is written.
 * @throws ProblemError 429 `too_many_requests`
 */
export function takeEvents(request: FastifyRequest, count: number): void {
  const admission = admissions.get(request);
  if (!admission?.limits) return;
  const now = performance.now();
  admission.limits.take('events', count, now);
  void admission.reply.headers(admission.limits.headers(now));
}
