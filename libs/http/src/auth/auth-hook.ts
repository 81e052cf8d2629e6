import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ProblemError } from '#contracts';
import { admit } from './admission.js';
import { authenticate, authorize } from './authenticate.js';
import type { ApiKey, KeyRing } from './key-ring.js';
import type { RouteAccess } from './require-scope.js';

export interface AuthOptions {
  keyRing: KeyRing;
  /** Called with the problem's code for each refused request. */
  onRefused?: (code: string) => void;
}

/**
 * Makes every route of the instance need a key, unknown addresses included: what is not declared public is refused
 * without one, and a route that declares no scope is refused with any. It runs before the body is read: an upload
 * without a key costs its headers only.
 */
export function requireApiKeys(instance: FastifyInstance, options: AuthOptions): void {
  instance.addHook('onRequest', async (request, reply) => {
    const access = request.routeOptions.config as RouteAccess;
    if (access.public) return admit(request, { reply });
    try {
      admit(request, { key: letIn(request, access, options.keyRing), reply });
    } catch (error) {
      if (error instanceof ProblemError) options.onRefused?.(error.code);
      throw error;
    }
  });
}

function letIn(request: FastifyRequest, access: RouteAccess, ring: KeyRing): ApiKey {
  const key = authenticate(request.raw, ring, Date.now());
  if (access.scope) authorize(key, access.scope);
  else if (!request.is404) throw new ProblemError('insufficient_scope', 'No key permits this.');
  return key;
}
