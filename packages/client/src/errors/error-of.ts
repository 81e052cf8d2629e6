import type { Problem } from '../types/index.js';
import { problemClasses } from './problem-classes.js';
import { ProblemError } from './problem-error.js';
import { SqlError } from './sql-error.js';
import { UnexpectedStatusError } from './unexpected-status-error.js';

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
