import { AddRouteConfig } from '../route-config.js';

/**
 * The permissions that a key can have. Each route requires one, or one of several. No scope includes another: a key lists all its scopes.
 */
export const scopes = [
  'events:read',
  'events:write',
  'definitions:read',
  'definitions:write',
  'subscriptions:consume',
  'sql:read',
  'admin',
] as const;

/** A permission of an API key, such as `events:read`. */
export type KeyScope = (typeof scopes)[number];

export function isScope(text: string): text is KeyScope {
  return (scopes as readonly string[]).includes(text);
}

/**
 * Access rule of a route: the scope that an API key needs (or one of `orScopes`), or that no key is needed. The access rule is part of the
 * route's Fastify config, so that hooks can read it.
 */
export interface RouteAccessRule {
  scope?: KeyScope;
  orScopes?: readonly KeyScope[];
  public?: boolean;
}

/** Declares that a route needs no key on any port. */
export function Public(): MethodDecorator {
  return AddRouteConfig({ public: true });
}

/**
 * Declares the scope that a key needs to call this route, on ports that require keys.
 * @param orScopes scopes of which each suffices in place of `scope`
 */
export function RequireScope(scope: KeyScope, ...orScopes: KeyScope[]): MethodDecorator {
  return AddRouteConfig({ scope, ...(orScopes.length > 0 && { orScopes }) });
}
