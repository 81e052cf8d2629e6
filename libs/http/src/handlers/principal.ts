import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { StreamAccess } from '#api';
import { accessOf, actorOf, apiKeyOf, hasScope, requireStillAdmitted } from '../auth/admission.js';
import { authorize } from '../auth/authenticate.js';
import type { Scope } from '../auth/scope.js';

/** Who asks. On a port without authentication everybody may do everything. */
export class Principal {
  constructor(private readonly request: FastifyRequest) {}

  /** The streams that it may see and write. */
  get access(): StreamAccess {
    return accessOf(this.request);
  }

  /** What the audit calls it. */
  get actor(): ReturnType<typeof actorOf> {
    return actorOf(this.request);
  }

  /** Null on a port without keys. */
  get keyId(): string | null {
    return apiKeyOf(this.request)?.keyId ?? null;
  }

  has(scope: Scope): boolean {
    return hasScope(this.request, scope);
  }

  /** @throws ProblemError 403 `insufficient_scope` */
  requireScope(scope: Scope): void {
    const key = apiKeyOf(this.request);
    if (key) authorize(key, scope);
  }

  /** @throws ProblemError when its key has expired or was revoked since, or nobody knows */
  requireStillAdmitted(): void {
    requireStillAdmitted(this.request);
  }
}

/** Hands over who asks. */
export const Caller = createParamDecorator(
  (_: unknown, context: ExecutionContext) => new Principal(context.switchToHttp().getRequest()),
);
