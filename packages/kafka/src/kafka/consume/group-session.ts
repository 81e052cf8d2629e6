import { setTimeout as sleep } from 'node:timers/promises';
import { Backoff } from '#async';
import { unknownEpoch, type EpochPosition } from '../../epoch-position.js';
import { LogUnavailableError } from '../../errors.js';
import type { ConsumerHandler, LostRecords } from '../../log.js';
import { settledWithin } from '../../timeouts.js';
import { addTo, partitionKey, type TopicPartition } from '../../topic-partition.js';
import type { ClusterClient } from '../cluster/cluster-client.js';
import { isFatal } from '../cluster/kafka-errors.js';
import type { OwnershipClaim } from './assign-partitions.js';
import {
  describeAssignment,
  leaderOf,
  logOffsetsOf,
  type PartitionOffsetBounds,
} from './describe-assignment.js';
import { Fetcher, type KafkaReaderDependencies } from './fetcher.js';
import type { CommittedOffset, GroupGeneration } from './group-generation.js';
import type { GroupMembership } from './group-membership.js';
import { furthest, lostRecordsOf } from './leader-epochs.js';
import { PartitionBuffer } from './partition-buffer.js';

/** Dependencies of a `GroupSession`, and the generation in which it begins. */
interface GroupSessionOptions extends KafkaReaderDependencies {
  /** See `KafkaConsumerDependencies.fetching`. */
  fetching: ClusterClient;
  membership: Pick<GroupMembership, 'committed'>;
  /** The first generation of the consumer group in which this session is a member. */
  generation: GroupGeneration;
  handler: ConsumerHandler;
  /** Resolves for each partition when the last call of its handler ends; shared by successive sessions. */
  busy: Map<string, Promise<unknown>>;
  /** Up to where this member has read each partition, perhaps without a commit; shared by successive sessions. */
  read: Map<string, TopicPartition & EpochPosition>;
  onFatal(error: unknown): void;
}

/** A partition that this member owns, from its assignment to its revocation. A later assignment is another object. */
class GroupSessionPartition implements TopicPartition {
  readonly key = partitionKey(this);
  /** True once `assigned` of the handler has been called. */
  isAssigned = false;
  /** True if the partition is being assigned and must be assigned once more after that. */
  mustReassign = false;
  /** True once this assignment is over: the member no longer owns the partition, or has it by a new assignment. */
  isRevoked = false;
  /** The committed offset of the group, once it was looked up. */
  committed: CommittedOffset = {
    ...{ topic: this.topic, partition: this.partition },
    ...{ offset: -1, leaderEpoch: unknownEpoch },
  };
  /** Buffer of the partition; set while the partition is read. */
  buffer: PartitionBuffer | undefined;

  constructor(
    readonly topic: string,
    readonly partition: number,
  ) {}
}

/** Where a partition begins and ends in the log, and the records before the committed offset that the log has lost. */
type PartitionInLog = PartitionOffsetBounds & { lost: LostRecords | undefined };

const retryWaitMs = 200;
const longestRetryWaitMs = 1_000;
/** Milliseconds for which lookups are collected into one request. */
const gatherMs = 20;
/** Time without a leader after which a warning is logged. A new or removed topic has none for a second or two. */
const normalMs = 5_000;

/**
 * Opens, reads and releases the partitions that a member owns. The session lasts as long as the group knows the member.
 * A partition that successive generations assign to the member is read without an interruption.
 */
export class GroupSession {
  generation: GroupGeneration;
  private readonly fetcher: Fetcher;
  private readonly owned = new Map<string, GroupSessionPartition>();
  /** Partitions whose first and next offsets in Kafka are looked up in the next request. */
  private readonly unknown = new Set<GroupSessionPartition>();
  private asking: Promise<Map<string, PartitionInLog>> | undefined;
  private draining = false;
  private ended = false;
  private warned = false;
  /** Resolves at the end of the present generation. */
  private passed!: Promise<void>;
  private pass!: () => void;

  constructor(private readonly options: GroupSessionOptions) {
    const { fetching: client, bounds, logger, outage, generation } = options;
    this.generation = generation;
    this.expectNext();
    this.fetcher = new Fetcher({
      client,
      bounds,
      logger,
      outage,
      onGone: (buffer, why) => {
        const owned = this.get(buffer);
        if (owned?.buffer !== buffer) return;
        this.reopen(owned);
        // A new topic of this name begins with other records.
        if (why === 'no topic') this.options.read.delete(owned.key);
      },
      onFatal: (error) => options.onFatal(error),
    });
  }

  /** The owned partitions that this member claims when it rejoins the group. */
  get claim(): OwnershipClaim {
    const owned = new Map<string, number[]>();
    for (const { topic, partition } of this.owned.values()) addTo(owned, topic, partition);
    return { generation: this.generation.id, owned };
  }

  /** Returns the partition if this member owns it; a caller that keeps it can see from `isRevoked` when it is over. */
  get(partition: TopicPartition): GroupSessionPartition | undefined {
    return this.owned.get(partitionKey(partition));
  }

