import { setTimeout as sleep } from 'node:timers/promises';
import { warmUpStart } from '#engine';
import type { StreamId } from '#event';
import { partitionKey, type NewlyAssignedPartition, type TopicPartition } from '#kafka';
import {
  MaterializedPartition,
  type LostEnd,
  type MaterializedPartitionDependencies,
  type PartitionStart,
} from './materialized-partition.js';
import type { MaterializerDependencies } from './materializer-dependencies.js';

/**
 * Default of `AssignedPartitionsOptions.keepMs`. A member that Kafka has fenced rejoins its consumer group within a few
 * seconds.
 */
const keepRevokedMs = 15_000;

/** Milliseconds after which a noticed loss that was not recovered here is of no interest: another process had the partition. */
const noticedMs = 600_000;

export interface AssignedPartitionsOptions
  extends MaterializedPartitionDependencies, Pick<MaterializerDependencies, 'topics'> {
  /** Called before the records of a partition are read whose end Kafka has lost. */
  recovery: {
    begin(partition: TopicPartition & { stream: StreamId }, lost: LostEnd, ended: AbortSignal): Promise<void>;
  };
  /** Resolves when the inserts into a shard that are running or waiting are over. */
  inserted(shard: number): Promise<void>;
  /** Called when the state of a partition is discarded, so that its pending events need not be stored any more. */
  dropped(state: MaterializedPartition): void;
  /** Milliseconds for which the end of the log is looked up again if it is below the last stored event. */
  leaderMs?: number | undefined;
  /** Milliseconds for which the state of a revoked partition is kept, in case the partition is assigned again. */
  keepMs?: number;
}

interface AssignedPartition {
  readonly topic: string;
  end: AbortController;
  state?: MaterializedPartition;
  /** Timer that discards the state of a revoked partition; undefined while the partition is assigned. */
  expiry?: NodeJS.Timeout;
}

/**
 * The partitions that are assigned to this process, each with its `MaterializedPartition` state.
 *
 * A member that Kafka has fenced from its consumer group loses all partitions, and usually gets them back after it
 * rejoins. The state of a partition depends only on the log. The state is therefore kept for a while after a
 * revocation, and a partition that is assigned again continues without filling its id window again.
 */
export class AssignedPartitions {
  private readonly owned = new Map<string, AssignedPartition>();
  /** The first offset from which each partition has lost records, and when that was noticed, until they are recovered. */
  private readonly lostFrom = new Map<string, { offset: number; noticedAt: number }>();

  constructor(private readonly options: AssignedPartitionsOptions) {}

  /** Yields the states of the partitions that are assigned to this process and ready to be read. */
  *[Symbol.iterator](): Iterator<MaterializedPartition> {
    for (const { state, expiry } of this.owned.values()) if (state && !expiry) yield state;
  }

  get(topic: string, partition: number): MaterializedPartition | undefined {
    return this.owned.get(partitionKey({ topic, partition }))?.state;
  }

  /**
   * Prepares an assigned partition, and resolves with the offset to read from. The offset to read from lies before the
   * committed offset, so that the id window is filled before the first uncommitted record. Waits while Kafka or
   * ClickHouse is unreachable.
   */
  async add(assignment: NewlyAssignedPartition): Promise<number> {
    const key = partitionKey(assignment);
    const isLost = assignment.lost !== undefined || this.lostFrom.has(key);
    if (!isLost && (await this.continues(key, assignment))) return assignment.position;
    this.drop(key);
    const owned: AssignedPartition = { topic: assignment.topic, end: new AbortController() };
    this.owned.set(key, owned);
    try {
      const { offset, ...start } = await this.findStart(assignment, { isLost, ended: owned.end.signal });
      owned.end.signal.throwIfAborted();
      owned.state = new MaterializedPartition(this.options, assignment, start, owned.end.signal);
      return offset;
    } catch (error) {
      if (owned.end.signal.aborted) return assignment.position;
      throw error;
    }
  }

  /**
   * Discards the state of a partition whose stored event at an offset is not in the log. When the partition is assigned
   * again, its lost events are recovered.
   */
  dropLost(topicPartition: TopicPartition, from: number): void {
    this.lostFrom.set(partitionKey(topicPartition), { offset: from, noticedAt: this.options.now() });
    this.drop(partitionKey(topicPartition));
  }

  /** Called when the lost events of a partition are recovered up to the end that its log had. */
  recovered(topicPartition: TopicPartition): void {
    this.lostFrom.delete(partitionKey(topicPartition));
  }

  /** Stops reading a revoked partition. The state of the partition is discarded after `keepMs`. */
  revoke(topicPartition: TopicPartition): void {
    const key = partitionKey(topicPartition);
    const owned = this.owned.get(key);
    if (!owned?.state) return this.drop(key);
    clearTimeout(owned.expiry);
    owned.expiry = setTimeout(() => this.drop(key), this.options.keepMs ?? keepRevokedMs).unref();
  }

  /**
   * Discards the partitions of all topics except the given ones. Returns the names of the streams that are no longer
   * read.
   */
  keepOnly(topics: ReadonlySet<string>): Set<string> {
    const gone = [...this.owned].filter(([, { topic }]) => !topics.has(topic));
    for (const [key] of gone) {
      this.drop(key);
      this.lostFrom.delete(key);
    }
    return new Set(gone.flatMap(([, { state }]) => (state ? [state.name] : [])));
  }

