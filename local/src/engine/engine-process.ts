import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { readableLine } from './readable-line.js';

/** A running child process of `npm start`: Kafka, ClickHouse or an app. */
export interface RunningProcess {
  readonly pid: number;
  /** Resolves with the reason when the process has ended: `it ended with exit code 1`. */
  ended: Promise<string>;
  /** Stops the process gracefully. */
  stop(): Promise<void>;
  /** Sends a signal and resolves when the process has ended (for SIGSTOP and SIGCONT: at once). */
  kill(signal: NodeJS.Signals): Promise<void>;
}

/** Command, environment and log of a child process. */
export interface ManagedChildProcessOptions {
  /** Used in messages. */
  name: string;
  command: string;
  args: string[];
  /** Variables added to this process's environment. */
  env?: Record<string, string>;
  /** Receives each line of standard output and standard error. */
  onLog?: ((line: string) => void) | undefined;
  /** If aborted during the start, the process is stopped. */
  signal?: AbortSignal | undefined;
}

/** The time in milliseconds that a process may take to end if it is stopped during its start. */
const startStopMs = 10_000;

const maxTail = 40;

/**
 * A child process that reports when it is ready and can be stopped gracefully. The standard input of the child is a
 * pipe that closes when this process ends for any reason, so the child can detect that.
 */
export class ManagedChildProcess implements RunningProcess {
  private readonly child: ChildProcess;
  private readonly tail: string[] = [];
  private watch: ((line: string) => void) | undefined;
  readonly ended: Promise<string>;

  constructor(private readonly options: ManagedChildProcessOptions) {
    const child = spawn(options.command, options.args, {
      env: { ...process.env, ...options.env },
      stdio: ['pipe', 'pipe', 'pipe'],
      // A separate process group: Ctrl-C then reaches only the starting process, which stops the engines in order.
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
   * Waits for `condition`, whose signal is aborted when the wait ends.
   * @throws an Error with the last lines if the process ends first, if it exceeds the time-out (then it is killed),
   * or if the start is aborted (then it is stopped).
   */
  async until(condition: (signal: AbortSignal) => Promise<void>, timeoutMs: number): Promise<void> {
    const waiting = new AbortController();
    const whileWaiting = { signal: waiting.signal };
    const { signal = new AbortController().signal } = this.options;
    const stopped = signal.aborted ? Promise.resolve() : once(signal, 'abort', whileWaiting);
    const outcome = await Promise.race([
      condition(waiting.signal).then(() => undefined),
      this.ended.then(() => 'ended before it was ready'),
      stopped.then(() => 'was stopped before it was ready'),
      sleep(timeoutMs, `is not ready after ${timeoutMs / 1000} s`, whileWaiting),
    ]);
    waiting.abort();
    if (outcome === undefined) return;
    if (signal.aborted) await this.stop(startStopMs);
    else await this.kill('SIGKILL');
    const tail = this.tail.map((line) => `  ${readableLine(line).text}`).join('\n');
    throw new Error(`${this.options.name} ${outcome}. Its last lines:\n${tail}`);
  }

  /** Waits for a line that `isReady` accepts. @throws like `until`. */
  async ready(isReady: (line: string) => boolean, timeoutMs: number): Promise<void> {
    const line = new Promise<void>((resolve) => {
      this.watch = (text) => isReady(text) && resolve();
    });
    await this.until(() => line, timeoutMs);
    this.watch = undefined;
  }

  /** Writes text to the standard input of the process. */
  writeInput(text: string): void {
    this.child.stdin?.write(text);
  }

  /** Sends SIGTERM or ends the standard input, and sends SIGKILL after this time. */
  async stop(timeoutMs = 30_000, by: 'SIGTERM' | 'end of input' = 'SIGTERM'): Promise<void> {
    const force = setTimeout(() => this.child.kill('SIGKILL'), timeoutMs);
    if (by === 'SIGTERM') this.child.kill('SIGTERM');
    else this.child.stdin?.end();
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
    this.watch?.(line);
  }
}
