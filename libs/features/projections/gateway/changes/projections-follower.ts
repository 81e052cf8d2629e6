import { Inject, Injectable, Optional } from '@nestjs/common';
import { DEFINITIONS, LOGGER } from '#app';
import type { Definitions } from '#registry';
import type { ProjectionGeneration } from '#features/projections/definition';
import type { PartitionCheckpoint, KeyedStateReader } from '#store';
import type { Logger } from '#telemetry';
import { LIVE_STORE, Bulkhead } from '#gateway-kit';
import { LiveConnections, SharedPoller } from '#features/events';
import { GenerationChanges, type GenerationChangesDependencies } from './generation-changes.js';
import { generationBinding } from './change-stream-position.js';

/** Intervals at which `ProjectionsFollower` polls the store. */
interface ProjectionsFollowerTimings {
  /** Milliseconds between two polls of the saved positions. */
  pollMs: number;
  /** Milliseconds between a failure of the store and the next attempt. */
  retryMs: number;
}

/** Limit of pages of changes that are read from the store at the same time. */
const concurrentPages = 3;

interface Followed {
  /** Number of open live streams of this projection. */
  members: number;
  feed?: GenerationChanges;
}

/**
 * Polls the saved positions of the generations that serve projections, on behalf of all streams. One small query covers
 * all projections that somebody follows; there is none while nobody does.
 */
@Injectable()
export class ProjectionsFollower {
  private readonly reading: GenerationChangesDependencies;
  private readonly followed = new Map<string, Followed>();
  private readonly rounds: SharedPoller;

  constructor(
    { closed, maxStreams: queued }: LiveConnections,
    @Inject(LIVE_STORE)
    private readonly store: { projections: Pick<KeyedStateReader, 'progress' | 'changedKeys'> },
    @Inject(DEFINITIONS)
    private readonly definitions: { projections: Pick<Definitions['projections'], 'get'> },
    @Inject(LOGGER) logger: Logger,
    @Optional() times: Partial<ProjectionsFollowerTimings> = {},
  ) {
    this.rounds = new SharedPoller({
      isFollowed: () => this.followed.size > 0,
      look: () => this.followAll(),
      what: 'streams of changes',
      logger,
      ...{ pollMs: 100, retryMs: 1000, ...times },
    });
    const bulkhead = new Bulkhead({ concurrent: concurrentPages, queued, waitMs: 60_000 });
    this.reading = { projections: store.projections, bulkhead, closed };
  }

  /** Follows this projection until `leave` is called as often as `join`. */
  join(name: string): void {
    const known = this.followed.get(name);
    if (known) known.members++;
    else this.followed.set(name, { members: 1 });
    this.rounds.start();
  }

  leave(name: string): void {
    const known = this.followed.get(name);
    if (known && --known.members === 0) this.followed.delete(name);
  }

  /**
   * Resolves with the generation that is serving, once its saved positions are known.
   * @param patient whether to wait while the store cannot be reached, too
   * @throws the signal's reason, and the errors of the store
   */
  async feed(
    name: string,
    { signal, patient }: { signal: AbortSignal; patient: boolean },
  ): Promise<GenerationChanges> {
    for (;;) {
      const feed = this.followed.get(name)?.feed;
      if (feed && this.serves(name, feed)) return feed;
      await this.rounds.next(signal);
      if (this.rounds.failure && !patient) throw this.rounds.failure;
    }
  }

  /**
   * Whether reads still use this generation of the projection. When reads use another generation, the rows of this one
   * may have been removed from the store.
   */
  serves(name: string, { generation }: Pick<GenerationChanges, 'generation'>): boolean {
    return this.serving(name)?.id === generation.id;
  }

  private serving(name: string): ProjectionGeneration | undefined {
    return this.definitions.projections.get(name)?.serving ?? undefined;
  }

  private async followAll(): Promise<boolean> {
    const generations = new Map([...this.followed.keys()].map((name) => [name, this.serving(name)]));
    const ids = [...generations.values()].flatMap((generation) => (generation ? [generation.id] : []));
    const progress = await this.store.projections.progress(ids);
    for (const [name, generation] of generations) this.follow(name, generation, progress);
    return false;
  }

  private follow(
    name: string,
    generation: ProjectionGeneration | undefined,
    progress: readonly PartitionCheckpoint[],
  ): void {
    const followed = this.followed.get(name);
    if (!followed) return;
    const before = followed.feed;
    if (generation && before?.generation.id !== generation.id)
      followed.feed = new GenerationChanges(generation, generationBinding(name, generation), this.reading);
    if (generation) followed.feed?.advance(progress.filter(({ owner }) => owner === generation.id));
    else delete followed.feed;
    if (before !== followed.feed) before?.stir();
  }
}