  /**
   * Continues the session in the given group generation and opens each newly assigned partition. Returns the owned
   * partitions that the generation assigns to others or to nobody; they are read until `release` is called.
   */
  adopt(generation: GroupGeneration): GroupSessionPartition[] {
    this.generation = generation;
    this.pass();
    this.expectNext();
    const given = [...generation.assignment].flatMap(([topic, partitions]) =>
      partitions.map((partition) => ({ topic, partition })),
    );
    const keys = new Set(given.map(partitionKey));
    const lost = [...this.owned.values()].filter(({ key }) => !keys.has(key));
    if (!this.draining) this.openAll(given.filter((partition) => !this.get(partition)));
    return lost;
  }

  /** Resolves when the given group generation is over, at the latest after `ms` milliseconds. */
  async after(generation: GroupGeneration, ms: number): Promise<void> {
    if (this.generation === generation && !this.ended) await settledWithin(ms, this.passed);
  }

  private expectNext(): void {
    this.passed = new Promise((resolve) => (this.pass = resolve));
  }

  private openAll(partitions: readonly TopicPartition[]): void {
    if (partitions.length === 0) return;
    const fresh = partitions.map(({ topic, partition }) => new GroupSessionPartition(topic, partition));
    for (const one of fresh) this.owned.set(one.key, one);
    const found = this.find(fresh);
    found.catch(() => undefined);
    for (const one of fresh) this.failWith(this.open(one, found), one);
  }

  /** Looks up the end offsets after the committed ones, which could otherwise lie after them. */
  private async find(partitions: readonly GroupSessionPartition[]): Promise<Map<string, PartitionInLog>> {
    const { membership } = this.options;
    const found = (await this.persistently(partitions, () => membership.committed(partitions))) ?? [];
    const committed = new Map(found.map((one) => [partitionKey(one), one]));
    for (const one of partitions) one.committed = committed.get(one.key) ?? one.committed;
    // A partition that this request does not return is looked up again later, in `open`.
    return this.lookUp(partitions).catch(() => new Map<string, PartitionInLog>());
  }

  /** Returns the partition in the log. @throws LogUnavailableError if it has no leader, or its leader does not answer */
  private async inLog(owned: GroupSessionPartition): Promise<PartitionInLog> {
    this.unknown.add(owned);
    this.asking ??= this.askTogether();
    const found = (await this.asking).get(owned.key);
    if (!found) throw new LogUnavailableError('the partition has no leader');
    return found;
  }

  /** Looks up all waiting partitions in one request: those of an unreachable broker retry at the same time. */
  private async askTogether(): Promise<Map<string, PartitionInLog>> {
    await sleep(gatherMs);
    const partitions = [...this.unknown].filter(({ isRevoked }) => !isRevoked);
    this.unknown.clear();
    this.asking = undefined;
    return this.lookUp(partitions);
  }

  /** Returns these partitions in the log, without those that have no leader or whose leader does not answer. */
  private async lookUp(partitions: readonly GroupSessionPartition[]): Promise<Map<string, PartitionInLog>> {
    const { client, read } = this.options;
    const bounds = await logOffsetsOf(client, partitions);
    const positions = partitions.flatMap(({ key, committed }) => {
      const own = read.get(key);
      // Another member has committed records of a later leader: it has been told what that leader did not have.
      return own && own.leaderEpoch >= committed.leaderEpoch ? [committed, own] : [committed];
    });
    const lost = await lostRecordsOf(client, positions, {
      leaderOf: (one) => bounds.get(partitionKey(one))?.leader,
      failed: (error) => {
        if (isFatal(error)) throw error;
      },
    });
    const found = new Map<string, PartitionInLog>();
    for (const [key, one] of bounds) if (lost.has(key)) found.set(key, { ...one, lost: lost.get(key) });
    return found;
  }

  private failWith(opening: Promise<void>, owned: GroupSessionPartition): void {
    opening.catch((error: unknown) => {
      if (!owned.isRevoked) this.options.onFatal(error);
    });
  }

  /** See `Fetcher.fetchNow`. */
  fetchNow(): void {
    this.fetcher.fetchNow();
  }

  /** Implements `Consumer.reassign`. */
  reassign(topic: string, partition?: number): void {
    const isMeant = (one: GroupSessionPartition): boolean =>
      one.topic === topic && (partition ?? one.partition) === one.partition;
    for (const owned of [...this.owned.values()].filter(isMeant))
      if (owned.buffer) this.reopen(owned);
      else owned.mustReassign = true;
  }

  /** Revokes and reassigns the partition: the log no longer has its next offset, or its topic may be a new one. */
  private reopen(owned: GroupSessionPartition): void {
    const next = new GroupSessionPartition(owned.topic, owned.partition);
    this.drop(owned);
    this.owned.set(next.key, next);
    this.failWith(this.openLater(next), next);
  }

  private async openLater(owned: GroupSessionPartition): Promise<void> {
    await sleep(retryWaitMs);
    // Waits for a leader before it looks up the committed offsets: Kafka removes these together with a removed topic.
    await this.persistently([owned], () => leaderOf(this.options.client, owned));
    await this.open(owned, this.find([owned]));
  }

