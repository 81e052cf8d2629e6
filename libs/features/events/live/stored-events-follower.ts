import { Inject, Injectable, Optional } from '@nestjs/common';
import { DEFINITIONS, LOG, LOGGER } from '#app';
import { TimeSlice } from '#async';
import { allStreams } from '#api';
import { TopicAndGroupNames } from '#event';
import type { Definitions, StreamDefinition } from '#registry';
import type { TopicAdmin } from '#kafka';
import { LogOrderPageReader, maxOffsetRanges, type EventReader, type OffsetRange } from '#store';
import type { Logger } from '#telemetry';
import { LIVE_STORE } from '#gateway-kit';
import { followedBy, type LiveEventsFollower } from './live-events-follower.js';
import { LiveFilterStepBudgets } from './live-filter-step-budgets.js';
import { LivePosition, type CatchUpRange } from './live-position.js';
import { logUnavailable } from './live-problems.js';
import {
  liveEventsByStream,
  type LiveBatch,
  type SameFilterLiveStreams,
} from './same-filter-live-streams.js';
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

/** An event stream (topic) that open live streams follow. */
interface FollowedStream {
  key: string;
  stream: string;
  topic: string;
  partitions: number;
  /** First offset that has not been delivered, by partition; undefined until the start is known. */
  next: number[] | undefined;
}

/** The offset that a consumer group reads next, by topic and then by partition. */
type CommittedOffsets = ReadonlyMap<string, ReadonlyMap<number, number>>;

/** Offsets of one partition that the materializer has stored and that have not been delivered to the live streams. */
type UndeliveredRange = OffsetRange & { key: string };

const page = { events: 2_000, bytes: 2 * 1024 * 1024 };

/**
 * Delivers newly stored events to all groups of live streams of the process, in the order of the log. Below the offset
 * that the materializer's group has committed, nothing changes any more: offsets without an event there are duplicates,
 * erased events or dead letters. The follower polls the committed offsets of all streams in one request, reads new
 * events from the store once and in the order of their offsets, and delivers them to the groups. The follower polls
 * nothing while the process has no group of live streams.
 */
@Injectable()
export class StoredEventsFollower implements LiveEventsFollower {
  private readonly groups = new Set<SameFilterLiveStreams>();
  private streams = new Map<string, FollowedStream>();
  /** Whether streams or groups have changed, so that the streams to follow must be determined again. */
  private outdated = true;
  /** Index of the range that is read first, while there are more ranges than one query may have. */
  private firstRange = 0;
  private readonly newTurn: StoredEventsFollowerTimings['newTurn'];
  private readonly pages: LogOrderPageReader;
  private readonly rounds: SharedPoller;

  constructor(
    @Inject(LOG) private readonly log: { admin: Pick<TopicAdmin, 'committedIn'> },
    @Inject(LIVE_STORE) { reader }: { reader: Pick<EventReader, 'inLogOrder'> },
    @Inject(DEFINITIONS) private readonly definitions: Pick<Definitions, 'streams' | 'onChange'>,
    private readonly topics: TopicAndGroupNames,
    @Inject(LOGGER) logger: Logger,
    @Optional() times: Partial<StoredEventsFollowerTimings> = {},
  ) {
    this.newTurn = times.newTurn ?? (() => new TimeSlice());
    this.pages = new LogOrderPageReader({ reader, ...page });
    this.rounds = new SharedPoller({
      isFollowed: () => this.isFollowed(),
      look: () => this.readNext(),
      what: 'live streams',
      logger,
      pollMs: times.pollMs ?? 50,
      retryMs: times.retryMs ?? 1000,
    });
    definitions.onChange(() => (this.outdated = true));
  }

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

  nextRound(signal: AbortSignal): Promise<void> {
    return this.rounds.next(signal);
  }

  streamOf(key: string): string | undefined {
    return this.streams.get(key)?.stream;
  }

  /** Everything that was delivered is stored. */
  async stored(ranges: readonly CatchUpRange[]): Promise<readonly CatchUpRange[]> {
    return ranges;
  }

  private isFollowed(): boolean {
    if (this.groups.size === 0) this.streams.clear();
    return this.groups.size > 0;
  }

