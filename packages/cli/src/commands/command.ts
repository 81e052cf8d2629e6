import type { ParsedArguments } from '../arguments/parsed-arguments.js';
import type { Options, Positional } from '../arguments/option.js';
import type { ExitCode } from '../errors/exit-code.js';
import type { CommandSession } from '../session.js';

/** A command of the program. Usage, completion and documentation are derived from it. */
export interface Command {
  /** The words of the command. */
  readonly name: string;
  /** A description in one sentence. */
  readonly summary: string;
  /** More text for the help of the command. */
  readonly details?: string;
  readonly positionals?: readonly Positional[];
  readonly options?: Options;
  /** The command's effect on the system: a protected profile requires more for `writes` and `destroys`. */
  readonly effect: 'reads' | 'writes' | 'destroys';
  /** The exit code is the result of the command, so it is correct even if the output cannot be written. */
  readonly answersWithCode?: true;
  run(session: CommandSession, input: ParsedArguments): Promise<ExitCode | void>;
}
