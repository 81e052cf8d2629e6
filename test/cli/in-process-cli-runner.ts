import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { BrokenPipeError } from '../../packages/cli/src/errors/cli-error.js';
import { run } from '../../packages/cli/src/run.js';
import type { CommandResult } from './child-process-cli-runner.js';

/** Standard input, environment and outputs of a command that a spec runs. */
interface CommandRunOptions {
  input?: string | Buffer | Readable;
  /** Aborts the program. */
  signal?: AbortSignal;
  env?: Record<string, string>;
  /** Standard input, standard output and standard error are terminals. */
  terminal?: boolean;
  /** Standard output is closed. */
  closed?: boolean;
}

/** Runs the command line in this process, with a folder of its own. */
export class InProcessCliRunner {
  readonly folder = mkdtempSync(join(tmpdir(), 'tributary-cli-'));

  constructor(private readonly env: Record<string, string>) {}

  async run(
    args: readonly string[],
    { input = '', signal = new AbortController().signal, env = {}, terminal, closed }: CommandRunOptions = {},
  ): Promise<CommandResult> {
    const [stdout, stderr] = [new PassThrough(), new PassThrough()];
    const source = input instanceof Readable ? input : Readable.from([Buffer.from(input as string)]);
    const screen = { isTTY: terminal, columns: 100 };
    const shown = Promise.all([text(stdout), text(stderr)]);
    const code = await run({
      args,
      env: { XDG_CONFIG_HOME: this.folder, ...this.env, ...env },
      stdin: () => Object.assign(source, { isTTY: terminal }),
      stdout: Object.assign(stdout, screen),
      stderr: Object.assign(stderr, screen),
      signal,
      outputClosed: closed ? AbortSignal.abort(new BrokenPipeError('closed')) : undefined,
    });
    stdout.end();
    stderr.end();
    const [said, told] = await shown;
    return { code, stdout: said, stderr: told };
  }

  remove(): void {
    rmSync(this.folder, { recursive: true });
  }
}

/** Parses NDJSON into objects. */
export function jsonLines(ndjson: string): Record<string, unknown>[] {
  const lines = ndjson.split('\n').filter(Boolean);
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}
