import { setTimeout as sleep } from 'node:timers/promises';
import { Backoff } from '#async';
import type { ConsumerHandler } from '../../log.js';
import { LogUnavailableError } from '../../errors.js';
import type { ClusterClient } from '../cluster-client.js';
import type { KafkaLogLimits } from '../kafka-log-options.js';
import { isFatal } from '../kafka-errors.js';
import type { KafkaLogger } from '../logger.js';
import type { OwnershipClaim } from './assign-partitions.js';
import {
  describeAssignment,
  leaderOf,
  logOffsetsOf,
  type PartitionOffsetBounds,
} from './describe-assignment.js';
import type { FetchOutageTracker } from './fetch-outage-tracker.js';
import { Fetcher } from './fetcher.js';
import type { TopicPartition } from '../../topic-partition.js';
import type { CommittedOffset, GroupGeneration } from './group-generation.js';
import type { GroupMembership } from './group-membership.js';
import { keyOf, GroupSessionPartition } from './group-session-partition.js';
import { PartitionBuffer } from './partition-buffer.js';
import { settledWithin } from '../../settled-within.js';

/** Dependencies of a `GroupSession`, and the generation in which it begins. */
interface GroupSessionOptions {
  client: ClusterClient;
  /** See `KafkaConsumerDependencies.fetching`. */
  fetching: ClusterClient;
  bounds: KafkaLogLimits;
  logger: KafkaLogger;
  outage: FetchOutageTracker;
  membership: Pick<GroupMembership, 'committed'>;
  /** The first generation of the consumer group in which this session is a member. */
  generation: GroupGeneration;
  handler: ConsumerHandler;
  /**
   * Running handler calls by partition, shared by successive sessions. Each promise resolves when the last call of the
   * handler for the partition ends.
   */
  busy: Map<string, Promise<unknown>>;
  onFatal(error: unknown): void;
}

/** Committed offsets and log boundaries of partitions that are opened together. The keys of both maps come from `keyOf`. */
interface LookupResults {
  committed: ReadonlyMap<string, CommittedOffset>;
  bounds: ReadonlyMap<string, PartitionOffsetBounds>;
}

