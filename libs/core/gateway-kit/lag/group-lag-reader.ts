import { Inject, Injectable, Optional } from '@nestjs/common';
import { LOG } from '#app';
import { ProblemError } from '#api';
import { UnknownTopicError, type TopicAdmin } from '#kafka';
import { TimeLagEstimator } from './time-lag-estimator.js';

/** Limits of the requests that `GroupLagReader` sends to Kafka. */
export interface GroupLagReaderLimits {
  /** Milliseconds for which the offsets that Kafka has returned are reused. */
  keptMs: number;
  /** Limit of concurrent requests to Kafka; further ones wait. */
  concurrent: number;
  /** Limit of requests to Kafka that run, wait, or are reused. Beyond it, `of` rejects with `overloaded`. */
  most: number;
}

/** A consumer group to measure, with the topics that it reads. */
interface ConsumerGroup {
  /** Id of what the group processes: a generation of a projection, or a job of a pipeline. */
  id: string;
  group: string;
  topics: readonly ConsumedTopic[];
}

/** A topic that a consumer group reads, and where its reading starts. */
export interface ConsumedTopic {
  topic: string;
  /** Start offset of the consumer group in each partition: the first offset that it reads. Default: the beginning. */
  starts?: readonly number[] | undefined;
  /** Whether the lag also counts offsets that Kafka's retention has removed: the group reads them from the store. */
  isWhole?: boolean;
}

/** The lag of a consumer group in records (Kafka offsets), and the total from which to compute its progress. */
export interface GroupLagCounts {
  /** Records that the group has not read yet. */
  lag: number;
  /** Records from the group's start offset to the end of the log, whether read or not. */
  total: number;
  /** Time for which the oldest unread record has been waiting, at least; see `TimeLagEstimator`. */
  seconds: number;
}

/** The lag of a consumer group over all of its topics. */
interface GroupLagAndPartitionCounts extends GroupLagCounts {
  /** Number of partitions by topic. Topics that no longer exist are omitted. */
  partitions: ReadonlyMap<string, number>;
}

const defaults = { keptMs: 1000, concurrent: 8, most: 20_000 };

/** Milliseconds for which a group's earlier offsets are kept while nobody asks for its lag. */
const estimatorMs = 600_000;

interface CachedResult {
  /** When the result expires, in milliseconds of `performance.now()`; Infinity while the request is running. */
  until: number;
  answer: Promise<unknown>;
}

/** Measures the lag of consumer groups from their committed offsets. */
@Injectable()
export class GroupLagReader {
  private readonly bounds: GroupLagReaderLimits;
  private readonly kept = new Map<string, CachedResult>();
  /** Of each group, the partitions with unread records. */
  private readonly estimators = new Map<
    string,
    { byPartition: Map<string, TimeLagEstimator>; usedAt: number }
  >();
  private readonly waiting: (() => void)[] = [];
  private running = 0;

  constructor(
    @Inject(LOG) private readonly log: { admin: Pick<TopicAdmin, 'offsets' | 'committedIn'> },
    @Optional() bounds: Partial<GroupLagReaderLimits> = {},
  ) {
    this.bounds = { ...defaults, ...bounds };
  }

  /**
   * Resolves with the lags by the ids of the groups, up to a second old. The lag in seconds is computed from earlier calls: it
   * is 0 in the first one.
   * @throws LogUnavailableError
   * @throws ProblemError overloaded
   */
  async of(groups: readonly ConsumerGroup[]): Promise<Map<string, GroupLagAndPartitionCounts>> {
    this.forgetOld();
    const lags = groups.map(async (group) => [group.id, await this.ofGroup(group)] as const);
    return new Map(await Promise.all(lags));
  }

