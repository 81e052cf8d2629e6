import type { ProblemCode } from '#api';
import { DescribeProblems } from '#http';
// Defines problems that this file uses.
import '#registry';
import '../consistency/consistency-tokens.js';
import { ApiResponse } from '@nestjs/swagger';

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
export const bodyProblems = ['invalid_json', 'payload_too_large', 'unsupported_media_type'] as const;
/** Problem codes of a route that reads from the store. */
export const storeProblems = ['query_too_expensive', 'store_unavailable'] as const;
/** Problem codes of a route that reads from the store and the log. */
export const storeAndLogProblems = [...storeProblems, 'log_unavailable'] as const;
/** Problem codes of a route with `wait_for`, which reads events that the client has written before. */
export const consistentReadProblems = [...storeAndLogProblems, 'not_yet_materialized'] as const;
/** Problem codes of a route that changes a definition. */
export const changeProblems = ['definition_conflict', 'log_unavailable'] as const;
/** Problem codes of a route that creates a definition. */
export const createProblems = ['definition_limit_reached', ...changeProblems] as const;

/** Documents the problems of a route: those that every route may answer, and the given codes or groups of codes. */
export function Problems(...codes: (ProblemCode | readonly ProblemCode[])[]): MethodDecorator {
  return DescribeProblems(...everywhere, ...codes.flat());
}

/** Documents the answer of a route. The schema of the class is derived from its class-validator decorators. */
export function ApiAnswer(
  type: new () => object,
  options: { status?: number; description: string; text?: string[] },
): MethodDecorator {
  const content: Record<string, object> = {
    'application/json': { schema: { $ref: `#/components/schemas/${type.name}` } },
  };
  for (const mediaType of options.text ?? []) content[mediaType] = { schema: { type: 'string' } };
  return ApiResponse({ status: options.status ?? 200, description: options.description, content });
}

/** Documents a successful answer without a body. */
export function NoContent(description: string): MethodDecorator {
  return ApiResponse({ status: 204, description });
}
