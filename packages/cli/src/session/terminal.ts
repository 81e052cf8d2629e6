import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { visibleText } from '#client';
import { UsageError } from '../errors/cli-error.js';

/** Standard output or standard error of the process. */
export interface OutputStream extends Writable {
  isTTY?: boolean;
  columns?: number;
}

/** Arguments, environment and standard streams of the process, so that specs can replace them. */
export interface CliProcess {
  args: readonly string[];
  env: Readonly<Record<string, string | undefined>>;
  /** Opens standard input. Only a command that reads it calls this. */
  stdin: () => Readable & { isTTY?: boolean; fd?: number };
  stdout: OutputStream;
  stderr: OutputStream;
  /** Aborts the program, for example with an `InterruptedError`. */
  signal: AbortSignal;
  /** Aborted with a `BrokenPipeError` when standard output is closed; ends commands that only show something. */
  outputClosed?: AbortSignal;
}

/** Whether a user can read a question and answer it. */
export function isInteractive({ stdin, stderr }: CliProcess): boolean {
  return stderr.isTTY === true && stdin().isTTY === true;
}

/** Says what a command will do, and asks whether to continue. @throws UsageError unless the answer is `yes` */
export async function requireYes(what: string, { stdin, stderr, signal }: CliProcess): Promise<void> {
  stderr.write(`${visibleText(what)}\nContinue? [yes/no] `);
  for await (const answer of createInterface({ input: stdin(), signal }))
    if (/^y(es)?$/i.test(answer.trim())) return;
    else break;
  signal.throwIfAborted();
  throw new UsageError('Nothing was changed, because the answer is not "yes".');
}
