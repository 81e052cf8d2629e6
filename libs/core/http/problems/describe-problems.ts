import { applyDecorators } from '@nestjs/common';
import { ApiResponse, type ApiResponseNoStatusOptions } from '@nestjs/swagger';
import { problemDefinition, type ProblemCode, problemCodes } from '#api';
import { Type } from 'class-transformer';
import { IsArray, IsInt, IsString, ValidateIf, ValidateNested } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';

/** The content of an answer with a problem document. */
export const problemContent = {
  'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } },
};

/** Method decorator: documents the problems of a route, one answer for each status with its codes in this order. */
export function DescribeProblems(...codes: ProblemCode[]): MethodDecorator {
  return DescribeProblemsIn(problemContent, codes);
}

/** Like `DescribeProblems`, for a route whose error answers have another format than RFC 9457: `content`. */
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

/** One error of a request's input, as a problem document lists it. */
class InputProblem {
  /** A JSON pointer into the body, or a parameter's name. */
  @IsString() pointer: string;
  @IsString() detail: string;
}

/** A problem document (RFC 9457). Every answer that is not 2xx or 3xx has this form. */
export class Problem {
  @IsString() type: string;
  @IsString() title: string;
  @IsInt() status: number;
  @IsString() detail: string;
  @JSONSchema((schema) => ({ ...schema, enum: problemCodes() }))
  @IsString()
  code: ProblemCode;
  @IsString() request_id: string;
  @ValidateIf((_, value) => value !== undefined)
  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => InputProblem)
  errors?: InputProblem[];
  @JSONSchema({ description: 'The version of the entity, for `version_conflict`.' })
  @ValidateIf((_, value) => value !== undefined)
  @IsInt()
  current_version?: number;
}
