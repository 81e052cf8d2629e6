import { setTimeout as sleep } from 'node:timers/promises';
import type { RunningProcess } from './engine/engine-process.js';

/** A process that a `ProcessSupervisor` starts, and starts again when it ends unexpectedly. */
export interface SupervisedService {
  name: string;
  /**
   * Starts the process and resolves when it serves. If the signal is aborted before, stops it and rejects. The service calls
   * `changed` when the process has another id.
   */
  start(signal: AbortSignal, changed: () => void): Promise<RunningProcess>;
  /** Returns the last lines of the service's log, for the message that it ended unexpectedly. */
  tail(): string[];
}

/** How a `ProcessSupervisor` reports to the user, and when it gives up. */
interface SupervisorOptions {
  /** Shows a line to the user at the terminal. */
  say: (line: string) => void;
  /** The supervisor calls this once when a service ends too often to be kept running. */
  giveUp: (reason: string) => void;
  /** The supervisor calls this with the ids of all running processes after a process has started or ended. */
  changed?: (pids: number[]) => void;
  /** The number of ends within `windowMs` after which a service is given up. Default 3. */
  maxEnds?: number;
  windowMs?: number;
  /** Milliseconds before a service that died is restarted. */
  pauseMs?: number;
}

interface Entry {
  service: SupervisedService;
  running: RunningProcess | undefined;
  /** Settles when the current start has succeeded or failed. */
  starting: Promise<unknown> | undefined;
  /** Times of unexpected ends, in milliseconds. */
  ends: number[];
  /** The service is being stopped on purpose. */
  stopping: boolean;
}

/**
 * Keeps services running: restarts a service that dies, shows its last lines, and gives up when a service keeps
 * dying.
 */
export class ProcessSupervisor {
  private readonly entries = new Map<string, Entry>();
  /** Aborted when all services are stopped. */
  private readonly stopped = new AbortController();

  constructor(private readonly options: SupervisorOptions) {}

  /** Starts a service and keeps it running. @throws if the first start fails, or the service is stopped before. */
  async run(service: SupervisedService): Promise<void> {
    const entry: Entry = { service, running: undefined, starting: undefined, ends: [], stopping: false };
    this.entries.set(service.name, entry);
    await this.start(entry);
  }

  /** Stops these services gracefully, all at the same time. */
  async stop(...names: string[]): Promise<void> {
    await Promise.all(names.map((name) => this.stopOne(name)));
  }

  /** Stops and starts a service, without counting this as an unexpected end. */
  async restart(name: string): Promise<void> {
    const entry = this.entries.get(name);
    if (!entry || this.stopping) return;
    await this.stopOne(name);
    entry.stopping = false;
    await this.start(entry).catch((error: unknown) => this.afterEnd(entry, String(error)));
  }

  /** Prevents further restarts, and stops services that are starting. */
  beginStopping(): void {
    this.stopped.abort();
  }

  private get stopping(): boolean {
    return this.stopped.signal.aborted;
  }

  /** Kills all services at once. */
  async killAll(): Promise<void> {
    this.stopped.abort();
    const running = [...this.entries.values()].flatMap((entry) => entry.running ?? []);
    await Promise.all(running.map((one) => one.kill('SIGKILL')));
  }

  get pids(): number[] {
    return [...this.entries.values()].flatMap((entry) => entry.running?.pid ?? []);
  }

  private async stopOne(name: string): Promise<void> {
    const entry = this.entries.get(name);
    if (!entry) return;
    entry.stopping = true;
    await entry.starting;
    await entry.running?.stop();
  }

  private async start(entry: Entry): Promise<void> {
    const { signal } = this.stopped;
    signal.throwIfAborted();
    const start = entry.service.start(signal, () => this.options.changed?.(this.pids));
    entry.starting = start.catch(() => undefined);
    const running = await start;
    entry.running = running;
    this.options.changed?.(this.pids);
    void running.ended.then((how) => {
      entry.running = undefined;
      this.options.changed?.(this.pids);
      void this.afterEnd(entry, how);
    });
    // The service was stopped during its start.
    if (entry.stopping || this.stopping) await running.stop();
  }

  private async afterEnd(entry: Entry, why: string): Promise<void> {
    const { say, giveUp, maxEnds = 3, windowMs = 60_000, pauseMs = 500 } = this.options;
    if (entry.stopping || this.stopping) return;
    const { name } = entry.service;
    const now = Date.now();
    entry.ends = [...entry.ends.filter((time) => now - time < windowMs), now];
    const tail = entry.service.tail();
    say([`${name} died: ${why}.${tail.length > 0 ? ' Its last lines:' : ''}`, ...tail].join('\n'));
    if (entry.ends.length >= maxEnds) {
      return giveUp(`${name} died ${entry.ends.length} times within ${windowMs / 1000} seconds`);
    }
    say(`${name} is started again`);
    await sleep(pauseMs);
    if (entry.stopping || this.stopping) return;
    await this.start(entry).catch((error: Error) => this.afterEnd(entry, error.message));
  }
}
