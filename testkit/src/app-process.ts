import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { appProgram } from '#local';

export type AppName = 'ingest' | 'materializer' | 'processor' | 'gateway';

interface AppProcessOptions {
  app: AppName;
  /** Name of the process, which distinguishes several processes of one app in the logs. */
  name?: string;
  env: Record<string, string>;
  /** Base URL of the app's health checks, such as `/health/ready`. */
  probeUrl: string;
  /**
   * Runs the compiled modules instead of the bundle. A file that `node --import` loads before the app can replace parts
   * of a module, and CPU profiles name modules.
   */
  unbundled?: boolean;
}

const children = new Set<ChildProcess>();
/** When the test process exits, SIGKILL ends all child processes, also those that SIGSTOP has paused. */
process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});

/** One app as a real process, for tests that kill, pause and restart the process. */
export class AppProcess {
  readonly name: string;
  readonly logFile: string;
  private child: ChildProcess | undefined;
  private ended: Promise<{ code: number | null; signal: string | null }> | undefined;

  constructor(private readonly options: AppProcessOptions) {
    this.name = options.name ?? options.app;
    this.logFile = join(mkdtempSync(join(tmpdir(), 'tributary-app-')), `${this.name}.log`);
  }

  get probeUrl(): string {
    return this.options.probeUrl;
  }

  get running(): boolean {
    return this.child !== undefined && this.child.exitCode === null && this.child.signalCode === null;
  }

  get pid(): number {
    if (!this.child?.pid) throw new Error(`${this.name} has not been started`);
    return this.child.pid;
  }

  /**
   * Starts the process without waiting for its readiness, for which `ready` waits. The settings in `env` override those
   * of the constructor.
   */
  launch(env: Record<string, string> = {}): this {
    if (this.running) throw new Error(`${this.name} is running already`);
    const log = openSync(this.logFile, 'a');
    const { app, unbundled } = this.options;
    const program = unbundled ? join(process.cwd(), 'dist', 'apps', app, 'src', 'main.js') : appProgram(app);
    const child = spawn(process.execPath, [program], {
      // The process gets only the variables that every program needs, because other settings of the machine must not
      // affect the test.
      env: { PATH: process.env.PATH, HOME: process.env.HOME, ...this.options.env, ...env },
      stdio: ['ignore', log, log],
    });
    closeSync(log);
    this.child = child;
    children.add(child);
    this.ended = new Promise((resolve) => {
      child.once('exit', (code, signal) => {
        children.delete(child);
        resolve({ code, signal });
      });
    });
    return this;
  }

  /**
   * Resolves when `/health/ready` answers 200. @throws an Error with the end of the process's log after the time-out,
   * or if the process ends
   */
  async ready(timeoutMs = 120_000): Promise<this> {
    const deadline = Date.now() + timeoutMs;
    while (Date.now() < deadline) {
      if (!this.running) throw new Error(`${this.name} ended at the start:\n${this.logTail()}`);
      if ((await this.probe('/health/ready')) === 200) return this;
      await sleep(100);
    }
    throw new Error(`${this.name} was not ready within ${timeoutMs} ms:\n${this.logTail()}`);
  }

  /** Returns the status of a health check, or 0 if the process does not answer. */
  async probe(path: '/health' | '/health/live' | '/health/ready'): Promise<number> {
    try {
      const answer = await fetch(new URL(path, this.options.probeUrl), {
        signal: AbortSignal.timeout(3_000),
      });
      await answer.arrayBuffer();
      return answer.status;
    } catch {
      return 0;
    }
  }

  /** Sends a signal, and resolves with the exit code and signal when the process has ended. */
  async kill(
    signal: 'SIGKILL' | 'SIGTERM' | 'SIGINT',
  ): Promise<{ code: number | null; signal: string | null }> {
    this.child?.kill(signal);
    return (await this.ended) ?? { code: null, signal: null };
  }

  /** Resolves with the exit code and signal when the process ends by itself. */
  async end(): Promise<{ code: number | null; signal: string | null }> {
    return (await this.ended) ?? { code: null, signal: null };
  }

  /** Sends SIGSTOP: the process keeps its connections but does nothing. */
  pause(): void {
    this.child?.kill('SIGSTOP');
  }

  /** Sends SIGCONT, so that a paused process continues. */
  resume(): void {
    this.child?.kill('SIGCONT');
  }

  /** Ends the process if it runs, and starts the process again. */
  async restart(signal: 'SIGKILL' | 'SIGTERM' = 'SIGTERM'): Promise<this> {
    if (this.running) await this.kill(signal);
    return this.launch().ready();
  }

  /** Stops the process gracefully, or kills it after the time-out. */
  async stop(timeoutMs = 30_000): Promise<void> {
    if (!this.running) return;
    this.resume();
    const force = setTimeout(() => this.child?.kill('SIGKILL'), timeoutMs);
    await this.kill('SIGTERM');
    clearTimeout(force);
  }

  /** Removes the log file of the process. */
  discardLog(): void {
    rmSync(dirname(this.logFile), { recursive: true, force: true });
  }

  log(): string {
    return readFileSync(this.logFile, { encoding: 'utf8', flag: 'a+' });
  }

  logTail(lines = 40): string {
    const all = this.log().trimEnd().split('\n');
    return `--- ${this.name}, last lines of ${this.logFile}\n${all.slice(-lines).join('\n')}`;
  }
}
