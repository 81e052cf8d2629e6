import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';

/** The compiled program of this build. */
export const program = resolve('dist/packages/cli/src/main.js');

/** Exit code and output of a command that has ended. */
export interface CommandResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** URLs and API key of the system against which a spec runs the command line. */
interface CliTarget {
  url: string;
  ingestUrl: string;
  key: string;
}

/** Runs the program against one system, with a folder of its own for files and profiles. */
export class ChildProcessCliRunner {
  readonly folder = mkdtempSync(join(tmpdir(), 'tributary-cli-'));
  readonly env: Record<string, string>;

  constructor({ url, ingestUrl, key }: CliTarget) {
    this.env = {
      ...{ PATH: process.env.PATH ?? '', XDG_CONFIG_HOME: this.folder, TERM: 'xterm' },
      ...{ TRIBUTARY_URL: url, TRIBUTARY_INGEST_URL: ingestUrl, TRIBUTARY_KEY: key },
    };
  }

  /** Runs a command to its end. */
  run(
    args: readonly string[],
    { input = '', env = {} }: { input?: string; env?: object } = {},
  ): Promise<CommandResult> {
    const child = this.start(args, env);
    child.stdin?.end(input);
    return outcomeOf(child);
  }

  /** Starts a command. */
  start(args: readonly string[], env: object = {}): ChildProcess {
    return spawn(process.execPath, [program, ...args], { cwd: this.folder, env: { ...this.env, ...env } });
  }

  /** Runs a line of bash in which `tributary` and `npx tributary` are the program. */
  shell(line: string): Promise<CommandResult> {
    const npx = `npx() { [ "$1" = tributary ]; shift; tributary "$@"; }`;
    const named = `tributary() { '${process.execPath}' '${program}' "$@"; }; ${npx}; ${line}`;
    const child = spawn('bash', ['--norc', '-o', 'pipefail', '-c', named], {
      cwd: this.folder,
      env: this.env,
    });
    child.stdin?.end();
    return outcomeOf(child);
  }

  /**
   * Runs a line of bash on a pseudo-terminal of 100 columns. Returns the content of the terminal, including the
   * input.
   */
  terminal(line: string): Promise<CommandResult> {
    const named = `stty cols 100; tributary() { '${process.execPath}' '${program}' "$@"; }; ${line}`;
    const command = ['bash', '--norc', '-c', named]
      .map((word) => `'${word.replaceAll("'", `'\\''`)}'`)
      .join(' ');
    const child = spawn('script', ['--quiet', '--return', '--command', command, '/dev/null'], {
      ...{ cwd: this.folder, env: { ...this.env, SHELL: '/bin/bash' } },
    });
    child.stdin?.end();
    return outcomeOf(child);
  }

  remove(): void {
    rmSync(this.folder, { recursive: true });
  }
}

async function outcomeOf(child: ChildProcess): Promise<CommandResult> {
  const ended = new Promise<number | null>((settle) => child.once('close', settle));
  const [stdout, stderr, code] = await Promise.all([text(child.stdout!), text(child.stderr!), ended]);
  return { code, stdout, stderr };
}
