import { setTimeout as sleep } from 'node:timers/promises';
import { allStreams, ProblemError, type StoredEvent, type TopicNames } from '#contracts';
import type { Definitions, StreamDefinition } from '#definitions';
import type { TopicAdmin } from '#log';
import { maxOffsetRanges, type EventReader, type OffsetRange } from '#store';
import type { Logger } from '#telemetry';
import { abortable } from './abortable.js';
import { LiveEvent } from './live-event.js';
import type { LiveBatch, LiveGroup } from './live-group.js';
import { LivePosition, streamKey } from './live-position.js';
import { PageReader } from './page-reader.js';

export interface LogFollowerOptions {
  admin: Pick<TopicAdmin, 'committedIn'>;
  reader: Pick<EventReader, 'inLogOrder'>;
  definitions: Pick<Definitions, 'streams' | 'onChange'>;
  topics: TopicNames;
  logger: Logger;
  /** Milliseconds between two looks at how far the materializer has come. */
  pollMs?: number;
  /** Milliseconds until it is tried again, after an engine has failed. */
  retryMs?: number;
}

/** A stream that is followed. */
interface Followed {
  key: string;
  stream: string;
  /** Of the stream that has this name now. */
  life: string;
  topic: string;
  partitions: number;
  /** By partition: everything below was handed on; undefined until it is known where to begin. */
  next?: number[];
}

type FollowedRange = OffsetRange & { key: string };

type Committed = ReadonlyMap<string, ReadonlyMap<number, number>>;

const page = { events: 2_000, bytes: 2 * 1024 * 1024 };

/**
 * Follows the log for everyone at once, as far as it can be queried. Below the offset that the materializer's group has
 * committed nothing changes any more: what is not stored there is a repeated id, erased, or a dead letter. So it asks for
 * these offsets, one question for all streams, reads from the store what is new, once and in the order of offsets, and
 * hands it to the groups. Nothing is asked while there is no group.
 */
export class LogFollower {
  private readonly groups = new Set<LiveGroup>();
  private followed = new Map<string, Followed>();
  private readonly options: Required<LogFollowerOptions>;
  private readonly pages: PageReader;
  private outdated = true;
  private turn = 0;
  private running = false;
  private failure: Error | undefined;
  private round: { ended: Promise<void>; end: () => void } = newRound();

  constructor(options: LogFollowerOptions) {
    this.options = { pollMs: 50, retryMs: 1000, ...options };
    this.pages = new PageReader({ reader: options.reader, ...page });
    options.definitions.onChange(() => (this.outdated = true));
  }

  /**
   * Follows for this group from now on; resolves when its cursor is there.
   * @throws ProblemError 503 `log_unavailable`, and the signal's reason
   */
  async join(group: LiveGroup, signal: AbortSignal): Promise<LivePosition> {
    if (!this.groups.has(group)) {
      this.groups.add(group);
      this.outdated = true;
      void this.run();
    }
    while (!group.cursor) {
      await this.nextRound(signal);
      if (!group.cursor && this.failure) throw logUnavailable(this.failure);
    }
    return group.cursor;
  }

  leave(group: LiveGroup): void {
    this.groups.delete(group);
    this.outdated = true;
  }

  /** Resolves when it has looked once more, with success or not. */
  nextRound(signal: AbortSignal): Promise<void> {
    return abortable(this.round.ended, signal);
  }

  /** The name of a stream that is followed; undefined for one that is not, or not any more. */
  streamOf(key: string): string | undefined {
    return this.followed.get(key)?.stream;
  }

  private async run(): Promise<void> {
    if (this.running) return;
    this.running = true;
    while (this.groups.size > 0) {
      const pause = await this.look();
      const ended = this.round;
      this.round = newRound();
      ended.end();
      await sleep(pause);
    }
    this.followed.clear();
    this.running = false;
  }

  /** Milliseconds to pause before the next round. */
  private async look(): Promise<number> {
    const { pollMs, retryMs, logger } = this.options;
    try {
      const more = await this.readNext();
      if (this.failure) logger.info('live streams go on');
      this.failure = undefined;
      return more ? 0 : pollMs;
    } catch (error) {
      if (!this.failure) logger.warn({ err: error }, 'live streams wait');
      this.failure = error as Error;
      return retryMs;
    }
  }

