import { ProblemError } from './problem-error.js';
import { InvalidAnswerError, TimeoutError, UnreachableError } from './tributary-error.js';
import { UnexpectedStatusError } from './unexpected-status-error.js';

const transientStatuses = new Set([408, 429, 502, 503, 504]);

/**
 * Whether the same request may succeed later: no complete answer arrived, or its status (such as 503) says that the
 * failure is temporary.
 */
export function isTransient(error: unknown): boolean {
  if (error instanceof ProblemError || error instanceof UnexpectedStatusError)
    return transientStatuses.has(error.status);
  return (
    error instanceof UnreachableError || error instanceof TimeoutError || error instanceof InvalidAnswerError
  );
}

/**
 * Returns the seconds that the server asks the client to wait before it repeats the request; 0 without `Retry-After`.
 */
export function retryAfterSecondsOf(error: unknown): number {
  const answered = error instanceof ProblemError || error instanceof UnexpectedStatusError;
  return (answered && error.retryAfterSeconds) || 0;
}
