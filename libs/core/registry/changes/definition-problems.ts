import { defineProblems, ProblemError } from '#api';

export const definitionProblems = defineProblems({
  definition_limit_reached: {
    status: 409,
    title: 'The number of definitions of this kind has reached its limit',
  },
  definition_conflict: {
    status: 503,
    title: 'Other requests keep changing the same definition',
    retryable: true,
  },
});

declare module '#api' {
  interface ProblemCatalogue extends Readonly<typeof definitionProblems> {}
}

/** Returns the problem for one definition too many. */
export function definitionLimitReached(detail: string): ProblemError {
  return new ProblemError('definition_limit_reached', detail);
}
