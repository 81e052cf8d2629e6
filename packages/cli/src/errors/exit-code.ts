import { ProblemError, SqlError, TributaryError, UnexpectedStatusError } from '#client';
import { BrokenPipeError, InterruptedError, UsageError } from './cli-error.js';

/** The exit codes of the program. */
export const exitCodes = {
  done: 0,
  /** `diff` found a difference, `doctor` found a problem, or `produce` read no event. */
  differs: 1,
  /** The arguments, a file or the profile are invalid. No request was sent. */
  usage: 2,
  /** Tributary refused a request or an event. */
  refused: 3,
  /** No answer arrived from Tributary, or the answer asks the caller to try again later. */
  unreachable: 4,
  /** A bug in this program, or standard output cannot be written. */
  broken: 70,
  /** Ctrl-C. */
  interrupted: 130,
} as const;

/** An exit code of the program `tributary`. */
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** Maps an error to the exit code of the program. */
export function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof BrokenPipeError) return exitCodes.done;
  if (error instanceof InterruptedError) return exitCodes.interrupted;
  if (error instanceof UsageError) return exitCodes.usage;
  if (error instanceof ProblemError || error instanceof SqlError || error instanceof UnexpectedStatusError)
    return error.status >= 502 ? exitCodes.unreachable : exitCodes.refused;
  // The client's subclasses mean that no answer arrived; the base class itself means that the client refused to send
  // the request.
  if (error instanceof TributaryError)
    return error.name === 'TributaryError' ? exitCodes.usage : exitCodes.unreachable;
  return exitCodes.broken;
}
