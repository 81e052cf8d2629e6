import { setTimeout as sleep } from 'node:timers/promises';
import { Backoff } from '#async';
import { LogUnavailableError } from '../../errors.js';
import type { Consumer, ConsumerOptions } from '../../log.js';
import { withTimeout, settledWithin } from '../../timeouts.js';
import type { TopicPartition } from '../../topic-partition.js';
import type { ClusterClient } from '../cluster/cluster-client.js';
import { isFatal, isProtocolError } from '../cluster/kafka-errors.js';
import { emptyClaim } from './assign-partitions.js';
import type { KafkaReaderDependencies } from './fetcher.js';
import { isGenerationOver, isFenced } from './group-coordinator-client.js';
import type { GroupGeneration } from './group-generation.js';
import { GroupMembership } from './group-membership.js';
import { GroupSession } from './group-session.js';
import { unknownEpoch, type EpochPosition } from '../../epoch-position.js';
import { WakeUpSignal } from './wake-up-signal.js';

/** What a `KafkaConsumer` reads with; its `client` is for commits and lookups. */
interface KafkaConsumerDependencies extends KafkaReaderDependencies {
  /** Client for fetches, with its own connections: a broker lets later requests of one wait until it has records. */
  fetching: ClusterClient;
  /** Client for joins, with its own connections: a broker answers a join only when all members have joined. */
  joining: ClusterClient;
  /** See `GroupMembershipOptions.predecessors`. */
  predecessors?: (() => ReadonlySet<string>) | undefined;
  /** Called when the consumer has been closed. */
  closed?: (() => unknown) | undefined;
}

const firstWaitMs = 100;
const longestWaitMs = 2_000;
/** How often the consumer checks whether a missing topic exists now. */
const missingTopicsMs = 1_000;
const commitTries = 5;
const leaveMs = 1_000;
/**
 * Longest time, in milliseconds, that a partition that moves to another member waits for its running batch. The wait
 * must be short: the member sends no heartbeat meanwhile, and the group removes a member without heartbeats.
 */
const releaseMs = 3_000;

/**
 * A member of a consumer group. The loop of a consumer joins the group, opens new partitions, and releases partitions
 * that move to others. After that, the loop waits until the group rebalances, the topics change, or the consumer is
 * closed. The partitions that it keeps are read meanwhile. A consumer loses all partitions only if the group fences the
 * consumer or its session times out. The loop retries after errors; fatal errors end in `onCrash`.
 */
export class KafkaConsumer implements Consumer {
  private readonly membership = new GroupMembership({ ...this.dependencies, group: this.options.group });
  private readonly busy = new Map<string, Promise<unknown>>();
  private readonly read = new Map<string, TopicPartition & EpochPosition>();
  private readonly changed = new WakeUpSignal();
  private topics: readonly string[] = [];
  /** Topics that were unsubscribed, if only for a moment: they are released, as they may have been recreated. */
  private left = new Set<string>();
  private session: GroupSession | undefined;
  private running: Promise<void> | undefined;
  private debounce: NodeJS.Timeout | undefined;
  private rejoinedAt = -Infinity;
  /** Time of the last response of the group coordinator, in milliseconds of `performance.now()`. */
  private answeredAt = -Infinity;
  private joining = false;
  private warned = false;
  private closed = false;
  /** True while running batches delay the close. The consumer remains in its group for them, unless it is fenced. */
  private draining = false;
  private crashed = false;

  constructor(
    private readonly options: ConsumerOptions,
    private readonly dependencies: KafkaConsumerDependencies,
  ) {}

  async subscribe(topics: readonly string[]): Promise<void> {
    if (this.closed) throw new LogUnavailableError('the consumer is closed');
    const now = new Set(topics);
    for (const topic of this.topics) if (!now.has(topic)) this.left.add(topic);
    this.topics = [...now].sort();
    if (!this.running) {
      this.running = this.run();
      return;
    }
    this.debounce ??= setTimeout(() => {
      this.debounce = undefined;
      this.rejoinedAt = performance.now();
      this.changed.raise();
    }, this.untilRejoinMs);
  }

