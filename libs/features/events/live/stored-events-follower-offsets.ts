import type { TopicAndGroupNames } from '#event';
import type { Definitions, StreamDefinition } from '#registry';
import { maxOffsetRanges, type OffsetRange } from '#store';
import type { SameFilterLiveStreams } from './same-filter-live-streams.js';
import { LivePosition, streamKey } from './live-position.js';

/** The offset that a consumer group reads next, by topic and then by partition. */
export type CommittedOffsets = ReadonlyMap<string, ReadonlyMap<number, number>>;

/** Offsets of one partition that the materializer has stored and that have not been delivered to the live streams. */
export type UndeliveredRange = OffsetRange & { key: string };

interface FollowedStream {
  key: string;
  stream: string;
  topic: string;
  partitions: number;
  /** First offset that has not been delivered, by partition; undefined until the start is known. */
  next?: number[];
}

type Group = Pick<SameFilterLiveStreams, 'cursor' | 'filter'>;

/**
 * The event streams (topics) that open live streams follow, and for each partition the offset up to which events were
 * delivered.
 */
export class StoredEventsFollowerOffsets {
  private streams = new Map<string, FollowedStream>();
  private turn = 0;

  constructor(
    private readonly options: {
      definitions: Pick<Definitions, 'streams'>;
      topics: TopicAndGroupNames;
      /** Target number of offsets in all ranges together. */
      events: number;
    },
  ) {}

  get(key: string): { stream: string; next?: number[] } | undefined {
    return this.streams.get(key);
  }

  /** The followed topics, each with its number of partitions. */
  get topics(): Map<string, number> {
    return new Map([...this.streams.values()].map(({ topic, partitions }) => [topic, partitions]));
  }

  clear(): void {
    this.streams.clear();
  }

  /** Determines which streams to follow. Call it after streams or groups have changed. */
  plan(groups: readonly Group[]): void {
    const live = this.options.definitions.streams().filter(({ state }) => state === 'live');
    const wanted = live.filter(({ stream }) => groups.some(({ filter }) => filter.wants(stream)));
    const followed = wanted.map((definition) => {
      const key = streamKey(definition.id);
      return [key, this.streams.get(key) ?? this.toFollow(key, definition, groups)] as const;
    });
    this.streams = new Map(followed);
    for (const { cursor } of groups) cursor?.keepOnly((key) => this.streams.has(key));
  }

  /**
   * Sets where delivery begins: for a newly followed stream, at the materializer's committed offsets; for a group that
   * joins, at the offsets already delivered to others.
   */
  begin(waiting: readonly Group[], committed: CommittedOffsets): void {
    for (const followed of this.streams.values()) {
      const offsets = committed.get(followed.topic);
      followed.next ??= Array.from({ length: followed.partitions }, (_, i) => offsets?.get(i) ?? 0);
    }
    for (const group of waiting) group.cursor = this.cursorOf(group);
  }

  /**
   * Returns ranges that can be queried and have not been delivered. Each range gets a share of the target number of
   * offsets. When there are many ranges, they take turns.
   */
  behind(committed: CommittedOffsets): UndeliveredRange[] {
    const ranges: UndeliveredRange[] = [];
    for (const { key, stream, topic, next = [] } of this.streams.values()) {
      for (const [partition, until] of committed.get(topic) ?? []) {
        const from = next[partition];
        if (from !== undefined && from < until) ranges.push({ key, stream, partition, from, until });
      }
    }
    const share = Math.max(100, Math.floor(this.options.events / ranges.length));
    this.turn = ranges.length > maxOffsetRanges ? (this.turn + maxOffsetRanges) % ranges.length : 0;
    return [...ranges.slice(this.turn), ...ranges.slice(0, this.turn)].map((range) => ({
      ...range,
      until: Math.min(range.until, range.from + share),
    }));
  }

  /** A stream that a group already wanted before it was created is followed from its first event. */
  private toFollow(
    key: string,
    { stream, id, partitions }: StreamDefinition,
    groups: readonly Group[],
  ): FollowedStream {
    const isNew = groups.some(({ cursor, filter }) => cursor && filter.wants(stream));
    const topic = this.options.topics.ofStream(id);
    return {
      key,
      stream,
      topic,
      partitions,
      ...(isNew && { next: Array<number>(partitions).fill(0) }),
    };
  }

  private cursorOf({ filter }: Group): LivePosition {
    const cursor = new LivePosition(filter.binding);
    for (const { key, stream, next = [] } of this.streams.values()) {
      if (!filter.wants(stream)) continue;
      next.forEach((offset, partition) => cursor.set(key, partition, offset));
    }
    return cursor;
  }
}
