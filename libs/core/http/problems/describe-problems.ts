import { applyDecorators } from '@nestjs/common';
import { ApiResponse, type ApiResponseNoStatusOptions } from '@nestjs/swagger';
import { problemDefinition, type ProblemCode } from '#api';

const content = { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } };

/**
 * Method decorator: adds the problems of a route to the OpenAPI document, one answer for each status with its codes in
 * the given order.
 */
export function DescribeProblems(...codes: ProblemCode[]): MethodDecorator {
  return DescribeProblemsIn(content, codes);
}

/**
 * Does the same as `DescribeProblems` for a route whose error answers have another format than RFC 9457, which
 * `content` describes.
 */
export function DescribeProblemsIn(
  content: NonNullable<ApiResponseNoStatusOptions['content']>,
  codes: readonly ProblemCode[],
): MethodDecorator {
  const byStatus = new Map<number, ProblemCode[]>();
  for (const code of new Set(codes)) {
    const { status } = problemDefinition(code);
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return applyDecorators(
    ...[...byStatus].map(([status, some]) => ApiResponse({ status, description: describe(some), content })),
  );
}

function describe(codes: readonly ProblemCode[]): string {
  return codes.map((code) => `\`${code}\`: ${problemDefinition(code).title}.`).join(' ');
}