const retryWaitMs = 200;
const longestRetryWaitMs = 1_000;
/** Milliseconds for which lookups are collected into one request. */
const gatherMs = 20;
/**
 * Time without a leader after which a warning is logged. A topic that was just created or is being removed has no
 * leader for a second or two.
 */
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
  private asking: Promise<Map<string, PartitionOffsetBounds>> | undefined;
  private draining = false;
  private ended = false;
  private warned = false;
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
      onGone: (feed) => this.gone(feed),
      onFatal: (error) => options.onFatal(error),
    });
  }

  /** The owned partitions that this member claims when it rejoins the group. */
  get claim(): OwnershipClaim {
    const owned = new Map<string, number[]>();
    for (const { topic, partition } of this.owned.values())
      owned.set(topic, [...(owned.get(topic) ?? []), partition]);
    return { generation: this.generation.id, owned };
  }

  /**
   * Returns the partition if this member owns it. Each assignment of a partition creates a new object, so a caller that
   * keeps the object can tell from `isRevoked` that this assignment is over.
   */
  get(place: TopicPartition): GroupSessionPartition | undefined {
    return this.owned.get(keyOf(place));
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
    const keys = new Set(given.map(keyOf));
    const lost = [...this.owned.values()].filter(({ key }) => !keys.has(key));
    if (!this.draining) this.openAll(given.filter((place) => !this.owned.has(keyOf(place))));
    return lost;
  }

  /** Resolves when the given group generation is over, at the latest after `ms` milliseconds. */
  async after(generation: GroupGeneration, ms: number): Promise<void> {
    if (this.generation === generation && !this.ended) await settledWithin(ms, this.passed);
  }

  private expectNext(): void {
    this.passed = new Promise((resolve) => (this.pass = resolve));
  }

  private openAll(places: readonly TopicPartition[]): void {
    if (places.length === 0) return;
    const fresh = places.map(({ topic, partition }) => new GroupSessionPartition(topic, partition));
    for (const own of fresh) this.owned.set(own.key, own);
    const found = this.find(fresh);
    found.catch(() => undefined);
    for (const own of fresh) this.settle(own, this.open(own, found));
  }

  /**
   * Looks up the committed offsets first, and the end offsets of the partitions second. In the other order, a committed
   * offset could lie after the end offset that was looked up.
   */
  private async find(places: readonly GroupSessionPartition[]): Promise<LookupResults> {
    const isOver = (): boolean => places.every(({ isRevoked: over }) => over);
    const ask = (): Promise<CommittedOffset[]> => this.options.membership.committed(places);
    const committed = (await this.persistently(ask, { isOver, topic: places[0]?.topic })) ?? [];
    // A partition whose offsets this request does not return is looked up again later, in `open`.
    const bounds = await logOffsetsOf(this.options.client, places).catch(
      () => new Map<string, PartitionOffsetBounds>(),
    );
    return { committed: new Map(committed.map((place) => [keyOf(place), place])), bounds };
  }

  /**
   * Returns the offsets of the partition in the log.
   * @throws LogUnavailableError if the partition has no leader or does not exist
   */
  private async boundsOf(own: GroupSessionPartition): Promise<PartitionOffsetBounds> {
    this.unknown.add(own);
    this.asking ??= this.askTogether();
    const found = (await this.asking).get(own.key);
    if (!found) throw new LogUnavailableError('the partition has no leader');
    return found;
  }

  /**
   * Looks up the offsets of all waiting partitions in one request, because the partitions of an unreachable broker
   * retry at about the same time.
   */
  private async askTogether(): Promise<Map<string, PartitionOffsetBounds>> {
    await sleep(gatherMs);
    const places = [...this.unknown].filter(({ isRevoked: over }) => !over);
    this.unknown.clear();
    this.asking = undefined;
    return logOffsetsOf(this.options.client, places);
  }

  private settle(own: GroupSessionPartition, opening: Promise<void>): void {
    opening.catch((error: unknown) => {
      if (!own.isRevoked) this.options.onFatal(error);
    });
  }

  /** See `Fetcher.fetchNow`. */
  fetchNow(): void {
    this.fetcher.fetchNow();
  }

  /** Implements `Consumer.reassign`. */
  reassign(topic: string): void {
    for (const own of [...this.owned.values()].filter((one) => one.topic === topic))
      if (own.buffer) this.reopen(own);
      else own.mustReassign = true;
  }

  private gone(feed: PartitionBuffer): void {
    const own = this.get(feed);
    if (own?.buffer === feed) this.reopen(own);
  }

  /**
   * Revokes the partition and assigns it again, because the log no longer has its next offset or its topic may have
   * been recreated.
   */
  private reopen(own: GroupSessionPartition): void {
    const next = new GroupSessionPartition(own.topic, own.partition);
    this.drop(own);
    this.owned.set(next.key, next);
    this.settle(next, this.openLater(next));
  }

  private async openLater(own: GroupSessionPartition): Promise<void> {
    await sleep(retryWaitMs);
    const { topic } = own;
    const isOver = (): boolean => own.isRevoked;
    // Waits for a leader before it looks up the committed offsets: Kafka removes these together with a removed topic.
    await this.persistently(() => leaderOf(this.options.client, own), { isOver, topic });
    await this.open(own, this.find([own]));
  }

  private async open(own: GroupSessionPartition, found: Promise<LookupResults>): Promise<void> {
    const { options } = this;
    const { committed, bounds } = await found;
    const stands = committed.get(own.key);
    await options.busy.get(own.key);
    const log = await this.persistently(async () => bounds.get(own.key) ?? (await this.boundsOf(own)), {
      isOver: () => own.isRevoked,
      topic: own.topic,
    });
    if (own.isRevoked || !log) return;
    const place = { committed: stands?.offset ?? -1, ...log };
    const assignment = describeAssignment(options, placeOf(own), place);
    own.isAssigned = true;
    const assigned = options.handler.assigned(assignment);
    void this.keepBusy(own.key, assigned);
    const from = Math.min(await assigned, assignment.position);
    if (own.isRevoked) return;
    if (own.mustReassign) return this.reopen(own);
    this.read(own, { from: Math.max(from, assignment.beginning), leader: log.leader });
  }

  private read(own: GroupSessionPartition, { from, leader }: { from: number; leader: number }): void {
    own.buffer = new PartitionBuffer({
      ...placeOf(own),
      from,
      deliver: (batch) => this.keepBusy(own.key, this.options.handler.batch(batch)),
      onError: (error) => this.options.onFatal(error),
    });
    this.fetcher.add(own.buffer, leader);
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

  /**
   * Retries the operation until it succeeds. Returns undefined if `isOver` returns true before.
   * @throws fatal errors
   */
  private async persistently<T>(
    operation: () => Promise<T>,
    { isOver, topic }: { isOver: () => boolean; topic: string | undefined },
  ): Promise<T | undefined> {
    const began = performance.now();
    const backoff = new Backoff(retryWaitMs, longestRetryWaitMs);
    while (!isOver()) {
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

  /**
   * Logs a failed try to open a partition: one warning for each session, because all its partitions wait for the same
   * thing, and debug lines otherwise.
   */
  private report(details: { err: unknown; topic: string | undefined }, lastsMs: number): void {
    const warns = lastsMs >= normalMs && !this.warned;
    this.warned ||= warns;
    this.options.logger[warns ? 'warn' : 'debug'](details, 'Cannot open partitions yet: retrying');
  }

  /**
   * Releases these partitions: delivers no further batch of them, and waits at most `withinMs` milliseconds for running
   * batches, which can still commit. After the wait, revokes the partitions.
   */
  async release(places: readonly TopicPartition[], withinMs: number): Promise<void> {
    const keys = new Set(places.map(keyOf));
    const own = (): GroupSessionPartition[] => [...this.owned.values()].filter(({ key }) => keys.has(key));
    await settledWithin(withinMs, Promise.allSettled(own().map((one) => this.stopReading(one))));
    for (const one of own()) this.drop(one);
  }

  /** Releases all partitions of these topics. */
  async releaseTopics(topics: ReadonlySet<string>, withinMs: number): Promise<void> {
    const gone = [...this.owned.values()].filter(({ topic }) => topics.has(topic));
    if (gone.length > 0) await this.release(gone, withinMs);
  }

  private async stopReading({ buffer: feed }: GroupSessionPartition): Promise<void> {
    if (feed) this.fetcher.remove(feed);
    await feed?.close();
  }

  private drop(own: GroupSessionPartition): void {
    if (own.isRevoked) return;
    own.isRevoked = true;
    this.owned.delete(own.key);
    void this.stopReading(own);
    if (own.isAssigned) this.options.handler.revoked(placeOf(own));
  }

  /** Opens no further partition and delivers no further batch; resolves when the running batches are done. */
  async drain(): Promise<void> {
    this.draining = true;
    this.fetcher.close();
    await Promise.all([...this.owned.values()].map(async ({ buffer: feed }) => feed?.close()));
  }

  /** Ends the session: revokes every partition at once, and does not wait for running batches. */
  end(): void {
    if (this.ended) return;
    this.ended = true;
    void this.drain();
    for (const own of [...this.owned.values()]) this.drop(own);
    this.pass();
  }
}

function placeOf({ topic, partition }: TopicPartition): TopicPartition {
  return { topic, partition };
}
