import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export type AppName = 'ingest' | 'materializer' | 'processor' | 'gateway';

export interface AppProcessOptions {
  app: AppName;
  /** To tell several of one app apart in the logs. */
  name?: string;
  env: Record<string, string>;
  /** Where its `/health/ready` answers. */
  probeUrl: string;
}

const children = new Set<ChildProcess>();
/** A test that dies leaves nothing behind: SIGKILL also ends what is stopped by SIGSTOP. */
process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});

/** One app as a real process, for tests that do to it what happens in production. */
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

  /** Starts it and resolves at once; `ready` waits. Settings given here go on top of those of the constructor. */
  launch(env: Record<string, string> = {}): this {
    if (this.running) throw new Error(`${this.name} is running already`);
    const log = openSync(this.logFile, 'a');
    const main = join(process.cwd(), 'dist', 'apps', this.options.app, 'src', 'main.js');
    const child = spawn(process.execPath, [main], {
      // Of the environment only what a program needs to run: no setting of the machine leaks into the test.
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

  /** Resolves when `/health/ready` is 200. @throws with the end of the log when that takes longer, or when it ends. */
  async ready(timeoutMs = 120_000): Promise<this> {
    const deadline = Date.now() + timeoutMs;
    while (Date.now() < deadline) {
      if (!this.running) throw new Error(`${this.name} ended at the start:\n${this.logTail()}`);
      if ((await this.probe('/health/ready')) === 200) return this;
      await sleep(50);
    }
    throw new Error(`${this.name} was not ready within ${timeoutMs} ms:\n${this.logTail()}`);
  }

  /** The status of a probe, 0 when it does not answer. */
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

  /** Sends a signal, and resolves with how the process ended. */
  async kill(
    signal: 'SIGKILL' | 'SIGTERM' | 'SIGINT',
  ): Promise<{ code: number | null; signal: string | null }> {
    this.child?.kill(signal);
    return (await this.ended) ?? { code: null, signal: null };
  }

  /** Resolves with how the process ends by itself. */
  async end(): Promise<{ code: number | null; signal: string | null }> {
    return (await this.ended) ?? { code: null, signal: null };
  }

  /** SIGSTOP: it keeps its connections and does nothing. */
  pause(): void {
    this.child?.kill('SIGSTOP');
  }

  /** SIGCONT. */
  resume(): void {
    this.child?.kill('SIGCONT');
  }

  /** Kills it, if it runs, and starts it anew. */
  async restart(signal: 'SIGKILL' | 'SIGTERM' = 'SIGTERM'): Promise<this> {
    if (this.running) await this.kill(signal);
    return this.launch().ready();
  }

  /** Ends it in order, or by force when that takes longer than so many milliseconds. */
  async stop(timeoutMs = 30_000): Promise<void> {
    if (!this.running) return;
    this.resume();
    const force = setTimeout(() => this.child?.kill('SIGKILL'), timeoutMs);
    await this.kill('SIGTERM');
    clearTimeout(force);
  }

  /** Removes its log. */
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
