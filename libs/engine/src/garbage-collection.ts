import type { Logger } from '#telemetry';
import { Poll } from './poll.js';

export interface GarbageCollectionOptions<Garbage> {
  definitions: { readonly ageMs: number };
  /** Returns what no definition names now, by name. */
  unnamed(): Promise<ReadonlyMap<string, Garbage>>;
  /** Resolves false when it has to wait for another round. */
  remove(garbage: Garbage): Promise<boolean>;
  /** Runs first in each round. */
  tidy?(): Promise<void>;
  /** Whether another round may help. */
  mayReturn(error: unknown): boolean;
  logger: Logger;
  onFailure(error: unknown): void;
  /** Milliseconds between two rounds; from when no definition names something until it goes; and where something has replaced it. */
  intervalMs?: number | undefined;
  patienceMs?: number | undefined;
  soonMs?: number | undefined;
  /** Milliseconds since 1970. */
  now?: (() => number) | undefined;
}

/** A view that has not been told anything for so long says nothing about what is named. */
const oldestViewMs = 30_000;

/** Removes what no definition has named for some time, whoever forgot it. */
export class GarbageCollection<Garbage> {
  private readonly unnamedSince = new Map<string, number>();
  /** What goes at the next round from a time on, in milliseconds of `performance.now()`. */
  private readonly replaced = new Map<string, number>();
  private readonly poll: Poll;

  constructor(private readonly options: GarbageCollectionOptions<Garbage>) {
    const { logger, intervalMs = 60_000 } = options;
    this.poll = new Poll({
      run: async () => {
        await this.round();
        return intervalMs;
      },
      ...{ logger, retryMs: intervalMs, complaint: 'something could not be removed: trying again later' },
      mayReturn: (error) => options.mayReturn(error),
      onFailure: (error) => options.onFailure(error),
    });
  }

  start(): void {
    this.poll.soon(this.options.intervalMs ?? 60_000);
  }

  /** Something has replaced this: whoever reads it still has some seconds. */
  soon(name: string): void {
    const { soonMs = 10_000 } = this.options;
    this.replaced.set(name, performance.now() + soonMs);
    this.poll.soon(soonMs + 1);
  }

  async stop(): Promise<void> {
    await this.poll.stop();
  }

  /** Looks once at what there is. */
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

  private isDue(name: string): boolean {
    const { now = Date.now, patienceMs = 600_000 } = this.options;
    const since = this.unnamedSince.get(name) ?? now();
    this.unnamedSince.set(name, since);
    return now() - since >= patienceMs || performance.now() >= (this.replaced.get(name) ?? Infinity);
  }
}