  private async readNext(): Promise<boolean> {
    if (this.outdated) this.plan();
    const waiting = [...this.groups].filter(({ cursor }) => !cursor);
    const topics = new Map(
      [...this.followed.values()].map(({ topic, partitions, life }) => [topic, { partitions, life }]),
    );
    const { admin, topics: names } = this.options;
    const committed = topics.size > 0 ? await admin.committedIn(names.materializerGroup, topics) : new Map();
    this.begin(waiting, committed);
    const ranges = this.behind(committed);
    if (ranges.length === 0) return false;
    await this.readNew(ranges);
    return true;
  }

  /** Which streams are wanted, after these or the groups have changed. */
  private plan(): void {
    this.outdated = false;
    const live = this.options.definitions.streams().filter(({ state }) => state === 'live');
    const groups = [...this.groups];
    const wanted = live.filter(({ stream }) => groups.some(({ filter }) => filter.wants(stream)));
    const followed = wanted.map((definition) => {
      const key = streamKey(definition);
      return [key, this.followed.get(key) ?? this.toFollow(key, definition)] as const;
    });
    this.followed = new Map(followed);
    for (const { cursor } of groups) cursor?.keepOnly((key) => this.followed.has(key));
  }

  /** A stream that somebody wanted before it was there has its first event still to come. */
  private toFollow(key: string, { stream, partitions, created_at: life }: StreamDefinition): Followed {
    const isNew = [...this.groups].some(({ cursor, filter }) => cursor && filter.wants(stream));
    const topic = this.options.topics.ofStream(stream);
    return {
      key,
      stream,
      topic,
      life,
      partitions,
      ...(isNew && { next: Array<number>(partitions).fill(0) }),
    };
  }

  private begin(waiting: readonly LiveGroup[], committed: Committed): void {
    for (const followed of this.followed.values()) {
      const offsets = committed.get(followed.topic);
      followed.next ??= Array.from({ length: followed.partitions }, (_, i) => offsets?.get(i) ?? 0);
    }
    for (const group of waiting) {
      group.cursor = new LivePosition(group.filter.binding);
      for (const { key, stream, next = [] } of this.followed.values()) {
        if (!group.filter.wants(stream)) continue;
        next.forEach((offset, partition) => group.cursor?.set(key, partition, offset));
      }
    }
  }

  /** What can be queried and was not handed on, those first that have waited longest. Each gets its share of a page. */
  private behind(committed: Committed): FollowedRange[] {
    const ranges: FollowedRange[] = [];
    for (const { key, stream, topic, next = [] } of this.followed.values()) {
      for (const [partition, until] of committed.get(topic) ?? []) {
        const from = next[partition];
        if (from !== undefined && from < until) ranges.push({ key, stream, partition, from, until });
      }
    }
    const share = Math.max(100, Math.floor(page.events / ranges.length));
    this.turn = ranges.length > maxOffsetRanges ? (this.turn + maxOffsetRanges) % ranges.length : 0;
    return [...ranges.slice(this.turn), ...ranges.slice(0, this.turn)].map((range) => ({
      ...range,
      until: Math.min(range.until, range.from + share),
    }));
  }

  private async readNew(ranges: readonly FollowedRange[]): Promise<void> {
    const keys = new Map(ranges.map(({ stream, key }) => [stream, key]));
    const { events, reached } = await this.pages.read({ access: allStreams }, ranges);
    // Of a stream that has gone while it was read, or is another one by now, nothing is handed on.
    if (this.outdated) this.plan();
    const isThere = ({ stream }: { stream: string }) => this.followed.has(keys.get(stream) ?? '');
    const batch: LiveBatch = {
      events: byStream(events.filter(isThere)),
      reached: reached.filter(isThere),
      keyOf: (stream) => keys.get(stream) ?? '',
    };
    for (const { stream, partition, next } of batch.reached) {
      const offsets = this.followed.get(batch.keyOf(stream))?.next;
      if (offsets) offsets[partition] = next;
    }
    for (const group of this.groups) group.take(batch);
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

function newRound(): { ended: Promise<void>; end: () => void } {
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => (end = resolve));
  return { ended, end };
}

function logUnavailable(cause: Error): ProblemError {
  const detail = 'How far the events can be queried is not known while Kafka cannot be reached.';
  return new ProblemError('log_unavailable', detail, { retryAfterSeconds: 2, cause });
}