  /** Milliseconds until the next rejoin: soon for the first change, after `rejoinIntervalMs` for later ones. */
  private get untilRejoinMs(): number {
    const { subscribeDebounceMs, rejoinIntervalMs } = this.dependencies.bounds;
    return Math.max(subscribeDebounceMs, this.rejoinedAt + rejoinIntervalMs - performance.now());
  }

  get joined(): boolean {
    return (this.session !== undefined && !this.joining) || this.topics.length === 0;
  }

  fetchNow(): void {
    this.session?.fetchNow();
  }

  reassign(topic: string, partition?: number): void {
    this.session?.reassign(topic, partition);
  }

  private get isOver(): boolean {
    return this.crashed || (this.closed && !(this.draining && this.session));
  }

  private async run(): Promise<void> {
    const backoff = new Backoff(firstWaitMs, longestWaitMs);
    while (!this.isOver) {
      try {
        if (this.topics.length === 0) await this.pause();
        else await this.joinGroup();
        backoff.reset();
      } catch (error) {
        if (this.isOver) break;
        if (isFatal(error)) this.crash(error);
        else if (isFenced(error)) this.loseAll();
        else if (!isGenerationOver(error)) await this.unanswered(error, backoff.next());
      }
    }
    this.loseAll();
  }

  /** After a failed request to the group. Once the session has timed out, others may own the partitions. */
  private async unanswered(error: unknown, waitMs: number): Promise<void> {
    if (this.sessionLeftMs < 0) this.loseAll();
    const details = { err: error, group: this.options.group };
    this.dependencies.logger[this.warned ? 'debug' : 'warn'](details, 'Cannot join the group: trying again');
    this.warned = true;
    await this.changed.wait(waitMs);
  }

  private loseAll(): void {
    this.session?.end();
    this.session = undefined;
  }

  /** Leaves the group, because no topic is subscribed, until the subscription changes or the consumer is closed. */
  private async pause(): Promise<void> {
    await this.releaseLeft();
    this.loseAll();
    await this.membership.leave();
    await this.changed.wait();
  }

  private async joinGroup(): Promise<void> {
    await this.releaseLeft();
    const generation = await this.join();
    if (this.isOver) return;
    const session = (this.session ??= this.newSession(generation));
    const lost = session.adopt(generation);
    const { id, assignment } = generation;
    const details = {
      group: this.options.group,
      generation: id,
      partitions: [...assignment.values()].flat().length,
    };
    this.dependencies.logger.info(details, 'Joined the group');
    if (lost.length > 0) await session.release(lost, this.releaseMs);
    const { partitionsOf } = generation;
    // A rejoin lets the group assign the released partitions to others, if they exist.
    if (lost.some(({ topic, partition }) => partition < (partitionsOf.get(topic) ?? 0))) return;
    await this.untilOver(generation);
  }

  private async join(): Promise<GroupGeneration> {
    this.joining = true;
    const generation = await this.membership.join(this.topics, this.session?.claim ?? emptyClaim);
    this.joining = false;
    this.answered();
    return generation;
  }

  private answered(): void {
    this.answeredAt = performance.now();
    this.warned = false;
  }

  private newSession(generation: GroupGeneration): GroupSession {
    return new GroupSession({
      ...this.dependencies,
      handler: this.options.handler,
      generation,
      membership: this.membership,
      busy: this.busy,
      read: this.read,
      onFatal: (error) => this.crash(error),
    });
  }

  /**
   * Releases the partitions of unsubscribed topics. Repeats this for topics that are unsubscribed while it waits for
   * running batches, because the next join must not claim them.
   */
  private async releaseLeft(): Promise<void> {
    while (this.left.size > 0) {
      const { left } = this;
      this.left = new Set();
      await this.session?.releaseTopics(left, this.releaseMs);
    }
  }

