import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { allStreams, type StreamAccess } from '#api';
import type { KeyRateLimiter } from '../rate-limit/key-limits.js';
import { portOf } from '../route-config.js';
import { requireKeyScope } from './authenticate.js';
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

const results = new WeakMap<FastifyRequest, AuthenticationResult>();

const noStreams: StreamAccess = { patterns: [], reserved: false };

/** Stores how a request was authenticated, so that handlers can look it up by request. */
export function storeAuthentication(request: FastifyRequest, result: AuthenticationResult): void {
  results.set(request, result);
}

/** Returns the key of this request; undefined on ports without authentication and on public routes. */
export function apiKeyOf(request: FastifyRequest): ApiKey | undefined {
  return results.get(request)?.key;
}

/**
 * Returns the streams that this request may read and write: all streams on a port without authentication, else the
 * streams of its key. Reserved streams of the system need the scope `admin`.
 */
export function accessOf(request: FastifyRequest): StreamAccess {
  const result = results.get(request);
  if (!result) return allStreams;
  const { key } = result;
  return key ? { patterns: key.streams, reserved: key.scopes.has('admin') } : noStreams;
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
  const result = results.get(request);
  if (!result?.limits) return;
  const now = performance.now();
  result.limits.take('events', count, now);
  void result.reply.headers(result.limits.headers(now));
}

/** The caller of a request. On a port without authentication every caller has all permissions. */
export class Principal {
  constructor(private readonly request: FastifyRequest) {}

  /** The streams that the caller may read and write. */
  get access(): StreamAccess {
    return accessOf(this.request);
  }

  /** Key id, port and request id of the caller, which audit events name as their actor. */
  get actor(): ReturnType<typeof actorOf> {
    return actorOf(this.request);
  }

  /** Key id of the caller; null on a port without keys. */
  get keyId(): string | null {
    return apiKeyOf(this.request)?.keyId ?? null;
  }

  has(scope: KeyScope): boolean {
    const result = results.get(this.request);
    return !result || result.key?.scopes.has(scope) === true;
  }

  /** Requires that the caller's key has a scope. @throws ProblemError 403 `insufficient_scope` */
  requireScope(scope: KeyScope): void {
    const key = apiKeyOf(this.request);
    if (key) requireKeyScope(key, scope);
  }

  /**
   * Checks, during a long-running answer, that the caller's API key is still valid. The check does not count against the
   * key's rate limit.
   * @throws ProblemError when the key has expired or was revoked, or when this cannot be verified
   */
  requireStillAdmitted(): void {
    results.get(this.request)?.check?.();
  }
}

/** Injects the caller of the request. */
export const InjectPrincipal = createParamDecorator(
  (_: unknown, context: ExecutionContext) => new Principal(context.switchToHttp().getRequest()),
);
