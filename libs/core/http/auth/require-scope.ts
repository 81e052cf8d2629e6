import { AddRouteConfig } from '../route-config.js';
import type { KeyScope } from './scope.js';

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
  return AddRouteConfig({ public: true } satisfies RouteAccessRule);
}

/** Declares the scope that a key needs to call this route, on ports that require keys. */
export function RequireScope(scope: KeyScope): MethodDecorator {
  return AddRouteConfig({ scope } satisfies RouteAccessRule);
}
