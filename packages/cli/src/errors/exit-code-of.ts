import { ProblemError, SqlError, TributaryError, UnexpectedStatusError } from '#client';
import { BrokenPipeError, InterruptedError, UsageError } from './cli-error.js';
import { exitCodes, type ExitCode } from './exit-code.js';

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
