import type { Logger } from '#telemetry';
import { BackgroundLoop } from './background-loop.js';

/** How a `GarbageCollection` finds and removes garbage, and its intervals. */
export interface GarbageCollectionOptions<Garbage> {
  definitions: { readonly ageMs: number };
  /** Returns the existing objects, such as tables or topics, that no definition refers to, by name. */
  unnamed(): Promise<ReadonlyMap<string, Garbage>>;
  /** Removes an object that no definition refers to. Resolves false when it must wait for a later round. */
  remove(garbage: Garbage): Promise<boolean>;
  /** Called at the begin of each round, even if the definitions are too old to decide what is garbage. */
  tidy?(): Promise<void>;
  /** Returns whether a later round may succeed after this error. */
  mayReturn(error: unknown): boolean;
  logger: Logger;
  onFailure(error: unknown): void;
  /** Milliseconds between two rounds, until the removal of an unreferenced object, and of a replaced one. */
  intervalMs?: number | undefined;
  patienceMs?: number | undefined;
  soonMs?: number | undefined;
  /** Returns milliseconds since 1970. */
  now?: (() => number) | undefined;
}

/** Age in milliseconds above which this process's view of the definitions is too old to decide what is garbage. */
const oldestViewMs = 30_000;

/** Removes objects (such as tables or topics) that no definition has referred to for some time. */
export class GarbageCollection<Garbage> {
  private readonly unnamedSince = new Map<string, number>();
  /** Replaced objects, with the time from which they may be removed, in milliseconds of `performance.now()`. */
  private readonly replaced = new Map<string, number>();
  private readonly poll: BackgroundLoop;

  constructor(private readonly options: GarbageCollectionOptions<Garbage>) {
    const { logger, intervalMs = 60_000 } = options;
    this.poll = new BackgroundLoop({
      run: async () => {
        await this.round();
        return Math.min(intervalMs, this.untilReplacedMs());
      },
      logger,
      retryMs: intervalMs,
      complaint: 'could not remove an object; retrying later',
      mayReturn: (error) => options.mayReturn(error),
      onFailure: (error) => options.onFailure(error),
    });
  }

  start(): void {
    this.poll.soon(this.options.intervalMs ?? 60_000);
  }

  /** Schedules the removal of a replaced object after `soonMs`, so that queries that still read it can finish. */
  soon(name: string): void {
    const { soonMs = 10_000 } = this.options;
    this.replaced.set(name, performance.now() + soonMs);
    this.poll.soon(soonMs + 1);
  }

  stop(): Promise<void> {
    return this.poll.stop();
  }

  /** Runs one round: finds objects that no definition refers to, and removes those whose waiting time is over. */
  async round(): Promise<void> {
    const { definitions } = this.options;
    await this.options.tidy?.();
    if (definitions.ageMs > oldestViewMs) return this.unnamedSince.clear();
    const unnamed = await this.options.unnamed();
    for (const names of [this.unnamedSince, this.replaced])
      for (const name of names.keys()) if (!unnamed.has(name)) names.delete(name);
    for (const [name, garbage] of unnamed)
      if (this.isDue(name) && (await this.options.remove(garbage))) this.unnamedSince.delete(name);
  }

  /**
   * Returns the milliseconds until the next replaced object may be removed: a timer can fire a little too early, and a removal
   * can have to wait.
   */
  private untilReplacedMs(): number {
    const { soonMs = 10_000 } = this.options;
    const left = [...this.replaced.values()].map((due) => due - performance.now());
    return Math.min(...left.map((ms) => (ms > 0 ? ms + 1 : soonMs)));
  }

  private isDue(name: string): boolean {
    const { now = Date.now, patienceMs = 600_000 } = this.options;
    const since = this.unnamedSince.get(name) ?? now();
    this.unnamedSince.set(name, since);
    return now() - since >= patienceMs || performance.now() >= (this.replaced.get(name) ?? Infinity);
  }
}
