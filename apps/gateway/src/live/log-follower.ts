import { Inject, Injectable, Optional } from '@nestjs/common';
import { Turn } from '#async';
import { allStreams } from '#api';
import { TopicNames, type StoredEvent } from '#event';
import type { Definitions } from '#registry';
import type { TopicAdmin } from '#log';
import { PageReader, type EventReader } from '#store';
import type { Logger } from '#telemetry';
import { DEFINITIONS, LIVE_STORE, LOG, LOGGER } from '../adapters/adapters.js';
import { FilterBudgets } from './filter-budgets.js';
import { FollowedStreams, type Committed, type FollowedRange } from './followed-streams.js';
import { LiveEvent } from './live-event.js';
import type { LiveBatch, LiveGroup } from './live-group.js';
import type { LivePosition } from './live-position.js';
import { logUnavailable } from './live-problems.js';
import { Rounds } from './rounds.js';

export interface FollowingTimes {
  /** Milliseconds between two looks at how far the materializer has come. */
  pollMs: number;
  /** Milliseconds until it is tried again, after an engine has failed. */
  retryMs: number;
  /** Gives other work of the process its turn while a page is handed on. */
  newTurn: () => Pick<Turn, 'over' | 'end'>;
}

const defaults: FollowingTimes = { pollMs: 50, retryMs: 1000, newTurn: () => new Turn() };

const page = { events: 2_000, bytes: 2 * 1024 * 1024 };

/**
 * Follows the log for everyone at once, as far as it can be queried. Below the offset that the materializer's group has
 * committed nothing changes any more: what is not stored there is a repeated id, erased, or a dead letter. So it asks for
 * these offsets, one question for all streams, reads from the store what is new, once and in the order of offsets, and
 * hands it to the groups. Nothing is asked while there is no group.
 */
@Injectable()
export class LogFollower {
  private readonly groups = new Set<LiveGroup>();
  private readonly followed: FollowedStreams;
  private readonly times: FollowingTimes;
  private readonly pages: PageReader;
  private outdated = true;
  private readonly rounds: Rounds;

  constructor(
    @Inject(LOG) private readonly log: { admin: Pick<TopicAdmin, 'committedIn'> },
    @Inject(LIVE_STORE) { reader }: { reader: Pick<EventReader, 'inLogOrder'> },
    @Inject(DEFINITIONS) definitions: Pick<Definitions, 'streams' | 'onChange'>,
    private readonly topics: TopicNames,
    @Inject(LOGGER) logger: Logger,
    @Optional() times: Partial<FollowingTimes> = {},
  ) {
    this.times = { ...defaults, ...times };
    this.followed = new FollowedStreams({ definitions, topics, events: page.events });
    this.pages = new PageReader({ reader, ...page });
    this.rounds = new Rounds({
      isFollowed: () => this.isFollowed(),
      look: () => this.readNext(),
      what: 'live streams',
      ...{ logger, pollMs: this.times.pollMs, retryMs: this.times.retryMs },
    });
    definitions.onChange(() => (this.outdated = true));
  }

  /**
   * Follows for this group from now on; resolves when its cursor is there.
   * @throws ProblemError 503 `log_unavailable`, and the signal's reason
   */
  async join(group: LiveGroup, signal: AbortSignal): Promise<LivePosition> {
    if (!this.groups.has(group)) {
      this.groups.add(group);
      this.outdated = true;
      this.rounds.start();
    }
    while (!group.cursor) {
      await this.nextRound(signal);
      if (!group.cursor && this.rounds.failure) throw logUnavailable(this.rounds.failure);
    }
    return group.cursor;
  }

  leave(group: LiveGroup): void {
    this.groups.delete(group);
    this.outdated = true;
  }

  /** Resolves when it has looked once more, with success or not. */
  nextRound(signal: AbortSignal): Promise<void> {
    return this.rounds.next(signal);
  }

  /** The name of a stream that is followed; undefined for one that is not, or not any more. */
  streamOf(key: string): string | undefined {
    return this.followed.get(key)?.stream;
  }

  private isFollowed(): boolean {
    if (this.groups.size === 0) this.followed.clear();
    return this.groups.size > 0;
  }

  private async readNext(): Promise<boolean> {
    this.plan();
    const waiting = [...this.groups].filter(({ cursor }) => !cursor);
    const { admin } = this.log;
    const { topics: names } = this;
    const { topics } = this.followed;
    const committed: Committed =
      topics.size > 0 ? await admin.committedIn(names.materializerGroup, topics) : new Map();
    this.followed.begin(waiting, committed);
    const ranges = this.followed.behind(committed);
    if (ranges.length === 0) return false;
    await this.readNew(ranges);
    return true;
  }

  private plan(): void {
    if (this.outdated) this.followed.plan([...this.groups]);
    this.outdated = false;
  }

  private async readNew(ranges: readonly FollowedRange[]): Promise<void> {
    const keys = new Map(ranges.map(({ stream, key }) => [stream, key]));
    const { events, reached } = await this.pages.read({ access: allStreams }, ranges);
    // Of a stream that has gone while it was read or handed on, or is another one by now, nothing is handed on.
    this.plan();
    const keyOf = (stream: string) => {
      const key = keys.get(stream);
      return key !== undefined && this.followed.get(key) ? key : undefined;
    };
    await this.handOn({ events: byStream(events), reached, keyOf });
    for (const { stream, partition, next } of reached) {
      const offsets = this.followed.get(keyOf(stream) ?? '')?.next;
      if (offsets) offsets[partition] = next;
    }
  }

  /** To one group after the other, in turns with the other work of the process. */
  private async handOn(batch: LiveBatch): Promise<void> {
    const budgets = new FilterBudgets();
    const own = this.times.newTurn();
    const turn = {
      over: (size: number) => own.over(size),
      end: async () => {
        await own.end();
        this.plan();
      },
    };
    for (const group of [...this.groups])
      await budgets.within(group.keyId, (budget) => group.take(batch, { turn, budget }));
  }
}

function byStream(events: readonly StoredEvent[]): Map<string, LiveEvent[]> {
  const streams = new Map<string, LiveEvent[]>();
  for (const event of events) {
    const known = streams.get(event.stream);
    if (known) known.push(new LiveEvent(event));
    else streams.set(event.stream, [new LiveEvent(event)]);
  }
  return streams;
}
