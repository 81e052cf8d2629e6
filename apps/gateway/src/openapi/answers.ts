import { applyDecorators } from '@nestjs/common';
import { ApiResponse } from '@nestjs/swagger';
import { problems, type ProblemCode } from '#api';

const problemSchema = { $ref: '#/components/schemas/Problem' };

/** Documents the answer of a route as a class, whose schema is made from its class-validator decorators. */
export function Answers(
  type: new () => object,
  options: { status?: number; description: string; text?: string[] },
): MethodDecorator {
  const content: Record<string, object> = {
    'application/json': { schema: { $ref: `#/components/schemas/${type.name}` } },
  };
  for (const mediaType of options.text ?? []) content[mediaType] = { schema: { type: 'string' } };
  return ApiResponse({ status: options.status ?? 200, description: options.description, content });
}

/** Documents the answer of a route that has nothing more to say than that it is done. */
export function NoContent(description: string): MethodDecorator {
  return ApiResponse({ status: 204, description });
}

/** What can go wrong on every route of the query port. */
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

/** Documents the problems that a route answers, besides those that every route can. */
export function Problems(...codes: ProblemCode[]): MethodDecorator {
  const byStatus = new Map<number, ProblemCode[]>();
  for (const code of new Set([...everywhere, ...codes])) {
    const { status } = problems[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return applyDecorators(
    ...[...byStatus].map(([status, those]) => ApiResponse({ status, ...describe(those) })),
  );
}

function describe(codes: readonly ProblemCode[]) {
  const description = codes.map((code) => `\`${code}\`: ${problems[code].title}.`).join(' ');
  return { description, content: { 'application/problem+json': { schema: problemSchema } } };
}