  /** Discards the states of all partitions. */
  clear(): void {
    for (const key of [...this.owned.keys()]) this.drop(key);
  }

  /** Returns whether a partition that is assigned again continues with the state that was kept after its revocation. */
  private async continues(key: string, assignment: NewlyAssignedPartition): Promise<boolean> {
    const owned = this.owned.get(key);
    if (!owned?.state) return false;
    const { expiry, state } = owned;
    if (!(await this.isUnchanged(state, assignment)) || this.owned.get(key) !== owned) return false;
    state.commits.stands(assignment.position);
    // If the partition was revoked again during the check, the timer that discards its state keeps running.
    if (owned.expiry !== expiry) return true;
    clearTimeout(expiry);
    owned.expiry = undefined;
    return true;
  }

  /**
   * Returns whether the kept state of a partition still matches the log: no other process has committed a later offset,
   * the consumer group's offset was not reset, and the topic was not recreated. If some records were read but not
   * committed, the record at the committed offset must be the record that was read there before.
   */
  private async isUnchanged(
    { commits, builder, ended }: MaterializedPartition,
    assignment: NewlyAssignedPartition,
  ): Promise<boolean> {
    const { position } = assignment;
    if (position < commits.committed || position > builder.next) return false;
    if (position === builder.next) return true;
    try {
      const timestamp = await this.options.retry.run('log', ended, () => assignment.timestampAtPosition());
      return timestamp !== undefined && builder.beganAt(position, timestamp);
    } catch (error) {
      if (ended.aborted) return false;
      throw error;
    }
  }

  private drop(key: string): void {
    const owned = this.owned.get(key);
    if (!owned) return;
    this.owned.delete(key);
    clearTimeout(owned.expiry);
    owned.end.abort();
    if (!owned.state) return;
    this.options.versions.release(owned.state.versions);
    owned.state.history.close();
    this.options.dropped(owned.state);
  }

  /** Resolves with what is known of a partition, and with the offset to read from. */
  private async findStart(
    assignment: NewlyAssignedPartition,
    { isLost, ended }: { isLost: boolean; ended: AbortSignal },
  ): Promise<PartitionStart & { offset: number }> {
    const { partition } = assignment;
    const { writer, retry, topics, window } = this.options;
    const stream = topics.streamOf(assignment.topic);
    if (!stream) throw new RangeError(`The topic ${assignment.topic} does not belong to a stream`);
    const shard = await retry.run('store', ended, () => writer.shardOf(stream, partition));
    // A running insert can have records that the log has lost since. They must be stored before the lost ones are looked up.
    if (isLost) await this.options.inserted(shard.shard);
    const last = (await retry.run('store', ended, () => writer.lastStoredOffset(stream, partition))) ?? -1;
    const { lost, suspected } = await this.lostEndOf(assignment, last, ended);
    if (lost) await this.options.recovery.begin({ ...assignment, stream }, lost, ended);
    const [offset, oldest] = await retry.run('log', ended, async () => [
      await warmUpStart(assignment, window, this.options.now()),
      await assignment.timestampAtPosition(),
    ]);
    return { stream, shard, last, lost, suspected, offset, oldest };
  }

  /**
   * Returns the first lost offset that was noticed while the partition was read; Infinity without one. What is below the committed
   * offset is recovered. A recovery can be interrupted, because the partitions of a topic are assigned again together.
   */
  private noticedAt(assignment: NewlyAssignedPartition): number {
    const noticed = this.lostFrom.get(partitionKey(assignment));
    if (!noticed || this.options.now() - noticed.noticedAt > noticedMs) return Infinity;
    return Math.max(noticed.offset, assignment.position);
  }

  /**
   * Returns the stored records that Kafka has lost. A partition that ends before its last stored event has lost some too: if
   * records follow the committed offset, they must be read to know which, so that the loss is only suspected.
   */
  private async lostEndOf(
    assignment: NewlyAssignedPartition,
    last: number,
    ended: AbortSignal,
  ): Promise<Pick<PartitionStart, 'lost' | 'suspected'>> {
    const { lost, position } = assignment;
    const from = Math.min(this.noticedAt(assignment), lost?.from ?? Infinity);
    if (from === Infinity && last < position) return {};
    const end = await this.endAfter(last, assignment, ended);
    const until = Math.max(last + 1, lost?.until ?? 0);
    if (from < Infinity) return { lost: { from, until, end } };
    if (last < end) return {};
    return end <= position ? { lost: { from: end, until, end } } : { suspected: { until, end } };
  }

  /**
   * Returns the end of the log. It is looked up after the last stored event, which another process can have stored meanwhile, and
   * for a while again if it is not after it.
   */
  private async endAfter(
    last: number,
    assignment: NewlyAssignedPartition,
    ended: AbortSignal,
  ): Promise<number> {
    const { retry, leaderMs = defaultLeaderMs } = this.options;
    const until = performance.now() + leaderMs;
    for (;;) {
      const end = await retry.run('log', ended, () => assignment.offsetAt(endOfTime));
      if (last < end || performance.now() >= until) return end;
      await sleep(pollMs, undefined, { signal: ended });
    }
  }
}

/** Milliseconds between two look-ups of the end of the log. */
const pollMs = 500;
/** Milliseconds after which an end below the last stored event is true: a new leader may at first answer with one that is too low. */
const defaultLeaderMs = 5_000;

/** The greatest time of JavaScript, in milliseconds since 1970: no record is later. */
const endOfTime = 8.64e15;
