import { ProblemError } from '#api';
import type { DefinitionFault } from '#dataflow';

const mostErrors = 100;

/** What is known of the errors beside them. */
export interface UnusableDefinition {
  /** What it would be. */
  what: 'projection' | 'pipeline';
  /** Where the definition stands in the body: before the pointers, in words. Default: it is the body. */
  at?: string;
}

/**
 * The problem of a definition that cannot be used: the first reason in words, and all of them with their places;
 * `invalid_expression` if only expressions are wrong.
 * @param errors at least one
 */
export function unusableDefinition(
  errors: readonly DefinitionFault[],
  { what, at = '' }: UnusableDefinition,
): ProblemError {
  const [first] = errors;
  const reason = `The ${what} cannot be used. ${at}${first?.pointer}: ${first?.detail}`;
  const more = errors.length > 1 ? ` There are ${errors.length} errors in all.` : '';
  const code = errors.every(({ inExpression }) => inExpression) ? 'invalid_expression' : 'invalid_request';
  return new ProblemError(code, sentence(reason) + more, {
    errors: errors.slice(0, mostErrors).map(({ pointer, detail }) => ({ pointer, detail })),
  });
}

/** What is wrong at a place has no full stop, but what is wrong with an expression may end with one. */
function sentence(text: string): string {
  return /[.)]$/.test(text) ? text : `${text}.`;
}
