import type { CommandSyntax } from '../arguments/options.js';
import type { ParsedArguments } from '../arguments/parse.js';
import type { ExitCode } from '../errors/exit-code.js';
import type { CommandSession } from '../session/session.js';

/** A command of the program. Usage, completion and documentation are derived from it. */
export interface Command extends CommandSyntax {
  /** The result of the command is its exit code (as in `diff`). So it continues when its output is closed. */
  readonly answersWithCode?: true;
  /** The command ends when its output is closed, although it changes something. */
  readonly endsWithOutput?: true;
  run(session: CommandSession, input: ParsedArguments): Promise<ExitCode | void>;
}
