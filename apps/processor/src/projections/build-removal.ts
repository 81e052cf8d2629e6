import type { Definitions } from '#registry';
import { storeMayReturn, type ProjectionWriter } from '#store';
import type { Logger } from '#telemetry';

export interface BuildRemovalOptions {
  definitions: Pick<Definitions, 'projections' | 'ageMs'>;
  writer: Pick<ProjectionWriter, 'builds' | 'removeBuild'>;
  logger: Logger;
  onFailure(error: unknown): void;
  /** Milliseconds between two rounds; from when no definition names a build until it goes; and where one took its place. */
  intervalMs?: number;
  patienceMs?: number;
  soonMs?: number;
  /** Milliseconds since 1970. */
  now?: () => number;
}

/** A view that has not been told anything for so long says nothing about what is named. */
const oldestViewMs = 30_000;

/**
 * Removes what builds have that no definition names any more: soon after another took the place of one, and otherwise
 * when it has not been named for ten minutes, whoever forgot it.
 */
export class BuildRemoval {
  private readonly unnamedSince = new Map<string, number>();
  private readonly timers = new Set<NodeJS.Timeout>();
  private working: Promise<void> = Promise.resolve();
  private stopped = false;

  constructor(private readonly options: BuildRemovalOptions) {}

  start(): void {
    this.later(this.options.intervalMs ?? 60_000, async () => {
      try {
        await this.round();
      } finally {
        this.start();
      }
    });
  }

  /** Another build has taken its place: who reads it still has some seconds. */
  soon(build: string): void {
    this.later(this.options.soonMs ?? 10_000, async () => {
      if (!this.named().has(build)) await this.remove(build);
    });
  }

  async stop(): Promise<void> {
    this.stopped = true;
    for (const timer of this.timers) clearTimeout(timer);
    await this.working;
  }

  /** One look at what the store has. */
  async round(): Promise<void> {
    const { definitions, writer, now = Date.now, patienceMs = 600_000 } = this.options;
    if (definitions.ageMs > oldestViewMs) return this.unnamedSince.clear();
    const named = this.named();
    const unnamed = (await writer.builds()).filter((build) => !named.has(build));
    for (const build of this.unnamedSince.keys())
      if (!unnamed.includes(build)) this.unnamedSince.delete(build);
    for (const build of unnamed) {
      const since = this.unnamedSince.get(build);
      if (since === undefined) this.unnamedSince.set(build, now());
      else if (now() - since >= patienceMs) await this.remove(build);
    }
  }

  private named(): Set<string> {
    const all = this.options.definitions.projections.all();
    return new Set(all.flatMap(({ serving, building }) => [serving?.id, building?.id]) as string[]);
  }

  private async remove(build: string): Promise<void> {
    await this.options.writer.removeBuild(build);
    this.unnamedSince.delete(build);
    this.options.logger.info({ build }, 'removed a build that no projection has any more');
  }

  private later(ms: number, work: () => Promise<void>): void {
    if (this.stopped) return;
    const timer = setTimeout(() => {
      this.timers.delete(timer);
      this.working = this.working.then(() => this.attempt(work));
    }, ms);
    timer.unref();
    this.timers.add(timer);
  }

  private async attempt(work: () => Promise<void>): Promise<void> {
    if (this.stopped) return;
    try {
      await work();
    } catch (error) {
      if (!storeMayReturn(error)) return this.options.onFailure(error);
      // What is left is found in a later round.
      this.options.logger.warn({ reason: error.message }, 'builds could not be removed: trying again later');
    }
  }
}
