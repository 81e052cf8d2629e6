import type { ProblemCode } from '#api';
import { DescribeProblems } from '#http';

/** What can go wrong on every route. */
const everywhere: readonly ProblemCode[] = [
  'invalid_request',
  'unauthenticated',
  'invalid_token',
  'insufficient_scope',
  'method_not_allowed',
  'too_many_requests',
  'internal_error',
  'overloaded',
  'starting',
  'shutting_down',
];

/** Of a route with a body. */
export const body = ['invalid_json', 'payload_too_large', 'unsupported_media_type'] as const;
/** Of a route that asks the store. */
export const reads = ['query_too_expensive', 'store_unavailable'] as const;
/** Of a route that asks the store and the log. */
export const readsBoth = [...reads, 'log_unavailable'] as const;
/** Of a route that reads what the client has written. */
export const awaits = [...readsBoth, 'not_yet_materialized'] as const;
/** Of a route that changes a definition. */
export const changes = ['definition_conflict', 'log_unavailable'] as const;
/** Of a route that makes a definition. */
export const defines = ['definition_limit_reached', ...changes] as const;

/** Documents the problems that a route answers, besides those that every route can: groups of them, and its own. */
export function Problems(...codes: (ProblemCode | readonly ProblemCode[])[]): MethodDecorator {
  return DescribeProblems(...everywhere, ...codes.flat());
}
