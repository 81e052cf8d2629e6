import { Inject, Injectable, Optional } from '@nestjs/common';
import type { Definitions, ProjectionBuild, ProjectionDefinition } from '#registry';
import type { StateProgress, KeyedStateReader } from '#store';
import type { Logger } from '#telemetry';
import { DEFINITIONS, LIVE_STORE, LOGGER } from '../../adapters/adapters.js';
import { LiveConnections } from '../../live/live-connections.js';
import { Rounds } from '../../live/rounds.js';
import { Bulkhead } from '../../reads/bulkhead.js';
import { BuildFeed, type BuildFeedParts } from './build-feed.js';
import { bindingTo } from './change-position.js';

export interface FollowingTimes {
  /** Milliseconds between two looks at how far the builds are. */
  pollMs: number;
  /** Milliseconds until it is tried again, after the store has failed. */
  retryMs: number;
}

/** Pages of changes that are read from the store at once. */
const concurrentPages = 3;

interface Followed {
  /** Open streams. */
  members: number;
  feed?: BuildFeed;
}

/**
 * Follows, for everyone at once, how far the builds are that serve projections: one small question for all that somebody
 * reads, and none while nobody does.
 */
@Injectable()
export class ProjectionFollower {
  private readonly parts: BuildFeedParts;
  private readonly followed = new Map<string, Followed>();
  private readonly rounds: Rounds;

  constructor(
    { closed, maxStreams: queued }: LiveConnections,
    @Inject(LIVE_STORE)
    private readonly store: { projections: Pick<KeyedStateReader, 'progress' | 'changedKeys'> },
    @Inject(DEFINITIONS)
    private readonly definitions: { projections: Pick<Definitions['projections'], 'get'> },
    @Inject(LOGGER) logger: Logger,
    @Optional() times: Partial<FollowingTimes> = {},
  ) {
    this.rounds = new Rounds({
      isFollowed: () => this.followed.size > 0,
      look: () => this.followAll(),
      what: 'streams of changes',
      logger,
      ...{ pollMs: 100, retryMs: 1000, ...times },
    });
    const bulkhead = new Bulkhead({ concurrent: concurrentPages, queued, waitMs: 60_000 });
    this.parts = { projections: store.projections, bulkhead, closed };
  }

  /** Follows this projection until `leave` is called. */
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
   * The build that is served now; waits until it is known how far that one is.
   * @param patient Waits while the store cannot be reached, too.
   * @throws the signal's reason, and what the store throws
   */
  async feed(
    name: string,
    { signal, patient }: { signal: AbortSignal; patient: boolean },
  ): Promise<BuildFeed> {
    for (;;) {
      const feed = this.followed.get(name)?.feed;
      if (feed && this.serves(name, feed)) return feed;
      await this.rounds.next(signal);
      if (this.rounds.failure && !patient) throw this.rounds.failure;
    }
  }

  /** Whether states are read from it still. Where they are not, its rows may be gone. */
  serves(name: string, { build }: Pick<BuildFeed, 'build'>): boolean {
    return this.served(name)?.serving.id === build.id;
  }

  private served(name: string): (ProjectionDefinition & { serving: ProjectionBuild }) | undefined {
    const definition = this.definitions.projections.get(name);
    return definition?.serving ? { ...definition, serving: definition.serving } : undefined;
  }

  private async followAll(): Promise<boolean> {
    const builds = new Map([...this.followed.keys()].map((name) => [name, this.served(name)?.serving]));
    const ids = [...builds.values()].flatMap((build) => (build ? [build.id] : []));
    const progress = await this.store.projections.progress(ids);
    for (const [name, build] of builds) this.follow(name, build, progress);
    return false;
  }

  private follow(name: string, build: ProjectionBuild | undefined, progress: readonly StateProgress[]): void {
    const followed = this.followed.get(name);
    if (!followed) return;
    const before = followed.feed;
    if (build && before?.build.id !== build.id)
      followed.feed = new BuildFeed(build, bindingTo(name, build), this.parts);
    if (build) followed.feed?.advance(progress.filter(({ owner }) => owner === build.id));
    else delete followed.feed;
    if (before !== followed.feed) before?.stir();
  }
}
