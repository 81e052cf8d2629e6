import type { Readable, Writable } from 'node:stream';

/** An output of the process. */
export interface Screen extends Writable {
  isTTY?: boolean;
  columns?: number;
}

/** What the program has of its process. */
export interface Terminal {
  args: readonly string[];
  env: Readonly<Record<string, string | undefined>>;
  /** Opened by the command that reads it. */
  stdin: () => Readable & { isTTY?: boolean; fd?: number };
  stdout: Screen;
  stderr: Screen;
  /** Ends everything: with an `InterruptedError` for example. */
  signal: AbortSignal;
  /** Standard output was closed, with a `BrokenPipeError`: it ends commands that only show something. */
  outputClosed?: AbortSignal;
}
