import {
  InsufficientScopeError,
  ProblemError,
  TributaryError,
  UnauthenticatedError,
  UnreachableError,
} from '#client';
import { OutputError, UsageError } from './cli-error.js';
import { printable } from '../output/printable.js';

/** Returns what standard error says of an error: its message, the id of the request, and what to do. */
export function messageOf(error: unknown): string {
  if (error instanceof ProblemError) return problemMessage(error);
  if (error instanceof OutputError) return printable(error.message);
  if (error instanceof TributaryError || error instanceof UsageError)
    return withAdvice(printable(error.message, { keep: '\n' }), error);
  const { stack, message } = error instanceof Error ? error : new Error(String(error));
  return `This is an error of the program itself. Please report it.\n${stack ?? message}`;
}

function problemMessage(error: ProblemError): string {
  const { code, problem } = error;
  const id = problem.request_id ? ` (request ${problem.request_id})` : '';
  return withAdvice(printable(`${code}: ${error.message}${id}`, { keep: '\n' }), error);
}

function withAdvice(message: string, error: Error): string {
  const advice = adviceOf(error);
  return advice ? `${message}\n${advice}` : message;
}

function adviceOf(error: Error): string | undefined {
  if (error instanceof UnauthenticatedError)
    return 'Set TRIBUTARY_KEY, or name the file of a key with --key-file.';
  if (error instanceof InsufficientScopeError) return '`tributary doctor` lists the scopes of the key.';
  if (error instanceof UnreachableError)
    return 'Is the address right? See --url and `tributary profile list`.';
  return undefined;
}
