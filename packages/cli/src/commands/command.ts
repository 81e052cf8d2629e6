import type { Input } from '../arguments/input.js';
import type { Options, Positional } from '../arguments/option.js';
import type { ExitCode } from '../errors/exit-code.js';
import type { Session } from '../session.js';

/** A command of the program: usage, completion and documentation are made from this. */
export interface Command {
  /** Its words. */
  readonly name: string;
  /** One sentence. */
  readonly summary: string;
  /** More about it, for its help. */
  readonly details?: string;
  readonly positionals?: readonly Positional[];
  readonly options?: Options;
  /** What it does to the system: a protected profile asks for more. */
  readonly effect: 'reads' | 'writes' | 'destroys';
  /** Its exit code is its answer: it counts also where nobody reads the output. */
  readonly answersWithCode?: true;
  run(session: Session, input: Input): Promise<ExitCode | void>;
}