  private get releaseMs(): number {
    return Math.min(releaseMs, this.dependencies.bounds.sessionTimeoutMs / 3);
  }

  private async untilOver(generation: GroupGeneration): Promise<void> {
    const { heartbeatMs, metadataRefreshMs } = this.dependencies.bounds;
    const complete = generation.topics.every((topic) => generation.partitionsOf.has(topic));
    const pollEveryMs = complete ? metadataRefreshMs : Math.min(missingTopicsMs, metadataRefreshMs);
    let lastPoll = performance.now();
    while (!this.isOver) {
      if (this.wantsOthersThan(generation)) return;
      await this.changed.wait(heartbeatMs);
      if (this.isOver) return;
      try {
        await this.withinSession(this.membership.heartbeat(generation));
        this.answered();
        if (performance.now() - lastPoll < pollEveryMs) continue;
        if (await this.withinSession(this.topicsChanged(generation))) return;
        lastPoll = performance.now();
      } catch (error) {
        if (isGenerationOver(error) || isFatal(error)) throw error;
        if (this.sessionLeftMs < 0) throw error;
      }
    }
  }

  /** Milliseconds until the group may consider this member dead. */
  private get sessionLeftMs(): number {
    return this.answeredAt + this.dependencies.bounds.sessionTimeoutMs - performance.now();
  }

  /** Waits for a response of the group coordinator, but no longer than the group session of this member lasts. */
  private withinSession<T>(answer: Promise<T>): Promise<T> {
    // A timer may fire a fraction of a millisecond early.
    return withTimeout(Math.ceil(this.sessionLeftMs) + 1, answer);
  }

  /** Whether the topics differ from those of this generation; false while further changes are awaited. */
  private wantsOthersThan({ topics }: GroupGeneration): boolean {
    return this.debounce === undefined && (this.left.size > 0 || !sameTopics(topics, this.topics));
  }

  private async topicsChanged(generation: GroupGeneration): Promise<boolean> {
    const now = await this.membership.partitionsOf(generation.topics);
    return generation.topics.some((topic) => now.get(topic) !== generation.partitionsOf.get(topic));
  }

  async commit(topic: string, partition: number, offset: number): Promise<boolean> {
    const { session } = this;
    const owned = session?.get({ topic, partition });
    for (let tries = 1; session && owned?.isAssigned && !owned.isRevoked;) {
      const { generation } = session;
      try {
        const leaderEpoch = owned.buffer?.epochs.before(offset) ?? unknownEpoch;
        await this.membership.commit(generation, { topic, partition, offset, leaderEpoch });
        return true;
      } catch (error) {
        if (isFatal(error)) throw error;
        if (isGenerationOver(error)) {
          this.changed.raise();
          if (isProtocolError(error, 'UNKNOWN_MEMBER_ID')) return false;
          await session.after(generation, this.dependencies.bounds.heartbeatMs);
          continue;
        }
        if (tries >= commitTries) {
          throw new LogUnavailableError('the offset could not be committed', { cause: error });
        }
        await sleep(firstWaitMs * tries++);
      }
    }
    return false;
  }

  private crash(error: unknown): void {
    if (this.crashed || this.closed) return;
    this.crashed = true;
    this.changed.raise();
    this.options.onCrash(error instanceof Error ? error : new Error(String(error)));
  }

  async close(): Promise<void> {
    if (this.closed) return;
    this.draining = true;
    this.closed = true;
    clearTimeout(this.debounce);
    await this.session?.drain();
    this.draining = false;
    this.session?.end();
    this.changed.raise();
    // An unreachable coordinator detects the departure when the session times out.
    await settledWithin(leaveMs, this.membership.leave());
    const { client, fetching, joining } = this.dependencies;
    await Promise.all([client, fetching, joining].map((one) => one.close()));
    await this.running;
    this.dependencies.closed?.();
  }
}

function sameTopics(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((topic, index) => topic === b[index]);
}
