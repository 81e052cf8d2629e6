import { describe, expect, it } from 'vitest';
import type { DefinitionProblem } from '#dataflow';
import { invalidDefinitionProblem } from './invalid-definition.js';

const required = { pointer: '/key', detail: 'is required' };
const ofNumber = { pointer: '/key', detail: 'This is a number. (at character 1)' };
const inExpression = { ...ofNumber, inExpression: true } as const;

describe('the problem of an invalid definition', () => {
  it.each([
    [[required], 'The pipeline cannot be used. /key: is required.'],
    [[required, ofNumber], 'The pipeline cannot be used. /key: is required. There are 2 errors in all.'],
    [[ofNumber], 'The pipeline cannot be used. /key: This is a number. (at character 1)'],
  ])('names the first error in complete sentences', (errors, detail) => {
    const problem = invalidDefinitionProblem(errors, { what: 'pipeline' });
    expect(problem).toMatchObject({ code: 'invalid_request', message: detail, options: { errors } });
  });

  it('names where the definition is in the body', () => {
    const problem = invalidDefinitionProblem([inExpression], { what: 'projection', at: '/definition' });
    expect(problem.message).toContain('. /definition/key: This');
  });

  it('is invalid_expression when only expressions are wrong', () => {
    const codeOf = (...errors: DefinitionProblem[]) =>
      invalidDefinitionProblem(errors, { what: 'pipeline' }).code;
    expect(codeOf(inExpression, inExpression)).toBe('invalid_expression');
    expect(codeOf(inExpression, required)).toBe('invalid_request');
    expect(invalidDefinitionProblem([inExpression], { what: 'pipeline' }).options.errors).toEqual([ofNumber]);
  });

  it('lists at most a hundred errors', () => {
    const many = Array.from({ length: 101 }, () => required);
    const { message, options } = invalidDefinitionProblem(many, { what: 'pipeline' });
    expect([options.errors?.length, message]).toEqual([100, expect.stringContaining('101 errors')]);
  });
});
