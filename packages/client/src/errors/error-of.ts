import type { Problem } from '../types/index.js';
import { problemClasses } from './problem-classes.js';
import {
  ProblemError,
  SqlError,
  UnexpectedStatusError,
  InvalidAnswerError,
  TimeoutError,
  UnreachableError,
} from './tributary-error.js';

/** Status and body of an HTTP answer with an error status, and two of its headers. */
interface FailedAnswer {
  status: number;
  text: string;
  retryAfterSeconds?: number;
  /** `X-ClickHouse-Exception-Code`, which SQL errors have. */
  exceptionCode?: string | null;
}

/** Converts a failed answer to an error: to the class of its problem code, or to an SqlError. */
export function errorOf({
  status,
  text,
  retryAfterSeconds,
  exceptionCode,
}: FailedAnswer): ProblemError | SqlError | UnexpectedStatusError {
  if (exceptionCode) return new SqlError(status, Number(exceptionCode), text);
  const problem = problemIn(text);
  if (!problem) return new UnexpectedStatusError(status, text, retryAfterSeconds);
  return problemError(problem, retryAfterSeconds);
}

export function problemError(problem: Problem, retryAfterSeconds?: number): ProblemError {
  const known = Object.hasOwn(problemClasses, problem.code);
  return new (known ? problemClasses[problem.code] : ProblemError)(problem, retryAfterSeconds);
}

function problemIn(text: string): Problem | undefined {
  try {
    const { code, detail, ...rest } = JSON.parse(text) as Problem;
    return typeof code === 'string' && typeof detail === 'string' ? { code, detail, ...rest } : undefined;
  } catch {
    return undefined;
  }
}

const transientStatuses = new Set([408, 429, 502, 503, 504]);

/** Whether the same request may succeed later: without a complete answer, or with a status such as 503. */
export function isTransient(error: unknown): boolean {
  if (error instanceof ProblemError || error instanceof UnexpectedStatusError)
    return transientStatuses.has(error.status);
  return (
    error instanceof UnreachableError || error instanceof TimeoutError || error instanceof InvalidAnswerError
  );
}

/** Returns the seconds of `Retry-After`, until which the client must wait; 0 without it. */
export function retryAfterSecondsOf(error: unknown): number {
  const answered = error instanceof ProblemError || error instanceof UnexpectedStatusError;
  return (answered && error.retryAfterSeconds) || 0;
}
