import { Inject, Injectable, Optional } from '@nestjs/common';
import { TimeSlice } from '#async';
import { DEFINITIONS, LOG, LOGGER } from '#app';
import { TopicAndGroupNames } from '#event';
import { abortable } from '#gateway-kit';
import type { TopicAdmin } from '#kafka';
import type { Definitions, StreamDefinition } from '#registry';
import type { Logger } from '#telemetry';
import { AcceptedEventsReader, type AcceptedEventsConsumption } from './accepted-events-reader.js';
import type { AcceptedPage } from './accepted-events-task.js';
import { CommittedOffsetsCache } from './committed-offsets-cache.js';
import { followedBy, streamsDesiredBy, type LiveEventsFollower } from './live-events-follower.js';
import { LiveFilterStepBudgets } from './live-filter-step-budgets.js';
import { LivePosition, type CatchUpRange } from './live-position.js';
import { logRecordsDeleted, logUnavailable, tooManyPartitions } from './live-problems.js';
import {
  liveEventsByStream,
  type LiveBatch,
  type SameFilterLiveStreams,
} from './same-filter-live-streams.js';

/** Intervals of an `AcceptedEventsFollower`, in milliseconds. */
export interface AcceptedEventsFollowerTimings {
  /**
   * Time after which a group begins at the delivered offsets, although the end of the log is not reached yet. After as much time
   * again, a group that still cannot begin is refused.
   */
  joinMs: number;
  /** Time from a failure until reading starts again. */
  retryMs: number;
}

/** One partition of a followed stream, once it is read. */
interface FollowedPartition {
  /** First offset that has not been delivered. */
  next: number;
  /** End of the log when the partition was first read. */
  target: number;
}

/** An event stream (topic) that open live streams follow. */
interface FollowedStream {
  key: string;
  stream: string;
  topic: string;
  readonly partitions: (FollowedPartition | undefined)[];
  /** Whether a group wanted the stream before it was created. The stream is then followed from its first event. */
  isNew: boolean;
}

interface PendingPage {
  page: AcceptedPage;
  done: () => void;
}

/** Maximum number of partitions that a process follows. */
const mostPartitions = 512;
/** Longest time, in milliseconds, that `nextRound` waits without new events. */
const roundMs = 50;
/** Milliseconds after which the filters of live streams get new budgets of evaluation steps. */
const budgetMs = 50;

/**
 * Delivers accepted events to all groups of live streams of the process, before the events are stored. The follower reads the
 * topics of the followed streams directly, without joining a consumer group, and only while it has groups. A group begins at the
 * end of the log.
 */
@Injectable()
export class AcceptedEventsFollower implements LiveEventsFollower {
  private readonly groups = new Set<SameFilterLiveStreams>();
  /** Groups that have waited long enough for the end of the log: they begin at the delivered offsets. */
  private readonly late = new Set<SameFilterLiveStreams>();
  private streams = new Map<string, FollowedStream>();
  /** Whether streams or groups have changed, so that the streams to follow must be determined again. */
  private outdated = true;
  private consumption: AcceptedEventsConsumption | undefined;
  /** Topics to which the present consumption has been subscribed. */
  private readonly subscribed = new Set<string>();
  private failure: unknown;
  /** Pages that wait for delivery: at most one for each partition, because a partition waits for its page. */
  private pending: PendingPage[] = [];
  private delivering = false;
  private budgets = { since: -Infinity, steps: new LiveFilterStepBudgets() };
  private round = newRound();
  private roundTimer: NodeJS.Timeout | undefined;
  private readonly committed: CommittedOffsetsCache;
  private readonly times: AcceptedEventsFollowerTimings;

  constructor(
    private readonly reader: AcceptedEventsReader,
    @Inject(LOG) log: { admin: Pick<TopicAdmin, 'committedIn'> },
    @Inject(DEFINITIONS) private readonly definitions: Pick<Definitions, 'streams' | 'onChange'>,
    private readonly topics: TopicAndGroupNames,
    @Inject(LOGGER) private readonly logger: Logger,
    @Optional() times: Partial<AcceptedEventsFollowerTimings> = {},
  ) {
    this.times = { joinMs: 3_000, retryMs: 1_000, ...times };
    this.committed = new CommittedOffsetsCache(log, topics.materializerGroup);
    definitions.onChange(() => this.outdate());
  }

