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
  /**
   * Whether the command only reads, changes something or destroys something. With a protected profile, `writes`
   * requires an explicit `--profile`, and `destroys` also `--confirm`.
   */
  readonly effect: 'reads' | 'writes' | 'destroys';
  /** The result of the command is its exit code (as in `diff`). So it continues when its output is closed. */
  readonly answersWithCode?: true;
  run(session: CommandSession, input: ParsedArguments): Promise<ExitCode | void>;
}
