import { describe, expect, it } from 'vitest';
import type { ProblemCode } from './problem.js';

// A copy of the module: other specs of this worker read the definitions of the module itself.
const { defineProblems, problemCodes, problemDefinition, ProblemError } = (await import(
  new URL('problem.js?copy', import.meta.url).href
)) as typeof import('./problem.js');

const code = 'spec_full' as ProblemCode;

defineProblems({ [code]: { status: 409, title: 'The spec is full', retryable: true } });

describe('the problems that a feature defines', () => {
  it('given a problem of a feature, when it is thrown, then its document has its status and title', () => {
    const problem = new ProblemError(code, 'Remove a case.');
    expect(problem.retryable).toBe(true);
    expect(problem.toDocument()).toEqual({
      type: 'urn:tributary:problem:spec_full',
      title: 'The spec is full',
      status: 409,
      detail: 'Remove a case.',
      code,
    });
  });

  it('given a defined code, when another feature defines it, then the definition fails', () => {
    const again = () => defineProblems({ not_found: { status: 404, title: 'Not here' } });
    expect(again).toThrow('The problem not_found is defined twice.');
    expect(problemDefinition('not_found').title).toBe('There is nothing at this address');
  });

  it('given a code that is not defined, when it is thrown, then it is an internal_error whose cause names it', () => {
    const problem = new ProblemError('spec_forgotten' as ProblemCode, 'A secret detail.', {
      currentVersion: 7,
    });
    expect(problem.toDocument()).toMatchObject({ code: 'internal_error', status: 500 });
    expect(JSON.stringify(problem.toDocument())).not.toMatch(/secret|forgotten|7/);
    expect(problem.options.cause).toMatchObject({
      message: 'The problem spec_forgotten is not defined: A secret detail.',
    });
  });

  it('given a code that is not defined, when its definition is read, then the error names the remedy', () => {
    expect(() => problemDefinition('spec_forgotten' as ProblemCode)).toThrow(
      'The problem spec_forgotten is not defined. Import the file that defines it.',
    );
  });

  it('given problems of several features, when their codes are listed, then they are sorted', () => {
    const codes = problemCodes();
    expect(codes).toContain(code);
    expect(codes).toEqual([...codes].sort());
  });
});
