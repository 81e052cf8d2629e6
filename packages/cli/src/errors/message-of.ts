import {
  InsufficientScopeError,
  ProblemError,
  TributaryError,
  UnauthenticatedError,
  UnreachableError,
  visibleText,
} from '#client';
import { OutputError, UsageError } from './cli-error.js';

/** Returns the message for standard error: the error's message, the id of the request, and advice. */
export function messageOf(error: unknown): string {
  if (error instanceof ProblemError) {
    const { code, message, problem } = error;
    const id = problem.request_id ? ` (request ${problem.request_id})` : '';
    return withAdvice(`${code}: ${message}${id}`, error);
  }
  if (error instanceof OutputError) return visibleText(error.message);
  if (error instanceof TributaryError || error instanceof UsageError) return withAdvice(error.message, error);
  const { stack, message } = error instanceof Error ? error : new Error(String(error));
  return `This is a bug in the program. Please report it.\n${visibleText(stack ?? message, { keep: '\n' })}`;
}

function withAdvice(message: string, error: Error): string {
  const shown = visibleText(message, { keep: '\n' });
  const advice = adviceOf(error);
  return advice ? `${shown}\n${advice}` : shown;
}

function adviceOf(error: Error): string | undefined {
  if (error instanceof UnauthenticatedError) return 'Set TRIBUTARY_KEY, or name a key file with --key-file.';
  if (error instanceof InsufficientScopeError) return '`tributary doctor` lists the scopes of the key.';
  if (error instanceof UnreachableError) return 'Is the URL correct? See --url and `tributary profile list`.';
  return undefined;
}