  async join(group: SameFilterLiveStreams, signal: AbortSignal): Promise<LivePosition> {
    if (!this.groups.has(group)) {
      this.requireFew(group);
      this.groups.add(group);
      this.outdated = true;
    }
    const deadline = performance.now() + this.times.joinMs;
    while (!group.cursor) {
      const lateMs = performance.now() - deadline;
      if (lateMs > 0) this.late.add(group);
      // During a delivery, the group would miss its events.
      if (!this.delivering) this.begin();
      if (group.cursor) break;
      if (lateMs > this.times.joinMs) throw logUnavailable(this.failure);
      await this.nextRound(signal);
    }
    this.late.delete(group);
    return group.cursor;
  }

  leave(group: SameFilterLiveStreams): void {
    this.groups.delete(group);
    this.late.delete(group);
    if (this.groups.size === 0) {
      // The offsets would be old when somebody follows again, perhaps at once: the partitions are then opened anew.
      this.streams.clear();
      this.stop();
    }
    this.outdate();
  }

  async nextRound(signal: AbortSignal): Promise<void> {
    // A round without events ends by itself, so that nobody keeps waiting for the same promise.
    this.roundTimer ??= setTimeout(() => this.endRound(), roundMs).unref();
    await abortable(this.round.ended, signal);
  }

  streamOf(key: string): string | undefined {
    return this.streams.get(key)?.stream;
  }

  async stored(ranges: readonly CatchUpRange[]): Promise<readonly CatchUpRange[]> {
    const topics = [...this.streams.values()].map(
      ({ topic, partitions }) => [topic, partitions.length] as const,
    );
    const committed = await this.committed.of(new Map(topics));
    return ranges.flatMap((range) => {
      const followed = this.streams.get(range.key);
      if (!followed) return [range];
      const until = Math.min(range.until, committed.get(followed.topic)?.get(range.partition) ?? 0);
      return range.from < until ? [{ ...range, until }] : [];
    });
  }

  /** The id windows of a partition take up to 8 MB. @throws ProblemError `query_too_expensive` */
  private requireFew(group: SameFilterLiveStreams): void {
    const followed = streamsDesiredBy([...this.groups, group], this.definitions);
    const partitions = followed.reduce((sum, stream) => sum + stream.partitions, 0);
    if (partitions > mostPartitions) throw tooManyPartitions(mostPartitions);
  }

  private outdate(): void {
    this.outdated = true;
    if (this.consumption) setImmediate(() => this.plan());
  }

  /** Determines which streams to follow, after streams or groups have changed, and reads their topics. */
  private plan(): void {
    if (!this.outdated) return;
    this.outdated = false;
    const before = this.streams;
    this.streams = followedBy(
      [...this.groups],
      this.definitions,
      (key, definition) => before.get(key) ?? this.toFollow(key, definition),
    );
    this.read();
    for (const { key, topic } of this.streams.values()) {
      // The topic may still be read for streams that have ended: its partitions are opened again, for the new offsets.
      if (!before.has(key) && this.subscribed.has(topic)) this.consumption?.reassign(topic);
      this.subscribed.add(topic);
    }
  }

  private toFollow(key: string, { stream, id, partitions }: StreamDefinition): FollowedStream {
    const isNew = [...this.groups].some(({ cursor, filter }) => cursor && filter.wants(stream));
    const unread = Array<undefined>(partitions).fill(undefined);
    return { key, stream, topic: this.topics.ofStream(id), partitions: unread, isNew };
  }

  /** Reads the topics of the followed streams; ends reading when there is no group. */
  private read(): void {
    const { groups } = this;
    if (groups.size === 0) return this.stop();
    this.consumption ??= this.consume();
    const topics = [...this.streams.values()].map(({ topic }) => topic);
    this.consumption.subscribe(topics).catch((error: unknown) => this.failed(error));
  }

  private consume(): AcceptedEventsConsumption {
    const isCurrent = () => this.consumption === consumption;
    const consumption = this.reader.read({
      opened: (partition) => (isCurrent() ? this.opened(partition) : partition.committed),
      deliver: async (page) => (isCurrent() ? await this.deliver(page) : undefined),
      failed: (error) => (isCurrent() ? this.failed(error) : undefined),
    });
    return consumption;
  }

  private stop(): void {
    const { consumption } = this;
    this.consumption = undefined;
    this.subscribed.clear();
    for (const { done } of this.pending.splice(0)) done();
    void consumption?.stop(Promise.resolve());
  }

  private opened({ key, partition, ...log }: Parameters<AcceptedSink['opened']>[0]): number {
    const followed = this.streams.get(key);
    if (!followed) return log.committed;
    this.failure = undefined;
    const first = { next: followed.isNew ? log.beginning : log.committed, target: log.end };
    const one = (followed.partitions[partition] ??= first);
    if (one.next < log.beginning) this.skipTo(log.beginning, { followed, partition, one });
    return one.next;
  }