  private async ofGroup({ id, group, topics }: ConsumerGroup): Promise<GroupLagAndPartitionCounts> {
    const { admin } = this.log;
    const asked = await Promise.all(
      topics.map(async (consumed) => ({
        ...consumed,
        offsets: (await this.ask(consumed.topic, () => offsetsIfExists(admin, consumed.topic))) ?? [],
      })),
    );
    const known = asked.filter(({ offsets }) => offsets.length > 0);
    const partitions = new Map(known.map(({ topic, offsets }) => [topic, offsets.length]));
    if (known.length === 0) return { lag: 0, total: 0, seconds: 0, partitions };
    const committed = await this.ask([group, ...partitions.keys()].join(' '), () =>
      admin.committedIn(group, partitions),
    );
    const lags = known.flatMap(({ topic, starts, isWhole, offsets }) =>
      offsets.map(({ beginning, ...partition }) => ({
        ...lagOf({ ...partition, beginning: isWhole ? 0 : beginning }, starts, committed.get(topic)),
        key: `${topic}:${partition.partition}`,
        end: partition.end,
      })),
    );
    const sum = (of: 'lag' | 'total') => lags.reduce((all, lag) => all + lag[of], 0);
    return { lag: sum('lag'), total: sum('total'), seconds: this.secondsOf(id, lags), partitions };
  }

  /** Returns the longest time for which a partition has had unread records. */
  private secondsOf(id: string, lags: readonly { key: string; end: number; lag: number }[]): number {
    const now = performance.now();
    const earlier = this.estimators.get(id)?.byPartition;
    const byPartition = new Map<string, TimeLagEstimator>();
    let seconds = 0;
    for (const { key, end, lag } of lags) {
      if (lag === 0) continue;
      const estimator = earlier?.get(key) ?? new TimeLagEstimator();
      byPartition.set(key, estimator);
      seconds = Math.max(seconds, estimator.observe({ end, committed: end - lag }, now));
    }
    const isKnown = earlier !== undefined || this.estimators.size < this.bounds.most;
    if (isKnown) this.estimators.set(id, { byPartition, usedAt: now });
    return Math.round(seconds * 1000) / 1000;
  }

  private ask<T>(what: string, question: () => Promise<T>): Promise<T> {
    const known = this.kept.get(what);
    if (known) return known.answer as Promise<T>;
    if (this.kept.size >= this.bounds.most) {
      const detail = 'Too many requests ask for the lag of projections and pipelines.';
      return Promise.reject(new ProblemError('overloaded', detail, { retryAfterSeconds: 1 }));
    }
    const kept: CachedResult = { until: Infinity, answer: this.inTurn(question) };
    this.kept.set(what, kept);
    kept.answer.then(
      () => (kept.until = performance.now() + this.bounds.keptMs),
      () => this.kept.delete(what),
    );
    return kept.answer as Promise<T>;
  }

  private forgetOld(): void {
    const now = performance.now();
    for (const [what, { until }] of this.kept) if (until <= now) this.kept.delete(what);
    for (const [id, { usedAt }] of this.estimators)
      if (usedAt < now - estimatorMs) this.estimators.delete(id);
  }

  private async inTurn<T>(question: () => Promise<T>): Promise<T> {
    if (this.running >= this.bounds.concurrent)
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    else this.running++;
    try {
      return await question();
    } finally {
      // The next waiting request takes over the slot.
      const next = this.waiting.shift();
      if (next) next();
      else this.running--;
    }
  }
}

function lagOf(
  { partition, beginning, end }: { partition: number; beginning: number; end: number },
  starts: readonly number[] | undefined,
  committed: ReadonlyMap<number, number> | undefined,
): { lag: number; total: number } {
  const start = Math.max(starts?.[partition] ?? 0, beginning);
  const next = Math.max(committed?.get(partition) ?? start, start);
  return { lag: Math.max(0, end - next), total: Math.max(0, end - start) };
}

/** Resolves with the offsets of a topic; undefined if the topic does not exist. */
export async function offsetsIfExists(
  admin: Pick<TopicAdmin, 'offsets'>,
  topic: string,
): Promise<Awaited<ReturnType<TopicAdmin['offsets']>> | undefined> {
  try {
    return await admin.offsets(topic);
  } catch (error) {
    if (error instanceof UnknownTopicError) return undefined;
    throw error;
  }
}
