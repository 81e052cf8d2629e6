import type { CanActivate, ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { AddRouteConfig } from '../route-config.js';
import { parseQuery } from './parse-query.js';

class NoParameters {}

interface QueryRouteConfig {
  takesQuery?: boolean;
}

/**
 * Method decorator: the handler reads the query parameters itself. `Query` declares this too. All other routes reject
 * query parameters.
 */
export function TakesQuery(): MethodDecorator {
  return AddRouteConfig({ takesQuery: true } satisfies QueryRouteConfig);
}

/** Nest guard that rejects a request with query parameters if its handler takes none. */
export class NoParametersGuard implements CanActivate {
  /**
   * Always returns true. @throws ProblemError 400 `invalid_request` for a query parameter of a handler that takes none
   */
  canActivate(context: ExecutionContext): true {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const { takesQuery = false } = request.routeOptions.config as QueryRouteConfig;
    if (request.url.includes('?') && !takesQuery) parseQuery(NoParameters, request.query);
    return true;
  }
}
