import { setTimeout as sleep } from 'node:timers/promises';
import { Backoff } from '#async';
import { LogUnavailableError } from '../../errors.js';
import type { Consumer, ConsumerOptions } from '../../log.js';
import { answerWithin } from '../answer-within.js';
import type { ClusterClient } from '../cluster-client.js';
import type { KafkaLogBounds } from '../config.js';
import { isFatal, isProtocolError } from '../kafka-errors.js';
import type { KafkaLogger } from '../logger.js';
import { noClaim } from './assign-partitions.js';
import type { FetchOutage } from './fetch-outage.js';
import { isGenerationOver, isThrownOut } from './group-coordinator.js';
import type { Generation, TopicPartition } from './generation.js';
import { GroupMembership } from './group-membership.js';
import { GroupSession } from './group-session.js';
import { settledWithin } from '../../settled-within.js';
import { Signal } from './signal.js';

export interface ConsumerParts {
  client: ClusterClient;
  /** Has connections of its own: a broker answers a member that joins when all the others have joined too. */
  joining: ClusterClient;
  bounds: KafkaLogBounds;
  logger: KafkaLogger;
  outage: FetchOutage;
  /** See `MembershipOptions`. */
  ownClientId?: string | undefined;
  /** Called when it has been closed. */
  closed?: (() => unknown) | undefined;
}

const firstWaitMs = 100;
const longestWaitMs = 2_000;
/** How often topics that do not exist yet are looked for. */
const missingTopicsMs = 1_000;
const commitTries = 5;
const leaveMs = 1_000;
/** How long a partition that is given away waits for its batch: the group thinks a member dead that is silent for longer. */
const releaseMs = 3_000;

/**
 * A member of a consumer group. One loop: join, open the partitions that are new, let those go that are given to others,
 * until the group rebalances, the topics change, or it is closed. What it keeps it reads on meanwhile. Only a member that
 * was thrown out loses everything. What fails is tried again; what cannot succeed ends in `onCrash`.
 */
export class KafkaConsumer implements Consumer {
  private readonly membership: GroupMembership;
  private readonly busy = new Map<string, Promise<unknown>>();
  private readonly changed = new Signal();
  private topics: readonly string[] = [];
  /** Topics that were not subscribed to for a moment at least: what is known of them may not hold any more. */
  private left = new Set<string>();
  private session: GroupSession | undefined;
  private running: Promise<void> | undefined;
  private debounce: NodeJS.Timeout | undefined;
  private rejoinedAt = -Infinity;
  /** When the group last answered this member. */
  private answeredAt = -Infinity;
  private joining = false;
  private warned = false;
  private closed = false;
  /** Being closed, while batches are still being worked on: the group is kept alive for them, unless it has given them away. */
  private draining = false;
  private crashed = false;

  constructor(
    private readonly options: ConsumerOptions,
    private readonly parts: ConsumerParts,
  ) {
    this.membership = new GroupMembership({ ...parts, group: options.group });
  }

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

  /** The first change is followed soon; those that come after it wait for one another. */
  private get untilRejoinMs(): number {
    const { subscribeDebounceMs, rejoinIntervalMs } = this.parts.bounds;
    return Math.max(subscribeDebounceMs, this.rejoinedAt + rejoinIntervalMs - performance.now());
  }

  get joined(): boolean {
    return (this.session !== undefined && !this.joining) || this.topics.length === 0;
  }

  reassign(topic: string): void {
    this.session?.reassign(topic);
  }

  private get isOver(): boolean {
    return this.crashed || (this.closed && !(this.draining && this.session));
  }

  private async run(): Promise<void> {
    const backoff = new Backoff(firstWaitMs, longestWaitMs);
    while (!this.isOver) {
      try {
        if (this.topics.length === 0) await this.pause();
        else await this.takePart();
        backoff.reset();
      } catch (error) {
        if (this.isOver) break;
        if (isFatal(error)) this.crash(error);
        else if (isThrownOut(error)) this.loseAll();
        else if (!isGenerationOver(error)) await this.unanswered(error, backoff.next());
      }
    }
    this.loseAll();
  }

  /** Others may be given what this member runs once its session is over: it stops by then. */
  private async unanswered(error: unknown, waitMs: number): Promise<void> {
    if (this.sessionLeftMs < 0) this.loseAll();
    const details = { err: error, group: this.options.group };
    this.parts.logger[this.warned ? 'debug' : 'warn'](details, 'Cannot join the group: trying again');
    this.warned = true;
    await this.changed.wait(waitMs);
  }

  private loseAll(): void {
    this.session?.end();
    this.session = undefined;
  }

  /** Nothing is subscribed to: leaves the group until that changes. */
  private async pause(): Promise<void> {
    await this.releaseLeft();
    this.loseAll();
    await this.membership.leave();
    await this.changed.wait();
  }

