import type { Readable, Writable } from 'node:stream';

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
