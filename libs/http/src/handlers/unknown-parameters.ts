import type { CanActivate, ExecutionContext } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import type { FastifyRequest } from 'fastify';
import { parseQuery } from './parse-query.js';

class NoParameters {}

/** Nest guard that rejects a request with query parameters if its handler takes none. */
export class NoParametersGuard implements CanActivate {
  /**
   * Always returns true. @throws ProblemError 400 `invalid_request` for a query parameter of a handler that takes none
   */
  canActivate(context: ExecutionContext): true {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    if (request.url.includes('?') && !takesParameters(context)) parseQuery(NoParameters, request.query);
    return true;
  }
}

function takesParameters(context: ExecutionContext): boolean {
  const handler = context.getHandler().name;
  const given = (Reflect.getMetadata(ROUTE_ARGS_METADATA, context.getClass(), handler) ?? {}) as object;
  return Object.keys(given).some((key) => key.startsWith(`${RouteParamtypes.QUERY}:`));
}