  private async readNext(): Promise<boolean> {
    this.plan();
    const joining = [...this.groups].filter(({ cursor }) => !cursor);
    const topics = new Map([...this.streams.values()].map(({ topic, partitions }) => [topic, partitions]));
    const committed: CommittedOffsets =
      topics.size > 0 ? await this.log.admin.committedIn(this.topics.materializerGroup, topics) : new Map();
    this.begin(joining, committed);
    const ranges = this.undelivered(committed);
    if (ranges.length > 0) await this.deliver(ranges);
    return ranges.length > 0;
  }

  /** Determines which streams to follow, after streams or groups have changed. */
  private plan(): void {
    if (!this.outdated) return;
    this.outdated = false;
    this.streams = followedBy(
      [...this.groups],
      this.definitions,
      (key, definition) => this.streams.get(key) ?? this.toFollow(key, definition),
    );
  }

  /** A stream that a group already wanted before it was created is followed from its first event. */
  private toFollow(key: string, { stream, id, partitions }: StreamDefinition): FollowedStream {
    const isNew = [...this.groups].some(({ cursor, filter }) => cursor && filter.wants(stream));
    const next = isNew ? Array<number>(partitions).fill(0) : undefined;
    return { key, stream, topic: this.topics.ofStream(id), partitions, next };
  }

  /**
   * Sets where delivery begins: for a newly followed stream, at the materializer's committed offsets; for a group that
   * joins, at the offsets already delivered to others.
   */
  private begin(joining: readonly SameFilterLiveStreams[], committed: CommittedOffsets): void {
    for (const followed of this.streams.values()) {
      const offsets = committed.get(followed.topic);
      followed.next ??= Array.from({ length: followed.partitions }, (_, i) => offsets?.get(i) ?? 0);
    }
    for (const group of joining) {
      group.cursor = new LivePosition(group.filter.binding);
      for (const { key, stream, next = [] } of this.streams.values())
        if (group.filter.wants(stream))
          for (const [partition, offset] of next.entries()) group.cursor.set(key, partition, offset);
    }
  }

  /**
   * Returns ranges that can be queried and have not been delivered. Each range gets a share of the target number of
   * offsets. When there are many ranges, they take turns.
   */
  private undelivered(committed: CommittedOffsets): UndeliveredRange[] {
    const ranges: UndeliveredRange[] = [];
    for (const { key, stream, topic, next = [] } of this.streams.values()) {
      for (const [partition, until] of committed.get(topic) ?? []) {
        const from = next[partition];
        if (from !== undefined && from < until) ranges.push({ key, stream, partition, from, until });
      }
    }
    const share = Math.max(100, Math.floor(page.events / ranges.length));
    const isTooMany = ranges.length > maxOffsetRanges;
    this.firstRange = isTooMany ? (this.firstRange + maxOffsetRanges) % ranges.length : 0;
    return [...ranges.slice(this.firstRange), ...ranges.slice(0, this.firstRange)].map((range) => ({
      ...range,
      until: Math.min(range.until, range.from + share),
    }));
  }

  /** Reads ranges, and delivers their events to one group after the other. Other work may run in between. */
  private async deliver(ranges: readonly UndeliveredRange[]): Promise<void> {
    const keys = new Map(ranges.map(({ stream, key }) => [stream, key]));
    const { events, reached } = await this.pages.read({ access: allStreams }, ranges);
    // Events of a stream that was deleted or replaced during the read or the delivery are not delivered.
    this.plan();
    const keyOf = (stream: string) => {
      const key = keys.get(stream);
      return key !== undefined && this.streams.has(key) ? key : undefined;
    };
    const batch: LiveBatch = { events: liveEventsByStream(events), reached, keyOf };
    const time = this.newTurn();
    const slice = {
      over: (size: number) => time.over(size),
      end: async () => {
        await time.end();
        this.plan();
      },
    };
    const budgets = new LiveFilterStepBudgets();
    for (const group of [...this.groups])
      await budgets.within(group.keyId, (budget) => group.deliver(batch, { slice, budget }));
    for (const { stream, partition, next } of reached) {
      const offsets = this.streams.get(keyOf(stream) ?? '')?.next;
      if (offsets) offsets[partition] = next;
    }
  }
}