  private async open(
    owned: GroupSessionPartition,
    looking: Promise<ReadonlyMap<string, PartitionInLog>>,
  ): Promise<void> {
    const { options } = this;
    const found = await looking;
    await options.busy.get(owned.key);
    const log = await this.persistently(
      [owned],
      async () => found.get(owned.key) ?? (await this.inLog(owned)),
    );
    if (owned.isRevoked || !log) return;
    const { committed } = owned;
    const assignment = describeAssignment(options, owned, {
      ...{ ...log, committed: committed.offset },
      epochBefore: (offset) => owned.buffer?.epochs.before(offset) ?? unknownEpoch,
      epochStartIn: (first, last) => owned.buffer?.epochs.startIn(first, last),
    });
    owned.isAssigned = true;
    const assigned = options.handler.assigned(assignment);
    void this.keepBusy(owned.key, assigned);
    const from = Math.min(await assigned, assignment.position);
    if (owned.isRevoked) return;
    if (owned.mustReassign) return this.reopen(owned);
    owned.buffer = new PartitionBuffer({
      topic: owned.topic,
      partition: owned.partition,
      from: Math.max(from, assignment.beginning),
      share: options.handler.memoryShare?.(owned),
      ...(!log.lost && { read: furthest(committed, options.read.get(owned.key)) }),
      deliver: (batch) => this.keepBusy(owned.key, options.handler.batch(batch)),
      onError: (error) => options.onFatal(error),
    });
    this.fetcher.add(owned.buffer, log.leader);
  }

  private keepBusy<T>(key: string, call: Promise<T>): Promise<T> {
    const over = call.then(
      () => undefined,
      () => undefined,
    );
    this.options.busy.set(key, over);
    void over.then(() => {
      if (this.options.busy.get(key) === over) this.options.busy.delete(key);
    });
    return call;
  }

  /** Retries the operation until it succeeds or all partitions are revoked (undefined). @throws fatal errors */
  private async persistently<T>(
    partitions: readonly GroupSessionPartition[],
    operation: () => Promise<T>,
  ): Promise<T | undefined> {
    const topic = partitions[0]?.topic;
    const began = performance.now();
    const backoff = new Backoff(retryWaitMs, longestRetryWaitMs);
    while (!partitions.every(({ isRevoked }) => isRevoked)) {
      try {
        return await operation();
      } catch (error) {
        if (isFatal(error)) throw error;
        this.report({ err: error, topic }, performance.now() - began);
        await sleep(backoff.next());
      }
    }
    return undefined;
  }

  /** Logs a failed try: one warning for each session, whose partitions wait for the same thing; else debug lines. */
  private report(details: { err: unknown; topic: string | undefined }, lastsMs: number): void {
    const warns = lastsMs >= normalMs && !this.warned;
    this.warned ||= warns;
    this.options.logger[warns ? 'warn' : 'debug'](details, 'Cannot open partitions yet: retrying');
  }

  /**
   * Releases these partitions: delivers no further batch of them, and waits at most `withinMs` milliseconds for running
   * batches, which can still commit. After the wait, revokes the partitions.
   */
  async release(partitions: readonly TopicPartition[], withinMs: number): Promise<void> {
    const keys = new Set(partitions.map(partitionKey));
    const owned = () => [...this.owned.values()].filter(({ key }) => keys.has(key));
    await settledWithin(withinMs, Promise.allSettled(owned().map((one) => this.stopReading(one))));
    for (const one of owned()) this.drop(one);
  }

  /** Releases all partitions of these topics, and forgets up to where their partitions were read. */
  async releaseTopics(topics: ReadonlySet<string>, withinMs: number): Promise<void> {
    const gone = [...this.owned.values()].filter(({ topic }) => topics.has(topic));
    if (gone.length > 0) await this.release(gone, withinMs);
    const { read } = this.options;
    // Also of partitions that other members own now.
    for (const [key, { topic }] of read) if (topics.has(topic)) read.delete(key);
  }

  private async stopReading({ buffer }: GroupSessionPartition): Promise<void> {
    if (buffer) this.fetcher.remove(buffer);
    await buffer?.close();
  }

  private drop(owned: GroupSessionPartition): void {
    if (owned.isRevoked) return;
    owned.isRevoked = true;
    this.owned.delete(owned.key);
    const read = owned.buffer?.epochs.last;
    const { topic, partition } = owned;
    if (read && read.leaderEpoch !== unknownEpoch)
      this.options.read.set(owned.key, { topic, partition, ...read });
    void this.stopReading(owned);
    if (owned.isAssigned) this.options.handler.revoked({ topic, partition });
  }

  /** Opens no further partition and delivers no further batch; resolves when the running batches are done. */
  async drain(): Promise<void> {
    this.draining = true;
    this.fetcher.close();
    await Promise.all([...this.owned.values()].map(async ({ buffer }) => buffer?.close()));
  }

  /** Ends the session: revokes every partition at once, and does not wait for running batches. */
  end(): void {
    if (this.ended) return;
    this.ended = true;
    void this.drain();
    for (const owned of [...this.owned.values()]) this.drop(owned);
    this.pass();
  }
}
