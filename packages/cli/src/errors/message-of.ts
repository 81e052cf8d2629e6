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
  if (error instanceof ProblemError) return problemMessage(error);
  if (error instanceof OutputError) return visibleText(error.message);
  if (error instanceof TributaryError || error instanceof UsageError)
    return withAdvice(visibleText(error.message, { keep: '\n' }), error);
  const { stack, message } = error instanceof Error ? error : new Error(String(error));
  return `This is a bug in the program. Please report it.\n${visibleText(stack ?? message, { keep: '\n' })}`;
}

function problemMessage(error: ProblemError): string {
  const { code, problem } = error;
  const id = problem.request_id ? ` (request ${problem.request_id})` : '';
  return withAdvice(visibleText(`${code}: ${error.message}${id}`, { keep: '\n' }), error);
}

function withAdvice(message: string, error: Error): string {
  const advice = adviceOf(error);
  return advice ? `${message}\n${advice}` : message;
}

function adviceOf(error: Error): string | undefined {
  if (error instanceof UnauthenticatedError) return 'Set TRIBUTARY_KEY, or name a key file with --key-file.';
  if (error instanceof InsufficientScopeError) return '`tributary doctor` lists the scopes of the key.';
  if (error instanceof UnreachableError) return 'Is the URL correct? See --url and `tributary profile list`.';
  return undefined;
}
