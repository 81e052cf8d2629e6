import { setTimeout as sleep } from 'node:timers/promises';
import { LogUnavailableError } from '../../errors.js';
import type { Consumer, ConsumerOptions } from '../../log.js';
import type { ClusterClient } from '../cluster-client.js';
import type { KafkaLogBounds } from '../config.js';
import { isFatal } from '../kafka-errors.js';
import type { KafkaLogger } from '../logger.js';
import { GroupMembership, isGenerationOver, type Generation } from './group-membership.js';
import { GroupSession } from './group-session.js';
import { Signal } from './signal.js';

const firstWaitMs = 100;
const longestWaitMs = 2_000;
/** How often topics that do not exist yet are looked for. */
const missingTopicsMs = 1_000;
const commitTries = 5;
const leaveMs = 1_000;

/**
 * A member of a consumer group. One loop: join, read the partitions that were given, until the group rebalances, the
 * topics change, or it is closed. What fails is tried again; what cannot succeed ends in `onCrash`.
 */
export class KafkaConsumer implements Consumer {
  private readonly membership: GroupMembership;
  private readonly busy = new Map<string, Promise<unknown>>();
  private readonly changed = new Signal();
  private topics: readonly string[] = [];
  private session: GroupSession | undefined;
  private running: Promise<void> | undefined;
  private debounce: NodeJS.Timeout | undefined;
  private closed = false;
  /** Being closed, while batches are still being worked on: the group is kept alive for them. */
  private draining = false;
  private crashed = false;

  constructor(
    private readonly options: ConsumerOptions,
    private readonly parts: { client: ClusterClient; bounds: KafkaLogBounds; logger: KafkaLogger },
  ) {
    this.membership = new GroupMembership(parts.client, options.group, parts.bounds);
  }

  async subscribe(topics: readonly string[]): Promise<void> {
    if (this.closed) throw new LogUnavailableError('the consumer is closed');
    this.topics = [...new Set(topics)].sort();
    if (!this.running) {
      this.running = this.run();
      return;
    }
    this.debounce ??= setTimeout(() => {
      this.debounce = undefined;
      this.changed.raise();
    }, this.parts.bounds.subscribeDebounceMs);
  }

  get joined(): boolean {
    return this.session !== undefined || this.topics.length === 0;
  }

  reassign(topic: string): void {
    this.session?.reassign(topic);
  }

  private async run(): Promise<void> {
    let wait = firstWaitMs;
    while (!this.closed && !this.crashed) {
      try {
        if (this.topics.length === 0) await this.pause();
        else await this.live(await this.membership.join(this.topics));
        wait = firstWaitMs;
      } catch (error) {
        if (this.closed) return;
        if (isFatal(error)) return this.crash(error);
        if (isGenerationOver(error)) continue;
        this.parts.logger.warn(
          { err: error, group: this.options.group },
          'Cannot join the group: trying again',
        );
        await this.changed.wait(wait);
        wait = Math.min(wait * 2, longestWaitMs);
      }
    }
  }

  /** Nothing is subscribed to: leaves the group until that changes. */
  private async pause(): Promise<void> {
    await this.membership.leave();
    await this.changed.wait();
  }

  private async live(generation: Generation): Promise<void> {
    if (this.closed || !sameTopics(generation.topics, this.topics)) return;
    const { group, handler } = this.options;
    const session = new GroupSession({
      ...this.parts,
      handler,
      lifeOf: (topic) => this.options.lifeOf?.(topic),
      generation,
      membership: this.membership,
      busy: this.busy,
      onFatal: (error) => this.crash(error),
    });
    this.session = session;
    this.parts.logger.info(
      { group, generation: generation.id, partitions: countOf(generation) },
      'Joined the group',
    );
    try {
      session.start();
      await this.untilOver(generation);
    } finally {
      session.end();
      this.session = undefined;
    }
  }

  private async untilOver(generation: Generation): Promise<void> {
    const { heartbeatMs, sessionTimeoutMs, metadataRefreshMs } = this.parts.bounds;
    const complete = generation.topics.every((topic) => generation.partitionsOf.has(topic));
    const lookEveryMs = complete ? metadataRefreshMs : Math.min(missingTopicsMs, metadataRefreshMs);
    let lastBeat = Date.now();
    let lastLook = Date.now();
    while (!this.closed || this.draining) {
      await this.changed.wait(heartbeatMs);
      if (this.crashed || !sameTopics(generation.topics, this.topics)) return;
      try {
        await this.membership.heartbeat(generation);
        lastBeat = Date.now();
        if (Date.now() - lastLook < lookEveryMs) continue;
        if (await this.topicsChanged(generation)) return;
        lastLook = Date.now();
      } catch (error) {
        if (isGenerationOver(error)) return;
        if (isFatal(error) || Date.now() - lastBeat > sessionTimeoutMs) throw error;
      }
    }
  }

  private async topicsChanged(generation: Generation): Promise<boolean> {
    const now = await this.membership.partitionsOf(generation.topics);
    return generation.topics.some((topic) => now.get(topic) !== generation.partitionsOf.get(topic));
  }

  async commit(topic: string, partition: number, offset: number): Promise<boolean> {
    const { session } = this;
    const place = { topic, partition };
    const life = session?.lifeOf(place);
    for (let tries = 1; session?.holds(place) && session.lifeOf(place) === life; tries++) {
      try {
        await this.membership.commit(session.generation, { ...place, offset, life });
        return true;
      } catch (error) {
        if (isGenerationOver(error)) {
          this.changed.raise();
          return false;
        }
        if (isFatal(error)) throw error;
        if (tries >= commitTries) {
          throw new LogUnavailableError('the offset could not be committed', { cause: error });
        }
        await sleep(firstWaitMs * tries);
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
    await this.leave();
    await this.parts.client.close();
    await this.running;
  }

  /** While the group is being joined, the broker would answer only after that: it finds out by the session's time-out. */
  private async leave(): Promise<void> {
    const leaving = this.membership.leave().catch(() => undefined);
    const givenUp = new AbortController();
    const late = sleep(leaveMs, undefined, { signal: givenUp.signal }).catch(() => undefined);
    await Promise.race([leaving, late]);
    givenUp.abort();
  }
}

function sameTopics(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((topic, index) => topic === b[index]);
}

function countOf({ assignment }: Generation): number {
  return [...assignment.values()].reduce((sum, partitions) => sum + partitions.length, 0);
}
