import type { ProblemCode } from '#api';
import { DescribeProblems } from '#http';

/** Problem codes that every route may answer. */
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

/** Problem codes of a route with a body. */
export const body = ['invalid_json', 'payload_too_large', 'unsupported_media_type'] as const;
/** Problem codes of a route that reads from the store. */
export const reads = ['query_too_expensive', 'store_unavailable'] as const;
/** Problem codes of a route that reads from the store and the log. */
export const readsBoth = [...reads, 'log_unavailable'] as const;
/** Problem codes of a route with `wait_for`, which reads events that the client has written before. */
export const awaits = [...readsBoth, 'not_yet_materialized'] as const;
/** Problem codes of a route that changes a definition. */
export const changes = ['definition_conflict', 'log_unavailable'] as const;
/** Problem codes of a route that creates a definition. */
export const defines = ['definition_limit_reached', ...changes] as const;

/** Documents the problems of a route: those that every route may answer, and the given codes or groups of codes. */
export function Problems(...codes: (ProblemCode | readonly ProblemCode[])[]): MethodDecorator {
  return DescribeProblems(...everywhere, ...codes.flat());
}
