import { describe, expect, it } from 'vitest';
import { unusableDefinition } from './unusable-definition.js';

const required = { pointer: '/key', detail: 'is required' };
const ofNumber = { pointer: '/key', detail: 'This is a number. (at character 1)' };

describe('a definition that cannot be used', () => {
  it.each([
    [[required], 'The pipeline cannot be used. /key: is required.'],
    [[required, ofNumber], 'The pipeline cannot be used. /key: is required. There are 2 errors in all.'],
    [[ofNumber], 'The pipeline cannot be used. /key: This is a number. (at character 1)'],
  ])('says what is wrong first, in whole sentences', (errors, detail) => {
    const problem = unusableDefinition(errors, { what: 'pipeline', isExpression: false });
    expect(problem).toMatchObject({ code: 'invalid_request', message: detail, options: { errors } });
  });

  it('says where it stands in the body', () => {
    const problem = unusableDefinition([ofNumber], {
      what: 'projection',
      isExpression: true,
      at: '/definition',
    });
    expect(problem.code).toBe('invalid_expression');
    expect(problem.message).toContain('. /definition/key: This');
  });

  it('names a hundred of its errors at most', () => {
    const many = Array.from({ length: 101 }, () => required);
    const { message, options } = unusableDefinition(many, { what: 'pipeline', isExpression: false });
    expect([options.errors?.length, message]).toEqual([100, expect.stringContaining('101 errors')]);
  });
});
