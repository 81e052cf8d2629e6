import { ProblemError } from '#api';
import type { DefinitionProblem } from '#dataflow';
import '#store';
import type { RunningKind } from './definition-name.js';

const mostErrors = 100;

/**
 * Returns the problem of an invalid definition: a sentence with the first error, and all errors with their pointers.
 * The code of the problem is `invalid_expression` if only expressions are wrong.
 * @param errors at least one
 * @param context.at JSON pointer to the definition in the body, if it is not the whole body
 */
export function invalidDefinitionProblem(
  errors: readonly DefinitionProblem[],
  { what, at = '' }: { what: RunningKind; at?: string },
): ProblemError {
  const [first] = errors;
  const reason = `The ${what} cannot be used. ${at}${first?.pointer}: ${first?.detail}`;
  const more = errors.length > 1 ? ` There are ${errors.length} errors in all.` : '';
  const code = errors.every(({ inExpression }) => inExpression) ? 'invalid_expression' : 'invalid_request';
  return new ProblemError(code, sentence(reason) + more, {
    errors: errors.slice(0, mostErrors).map(({ pointer, detail }) => ({ pointer, detail })),
  });
}

/** Adds a full stop to a sentence that does not end with one. Only a sentence about an expression may end with one. */
function sentence(text: string): string {
  return /[.)]$/.test(text) ? text : `${text}.`;
}
