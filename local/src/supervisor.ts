import { setTimeout as sleep } from 'node:timers/promises';

/** A process that runs. Kafka, ClickHouse and the apps look alike from here. */
export interface Running {
  pid: number;
  /** Resolves when it has ended, with how: `it ended with exit code 1`. */
  ended: Promise<string>;
  stop(): Promise<void>;
  kill(signal: NodeJS.Signals): Promise<void>;
}

export interface Service {
  name: string;
  /** Starts it and resolves when it serves. When the signal is aborted before, it stops it and rejects. */
  start(signal: AbortSignal): Promise<Running>;
  /** The end of its log, for the one who is told that it died. */
  tail(): string[];
}

export interface SupervisorOptions {
  /** What a person at the terminal should see. */
  say: (line: string) => void;
  /** Called once when a service cannot be kept running. */
  giveUp: (reason: string) => void;
  /** Each time the set of processes has changed. */
  changed?: (pids: number[]) => void;
  /** So many ends within `windowMs` are too many. Default 3. */
  maxEnds?: number;
  windowMs?: number;
  /** Milliseconds before one that died is started again. */
  pauseMs?: number;
}

interface Entry {
  service: Service;
  running: Running | undefined;
  /** Settles when the start that is under way is over, either way. */
  starting: Promise<unknown> | undefined;
  /** When it ended unasked, in milliseconds. */
  ends: number[];
  /** Its end is wanted. */
  stopping: boolean;
}

/** Keeps services running: one that dies is started again, with its last words shown; one that keeps dying ends it all. */
export class Supervisor {
  private readonly entries = new Map<string, Entry>();
  /** Aborted when everything stops. */
  private readonly stopped = new AbortController();

  constructor(private readonly options: SupervisorOptions) {}

  /** Starts a service and keeps it running. @throws when it cannot be started the first time, or is stopped before. */
  async run(service: Service): Promise<void> {
    const entry: Entry = { service, running: undefined, starting: undefined, ends: [], stopping: false };
    this.entries.set(service.name, entry);
    await this.start(entry);
  }

  /** Stops these services, all at the same time, in order. */
  async stop(...names: string[]): Promise<void> {
    await Promise.all(names.map((name) => this.stopOne(name)));
  }

  /** Stops and starts one anew, without counting that as an end of its own. */
  async restart(name: string): Promise<void> {
    const entry = this.entries.get(name);
    if (!entry || this.stopping) return;
    await this.stopOne(name);
    entry.stopping = false;
    await this.start(entry).catch((error: unknown) => this.afterEnd(entry, String(error)));
  }

  /** From now on nothing is started again, and what is starting is stopped. */
  beginStopping(): void {
    this.stopped.abort();
  }

  private get stopping(): boolean {
    return this.stopped.signal.aborted;
  }

  /** Ends everything at once. */
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
    const start = entry.service.start(signal);
    entry.starting = start.catch(() => undefined);
    const running = await start;
    entry.running = running;
    this.options.changed?.(this.pids);
    void running.ended.then((how) => {
      entry.running = undefined;
      this.options.changed?.(this.pids);
      void this.afterEnd(entry, how);
    });
    // It was asked to stop while it was starting.
    if (entry.stopping || this.stopping) await running.stop();
  }

  private async afterEnd(entry: Entry, why: string): Promise<void> {
    const { say, giveUp, maxEnds = 3, windowMs = 60_000, pauseMs = 500 } = this.options;
    if (entry.stopping || this.stopping) return;
    const { name } = entry.service;
    const now = Date.now();
    entry.ends = [...entry.ends.filter((time) => now - time < windowMs), now];
    say([`${name} died: ${why}. Its last lines:`, ...entry.service.tail()].join('\n'));
    if (entry.ends.length >= maxEnds) {
      return giveUp(`${name} died ${entry.ends.length} times within ${windowMs / 1000} seconds`);
    }
    say(`${name} is started again`);
    await sleep(pauseMs);
    if (entry.stopping || this.stopping) return;
    await this.start(entry).catch((error: unknown) =>
      this.afterEnd(entry, error instanceof Error ? error.message : String(error)),
    );
  }
}
