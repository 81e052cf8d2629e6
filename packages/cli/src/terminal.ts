import type { Readable, Writable } from 'node:stream';

/** An output stream of the process. */
export interface OutputStream extends Writable {
  isTTY?: boolean;
  columns?: number;
}

/** The parts of the process that the program uses. */
export interface Terminal {
  args: readonly string[];
  env: Readonly<Record<string, string | undefined>>;
  /** Opened by the command that reads it. */
  stdin: () => Readable & { isTTY?: boolean; fd?: number };
  stdout: OutputStream;
  stderr: OutputStream;
  /** Aborts the program, for example with an `InterruptedError`. */
  signal: AbortSignal;
  /** Aborted with a `BrokenPipeError` when standard output is closed; ends commands that only show something. */
  outputClosed?: AbortSignal;
}