  /** Skips records that Kafka has deleted. Clients that resume read their events from the store. */
  private skipTo(
    next: number,
    { followed, partition, one }: { followed: FollowedStream; partition: number; one: FollowedPartition },
  ): void {
    one.next = next;
    for (const { filter, listeners, cursor } of this.groups) {
      if (!filter.wants(followed.stream)) continue;
      for (const listener of [...listeners]) listener.fail(logRecordsDeleted(followed.stream));
      cursor?.set(followed.key, partition, next);
    }
  }

  private failed(error: unknown): void {
    this.logger.error({ err: error }, 'live streams of accepted events wait: reading starts again soon');
    this.failure = error;
    this.stop();
    setTimeout(() => {
      if (!this.consumption && this.groups.size > 0) this.read();
    }, this.times.retryMs).unref();
  }

  /** Gives groups that join a cursor, if all partitions that they want are read up to where the log ended. */
  private begin(): void {
    this.plan();
    for (const group of this.groups) {
      if (group.cursor) continue;
      const desired = [...this.streams.values()].filter(({ stream }) => group.filter.wants(stream));
      const isReady = (one: FollowedPartition | undefined) =>
        one && (this.late.has(group) || one.next >= one.target);
      if (!desired.every(({ partitions }) => partitions.every(isReady))) continue;
      group.cursor = new LivePosition(group.filter.binding);
      for (const { key, partitions } of desired)
        for (const [partition, one] of partitions.entries()) group.cursor.set(key, partition, one!.next);
    }
  }

  private deliver(page: AcceptedPage): Promise<void> {
    return new Promise((resolve) => {
      this.pending.push({ page, done: resolve });
      if (!this.delivering) void this.deliverPending();
    });
  }

  /** Delivers what has arrived during the delivery before, until nothing waits. Other work may run in between. */
  private async deliverPending(): Promise<void> {
    this.delivering = true;
    while (this.pending.length > 0) {
      const taken = this.takePending();
      this.begin();
      await this.deliverPages(taken.map(({ page }) => page));
      for (const { done } of taken) done();
      this.endRound();
    }
    this.delivering = false;
  }

  private endRound(): void {
    clearTimeout(this.roundTimer);
    this.roundTimer = undefined;
    const { end } = this.round;
    this.round = newRound();
    end();
  }

  /** Returns the first page of each partition. A partition that was opened again can have two. */
  private takePending(): PendingPage[] {
    const taken = new Map<string, PendingPage>();
    const later: PendingPage[] = [];
    for (const one of this.pending) {
      const key = `${one.page.key}/${one.page.partition}`;
      if (taken.has(key)) later.push(one);
      else taken.set(key, one);
    }
    this.pending = later;
    return [...taken.values()];
  }

  private async deliverPages(pages: readonly AcceptedPage[]): Promise<void> {
    const fresh = pages.flatMap((page) => {
      const one = this.streams.get(page.key)?.partitions[page.partition];
      return one && one.next < page.next ? [{ page, one }] : [];
    });
    const events = fresh.flatMap(({ page, one }) => page.events.filter(({ offset }) => offset >= one.next));
    const keys = new Map(fresh.map(({ page: { stream, key } }) => [stream, key]));
    const keyOf = (stream: string) => {
      const key = keys.get(stream);
      return key !== undefined && this.streams.has(key) ? key : undefined;
    };
    const batch: LiveBatch = {
      events: liveEventsByStream(events),
      reached: fresh.map(({ page }) => page),
      keyOf,
    };
    const time = new TimeSlice();
    const slice = {
      over: (size: number) => time.over(size),
      end: async () => {
        await time.end();
        this.plan();
      },
    };
    const steps = this.currentBudgets();
    for (const group of [...this.groups])
      await steps.within(group.keyId, (budget) => group.deliver(batch, { slice, budget }));
    for (const { page, one } of fresh) one.next = page.next;
  }

  /** Small pages that follow each other share budgets, so that filters take no more time than with large pages. */
  private currentBudgets(): LiveFilterStepBudgets {
    const now = performance.now();
    if (now - this.budgets.since > budgetMs)
      this.budgets = { since: now, steps: new LiveFilterStepBudgets() };
    return this.budgets.steps;
  }
}

type AcceptedSink = Parameters<AcceptedEventsReader['read']>[0];

function newRound(): { ended: Promise<void>; end: () => void } {
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => (end = resolve));
  return { ended, end };
}
