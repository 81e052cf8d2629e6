import { AddRouteConfig } from '../route-config.js';

/**
 * The permissions that a key can have. Each route requires one. No scope includes another: a key lists all its scopes.
 */
export const scopes = [
  'events:read',
  'events:write',
  'definitions:read',
  'definitions:write',
  'sql:read',
  'admin',
] as const;

/** A permission of an API key, such as `events:read`. */
export type KeyScope = (typeof scopes)[number];

export function isScope(text: string): text is KeyScope {
  return (scopes as readonly string[]).includes(text);
}

/**
 * Access rule of a route: the scope that an API key needs, or that no key is needed. The access rule is part of the
 * route's Fastify config, so that hooks can read it.
 */
export interface RouteAccessRule {
  scope?: KeyScope;
  public?: boolean;
}

/** Declares that a route needs no key on any port. */
export function Public(): MethodDecorator {
  return AddRouteConfig({ public: true });
}

/** Declares the scope that a key needs to call this route, on ports that require keys. */
export function RequireScope(scope: KeyScope): MethodDecorator {
  return AddRouteConfig({ scope });
}
