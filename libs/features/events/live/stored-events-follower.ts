import { Inject, Injectable, Optional } from '@nestjs/common';
import { DEFINITIONS, LOG, LOGGER } from '#app';
import { TimeSlice } from '#async';
import { allStreams } from '#api';
import { TopicAndGroupNames, type StoredEvent } from '#event';
import type { Definitions } from '#registry';
import type { TopicAdmin } from '#kafka';
import { LogOrderPageReader, type EventReader } from '#store';
import type { Logger } from '#telemetry';
import { LIVE_STORE } from '#gateway-kit';
import { LiveFilterStepBudgets } from './live-filter-step-budgets.js';
import {
  StoredEventsFollowerOffsets,
  type CommittedOffsets,
  type UndeliveredRange,
} from './stored-events-follower-offsets.js';
import { LiveEvent } from './live-event.js';
import type { LiveBatch, SameFilterLiveStreams } from './same-filter-live-streams.js';
import type { LivePosition } from './live-position.js';
import { logUnavailable } from './live-problems.js';
import { SharedPoller } from './shared-poller.js';

/** Intervals at which `StoredEventsFollower` polls the materializer's offsets. */
export interface StoredEventsFollowerTimings {
  /** Milliseconds between two polls of the materializer's committed offsets. */
  pollMs: number;
  /** Milliseconds between a failed request to Kafka or ClickHouse and the next attempt. */
  retryMs: number;
  /**
   * Returns a time slice that interrupts the delivery of a page now and then, so that other work of the process runs in
   * between.
   */
  newTurn: () => Pick<TimeSlice, 'over' | 'end'>;
}

const defaults: StoredEventsFollowerTimings = { pollMs: 50, retryMs: 1000, newTurn: () => new TimeSlice() };

const page = { events: 2_000, bytes: 2 * 1024 * 1024 };

/**
 * Delivers newly stored events to all groups of live streams of the process, in the order of the log. Below the offset
 * that the materializer's group has committed, nothing changes any more: offsets without an event there are duplicates,
 * erased events or dead letters. The follower polls the committed offsets of all streams in one request, reads new
 * events from the store once and in the order of their offsets, and delivers them to the groups. The follower polls
 * nothing while the process has no group of live streams.
 */
@Injectable()
export class StoredEventsFollower {
  private readonly groups = new Set<SameFilterLiveStreams>();
  private readonly followed: StoredEventsFollowerOffsets;
  private readonly times: StoredEventsFollowerTimings;
  private readonly pages: LogOrderPageReader;
  private outdated = true;
  private readonly rounds: SharedPoller;

  constructor(
    @Inject(LOG) private readonly log: { admin: Pick<TopicAdmin, 'committedIn'> },
    @Inject(LIVE_STORE) { reader }: { reader: Pick<EventReader, 'inLogOrder'> },
    @Inject(DEFINITIONS) definitions: Pick<Definitions, 'streams' | 'onChange'>,
    private readonly topics: TopicAndGroupNames,
    @Inject(LOGGER) logger: Logger,
    @Optional() times: Partial<StoredEventsFollowerTimings> = {},
  ) {
    this.times = { ...defaults, ...times };
    this.followed = new StoredEventsFollowerOffsets({ definitions, topics, events: page.events });
    this.pages = new LogOrderPageReader({ reader, ...page });
    this.rounds = new SharedPoller({
      isFollowed: () => this.isFollowed(),
      look: () => this.readNext(),
      what: 'live streams',
      ...{ logger, pollMs: this.times.pollMs, retryMs: this.times.retryMs },
    });
    definitions.onChange(() => (this.outdated = true));
  }

  /**
   * Follows the log for this group from now on. Resolves when the group has a cursor.
   * @throws ProblemError 503 `log_unavailable`, and the signal's reason
   */
  async join(group: SameFilterLiveStreams, signal: AbortSignal): Promise<LivePosition> {
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

  leave(group: SameFilterLiveStreams): void {
    this.groups.delete(group);
    this.outdated = true;
  }

  /** Resolves after the next poll, whether it succeeds or fails. */
  nextRound(signal: AbortSignal): Promise<void> {
    return this.rounds.next(signal);
  }

  /** Returns the name of a followed stream; undefined for a stream that is not, or no longer, followed. */
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
    const committed: CommittedOffsets =
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

  private async readNew(ranges: readonly UndeliveredRange[]): Promise<void> {
    const keys = new Map(ranges.map(({ stream, key }) => [stream, key]));
    const { events, reached } = await this.pages.read({ access: allStreams }, ranges);
    // Events of a stream that was deleted or replaced during the read or the delivery are not delivered.
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

  /** Delivers a batch to one group after the other. Other work of the process may run in between. */
  private async handOn(batch: LiveBatch): Promise<void> {
    const budgets = new LiveFilterStepBudgets();
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
