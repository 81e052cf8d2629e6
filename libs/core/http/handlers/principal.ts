import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { StreamAccess } from '#api';
import {
  accessOf,
  actorOf,
  apiKeyOf,
  hasScope,
  requireStillAuthenticated,
} from '../auth/authentication-result.js';
import { requireKeyScope } from '../auth/authenticate.js';
import type { KeyScope } from '../auth/scope.js';

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
    return hasScope(this.request, scope);
  }

  /** Requires that the caller's key has a scope. @throws ProblemError 403 `insufficient_scope` */
  requireScope(scope: KeyScope): void {
    const key = apiKeyOf(this.request);
    if (key) requireKeyScope(key, scope);
  }

  /**
   * Checks the caller's API key again. @throws ProblemError when the key has expired or was revoked, or when this
   * cannot be verified
   */
  requireStillAdmitted(): void {
    requireStillAuthenticated(this.request);
  }
}

/** Injects the caller of the request. */
export const InjectPrincipal = createParamDecorator(
  (_: unknown, context: ExecutionContext) => new Principal(context.switchToHttp().getRequest()),
);
