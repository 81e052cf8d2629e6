import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { readable } from './readable-line.js';

export interface EngineProcessOptions {
  /** For messages. */
  name: string;
  command: string;
  args: string[];
  cwd?: string;
  /** On top of this process's environment. */
  env?: Record<string, string>;
  /** Each line that it prints, of both streams. */
  onLog?: ((line: string) => void) | undefined;
  /** Aborted when it is not wanted any more while it starts: it is stopped then. */
  signal?: AbortSignal | undefined;
}

/** How long one that is not wanted any more while it starts may take to end, in milliseconds. */
const startStopMs = 10_000;

const maxTail = 40;

/**
 * A child process that is an engine: it says when it is ready, and is stopped in order. Its standard input is a pipe
 * that closes when this process ends, however it ends: it can tell by that.
 */
export class EngineProcess {
  private readonly child: ChildProcess;
  private readonly tail: string[] = [];
  private readonly watchers = new Set<(line: string) => void>();
  /** Resolves when it has ended, with how: `it ended with exit code 1`. */
  readonly ended: Promise<string>;

  constructor(private readonly options: EngineProcessOptions) {
    const child = spawn(options.command, options.args, {
      cwd: options.cwd,
      env: { ...process.env, ...options.env },
      stdio: ['pipe', 'pipe', 'pipe'],
      // Not in the terminal's process group: Ctrl-C reaches the one that started it, which stops engines in order.
      detached: true,
    });
    this.child = child;
    this.ended = new Promise((resolve) => {
      child.once('close', (code, signal) =>
        resolve(signal ? `it was ended by ${signal}` : `it ended with exit code ${code}`),
      );
      child.once('error', (error) => {
        this.remember(`cannot be started: ${error.message}`);
        resolve('it cannot be started');
      });
    });
    child.stdin?.on('error', () => undefined);
    child.once('exit', () => child.stdin?.end());
    for (const stream of [child.stdout, child.stderr]) {
      if (stream) createInterface({ input: stream }).on('line', (line) => this.remember(line));
    }
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  /**
   * Resolves with what `read` makes of the first line that it makes something of.
   * @throws with the last lines when the process ends first, or when it takes longer; it is killed then. Also when it
   * is not wanted any more; it is stopped then.
   */
  async ready(read: (line: string) => string | undefined, timeoutMs: number): Promise<string> {
    let found = '';
    const line = new Promise<void>((resolve) => {
      this.watchers.add((text) => {
        const value = read(text);
        if (value === undefined) return;
        found = value;
        resolve();
      });
    });
    await this.until(() => line, timeoutMs);
    this.watchers.clear();
    return found;
  }

  /** Waits for `condition`, whose signal says when nobody waits any more. @throws as `ready` does. */
  async until(condition: (signal: AbortSignal) => Promise<void>, timeoutMs: number): Promise<void> {
    const waiting = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    const tooLate = new Promise<string>((resolve) => {
      timer = setTimeout(() => resolve(`is not ready after ${timeoutMs / 1000} s`), timeoutMs);
    });
    const { signal } = this.options;
    const unwanted = new Promise<string>((resolve) => {
      const stop = (): void => resolve('was stopped before it was ready');
      if (signal?.aborted) stop();
      else signal?.addEventListener('abort', stop, { once: true, signal: waiting.signal });
    });
    const outcome = await Promise.race([
      condition(waiting.signal).then(() => undefined),
      this.ended.then(() => 'ended before it was ready'),
      unwanted,
      tooLate,
    ]);
    clearTimeout(timer);
    waiting.abort();
    if (outcome === undefined) return;
    if (signal?.aborted) await this.stop(startStopMs);
    else await this.kill('SIGKILL');
    throw new Error(this.complaint(outcome));
  }

  /** SIGTERM, and SIGKILL after so many milliseconds. */
  async stop(timeoutMs: number): Promise<void> {
    const force = setTimeout(() => this.child.kill('SIGKILL'), timeoutMs);
    this.child.kill('SIGTERM');
    await this.ended;
    clearTimeout(force);
  }

  async kill(signal: NodeJS.Signals): Promise<void> {
    this.child.kill(signal);
    if (signal !== 'SIGSTOP' && signal !== 'SIGCONT') await this.ended;
  }

  private remember(line: string): void {
    this.tail.push(line);
    if (this.tail.length > maxTail) this.tail.shift();
    this.options.onLog?.(line);
    for (const watch of this.watchers) watch(line);
  }

  private complaint(what: string): string {
    return `${this.options.name} ${what}. Its last lines:\n${this.tail.map((line) => `  ${readable(line).text}`).join('\n')}`;
  }
}