  private async takePart(): Promise<void> {
    await this.releaseLeft();
    const generation = await this.join();
    if (this.isOver) return;
    this.session ??= this.newSession(generation);
    const { session } = this;
    const lost = session.adopt(generation);
    this.report(generation);
    if (lost.length > 0) await session.release(lost, this.releaseMs);
    // Others wait for what this member has let go.
    if (lost.some((place) => exists(place, generation))) return;
    await this.untilOver(generation);
  }

  private async join(): Promise<Generation> {
    this.joining = true;
    const generation = await this.membership.join(this.topics, this.session?.claim ?? noClaim);
    this.joining = false;
    this.answered();
    return generation;
  }

  private answered(): void {
    this.answeredAt = performance.now();
    this.warned = false;
  }

  private newSession(generation: Generation): GroupSession {
    return new GroupSession({
      ...this.parts,
      handler: this.options.handler,
      generation,
      membership: this.membership,
      busy: this.busy,
      onFatal: (error) => this.crash(error),
    });
  }

  private report(generation: Generation): void {
    const { group } = this.options;
    const details = { group, generation: generation.id, partitions: countOf(generation) };
    this.parts.logger.info(details, 'Joined the group');
  }

  /** Topics may be left while this waits for batches: the claim of the next join must not name them any more. */
  private async releaseLeft(): Promise<void> {
    while (this.left.size > 0) {
      const { left } = this;
      this.left = new Set();
      await this.session?.releaseTopics(left, this.releaseMs);
    }
  }

  private get releaseMs(): number {
    return Math.min(releaseMs, this.parts.bounds.sessionTimeoutMs / 3);
  }

  private async untilOver(generation: Generation): Promise<void> {
    const { heartbeatMs, metadataRefreshMs } = this.parts.bounds;
    const complete = generation.topics.every((topic) => generation.partitionsOf.has(topic));
    const lookEveryMs = complete ? metadataRefreshMs : Math.min(missingTopicsMs, metadataRefreshMs);
    let lastLook = performance.now();
    while (!this.isOver) {
      if (this.wantsOthersThan(generation)) return;
      await this.changed.wait(heartbeatMs);
      if (this.isOver) return;
      try {
        await this.withinSession(this.membership.heartbeat(generation));
        this.answered();
        if (performance.now() - lastLook < lookEveryMs) continue;
        if (await this.withinSession(this.topicsChanged(generation))) return;
        lastLook = performance.now();
      } catch (error) {
        if (isGenerationOver(error) || isFatal(error)) throw error;
        if (this.sessionLeftMs < 0) throw error;
      }
    }
  }

  /** Until the group may take this member for dead. */
  private get sessionLeftMs(): number {
    return this.answeredAt + this.parts.bounds.sessionTimeoutMs - performance.now();
  }

  /** A request that hangs ends with the session, long before its own time-out. */
  private withinSession<T>(answer: Promise<T>): Promise<T> {
    // A timer may be early by a part of a millisecond.
    return answerWithin(Math.ceil(this.sessionLeftMs) + 1, answer);
  }

  /** While changes come close together, it waits for the last of them. */
  private wantsOthersThan({ topics }: Generation): boolean {
    return this.debounce === undefined && (this.left.size > 0 || !sameTopics(topics, this.topics));
  }

  private async topicsChanged(generation: Generation): Promise<boolean> {
    const now = await this.membership.partitionsOf(generation.topics);
    return generation.topics.some((topic) => now.get(topic) !== generation.partitionsOf.get(topic));
  }

  async commit(topic: string, partition: number, offset: number): Promise<boolean> {
    const { session } = this;
    const own = session?.get({ topic, partition });
    for (let tries = 1; session && own?.begun && !own.over;) {
      const { generation } = session;
      try {
        await this.membership.commit(generation, { topic, partition, offset });
        return true;
      } catch (error) {
        if (isFatal(error)) throw error;
        if (isGenerationOver(error)) {
          this.changed.raise();
          if (isProtocolError(error, 'UNKNOWN_MEMBER_ID')) return false;
          await session.after(generation, this.parts.bounds.heartbeatMs);
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
    // What cannot be reached finds out by the session's time-out.
    await settledWithin(leaveMs, this.membership.leave());
    await Promise.all([this.parts.client.close(), this.parts.joining.close()]);
    await this.running;
    this.parts.closed?.();
  }
}

/** Whether the partition can be given to another member. */
function exists({ topic, partition }: TopicPartition, { partitionsOf }: Generation): boolean {
  return partition < (partitionsOf.get(topic) ?? 0);
}

function sameTopics(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((topic, index) => topic === b[index]);
}

function countOf({ assignment }: Generation): number {
  return [...assignment.values()].reduce((sum, partitions) => sum + partitions.length, 0);
}
