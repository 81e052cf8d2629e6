import { AddRouteConfig } from '../route-config.js';
import type { Scope } from './scope.js';

/** Access rule of a route. It is part of the route's Fastify config, so that hooks can read it. */
export interface RouteAccess {
  scope?: Scope;
  public?: boolean;
}

/** Declares that a route needs no key on any port. */
export function Public(): MethodDecorator {
  return AddRouteConfig({ public: true } satisfies RouteAccess);
}

/** Declares the scope that a key needs to call this route, on ports that require keys. */
export function RequireScope(scope: Scope): MethodDecorator {
  return AddRouteConfig({ scope } satisfies RouteAccess);
}
