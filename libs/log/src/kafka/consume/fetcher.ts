import { setTimeout as sleep } from 'node:timers/promises';
import type { ClusterClient } from '../cluster-client.js';
import type { KafkaLogBounds } from '../config.js';
import { isFatal } from '../kafka-errors.js';
import { errorOfCode } from '../kafkajs/internals.js';
import type { KafkaLogger } from '../logger.js';
import { ByteBudget } from './byte-budget.js';
import { FetchPace } from './fetch-pace.js';
import { fetchRecords, type FetchedPartition } from './fetch-protocol.js';
import type { PartitionFeed } from './partition-feed.js';
import { decodeRecords } from './record-decoder.js';

const recoveryWaitMs = 100;
/** OFFSET_OUT_OF_RANGE (retention; the topic was made anew), UNKNOWN_TOPIC_OR_PARTITION (it is gone). */
const placeIsGone = [1, 3];

export interface FetcherOptions {
  client: ClusterClient;
  bounds: KafkaLogBounds;
  logger: KafkaLogger;
  /**
   * The log does not have the offset that this feed would read next. The feed has been removed; what it has fetched is
   * of no use. To the beginning from here, never to the end.
   */
  onGone(feed: PartitionFeed): void;
  /** A broker has said what there is of a partition, be it nothing new. */
  onAnswer?(): void;
  /** The fetcher cannot go on. */
  onFatal(error: Error): void;
}

/** Fetches for many partitions: one loop per broker, always from each partition's leader. */
export class Fetcher {
  private readonly feeds = new Map<string, PartitionFeed>();
  private readonly loops = new Set<number>();
  private findingLeaders = false;
  private closed = false;
  private wake: () => void = () => undefined;
  private room = this.nextRoom();
  private turn = 0;
  /** Over all partitions: what has been fetched and is not done with. While it is used up, nothing is fetched. */
  private readonly budget: ByteBudget;

  constructor(private readonly options: FetcherOptions) {
    this.budget = new ByteBudget(options.bounds.consumeBytes, () => this.wakeUp());
  }

  add(feed: PartitionFeed): void {
    this.feeds.set(keyOf(feed), feed);
    feed.onRoom = () => this.wakeUp();
    this.findLeaders();
  }

  remove(feed: PartitionFeed): void {
    if (this.feeds.get(keyOf(feed)) === feed) this.feeds.delete(keyOf(feed));
    this.wakeUp();
  }

  close(): void {
    this.closed = true;
    this.feeds.clear();
    this.wakeUp();
  }

  private findLeaders(): void {
    if (this.findingLeaders) return;
    this.findingLeaders = true;
    void this.askForLeaders();
  }

  /** Resets `findingLeaders` in the very turn that finds nothing lost: what is lost after that is looked for again. */
  private async askForLeaders(): Promise<void> {
    try {
      for (;;) {
        await sleep(0);
        const lost = [...this.feeds.values()].filter(({ leader }) => leader === undefined);
        if (this.closed || lost.length === 0) return;
        await this.lookUp(lost);
        this.startLoops();
        if (lost.some(({ leader }) => leader === undefined)) await sleep(recoveryWaitMs);
      }
    } catch (error) {
      this.options.onFatal(error as Error);
    } finally {
      this.findingLeaders = false;
    }
  }

  /** @throws only what is fatal */
  private async lookUp(lost: readonly PartitionFeed[]): Promise<void> {
    try {
      const known = await this.options.client.metadata([...new Set(lost.map(({ topic }) => topic))]);
      for (const feed of lost) {
        const found = known.get(feed.topic)?.find(({ partitionId }) => partitionId === feed.partition);
        if (found && found.leader >= 0) feed.leader = found.leader;
      }
    } catch (error) {
      if (isFatal(error)) throw error;
    }
  }

  private startLoops(): void {
    this.wakeUp();
    for (const { leader } of this.feeds.values()) {
      if (leader === undefined || this.loops.has(leader)) continue;
      this.loops.add(leader);
      void this.loop(leader);
    }
  }

  private async loop(node: number): Promise<void> {
    const pace = new FetchPace(this.options.bounds.fetchWaitMs);
    for (;;) {
      const own = [...this.feeds.values()].filter(({ leader }) => leader === node);
      if (this.closed || own.length === 0) {
        // In this very turn: a feed that comes to this broker after it starts another loop.
        this.loops.delete(node);
        return;
      }
      const ready = this.budget.left > 0 ? own.filter(({ wantsMore }) => wantsMore) : [];
      if (ready.length === 0) {
        await this.room;
        continue;
      }
      const maxWaitMs = pace.waitMs({ someHeld: ready.length < own.length });
      pace.answered({ empty: !(await this.fetch(node, ready, maxWaitMs)) });
    }
  }

  /** True when there were records. */
  private async fetch(node: number, ready: PartitionFeed[], maxWaitMs: number): Promise<boolean> {
    const { client, bounds } = this.options;
    try {
      const answers = await fetchRecords(
        await client.broker(node),
        this.rotated(ready).map(({ topic, partition, next }) => ({ topic, partition, offset: next })),
        {
          maxWaitMs,
          maxBytes: Math.min(bounds.fetchBytes, Math.max(this.budget.left, 1)),
          partitionBytes: bounds.fetchPartitionBytes,
        },
      );
      const asked = new Map(ready.map((feed) => [keyOf(feed), feed]));
      for (const answer of answers) {
        const feed = asked.get(keyOf(answer));
        if (feed && this.feeds.get(keyOf(feed)) === feed) await this.take(feed, answer);
      }
      return answers.some(({ bytes }) => bytes.length > 0);
    } catch (error) {
      await this.recover(ready, error);
      return false;
    }
  }

  /** The first ones in a request get the bytes: each gets its turn. */
  private rotated(ready: PartitionFeed[]): PartitionFeed[] {
    const start = this.turn++ % ready.length;
    return [...ready.slice(start), ...ready.slice(0, start)];
  }

  private async take(feed: PartitionFeed, answer: FetchedPartition): Promise<void> {
    if (placeIsGone.includes(answer.errorCode)) return this.gone(feed);
    if (answer.errorCode !== 0) {
      const error = errorOfCode(answer.errorCode);
      if (isFatal(error)) throw error;
      return this.lose([feed]);
    }
    this.options.onAnswer?.();
    if (answer.bytes.length === 0) return;
    const { topic, partition, next: from } = feed;
    const { logger } = this.options;
    const { bytes, aborted, lastStable: highWatermark } = answer;
    const set = { topic, partition, bytes, from, aborted };
    const { records, next, undecodable, inflated } = await decodeRecords(set);
    if (next === from) return;
    if (undecodable.length > 0) logger.error({ topic, partition, undecodable }, 'Records cannot be decoded');
    const unread = undecodable.length > 0 && { undecodable };
    const held = bytes.length + inflated;
    const batch = { topic, partition, records, bytes: held, next, highWatermark, ...unread };
    feed.offer(batch, this.budget.take(held));
  }

  private gone(feed: PartitionFeed): void {
    const { topic, partition, next } = feed;
    this.options.logger.warn({ topic, partition, offset: next }, 'The log does not have this offset');
    this.remove(feed);
    this.options.onGone(feed);
  }

  private async recover(feeds: PartitionFeed[], error: unknown): Promise<void> {
    if (this.closed) return;
    if (isFatal(error)) {
      this.close();
      return this.options.onFatal(error as Error);
    }
    this.options.logger.warn({ err: error }, 'Fetching failed: trying again');
    await sleep(recoveryWaitMs);
    await this.lose(feeds);
  }

  private async lose(feeds: PartitionFeed[]): Promise<void> {
    for (const feed of feeds) feed.leader = undefined;
    this.findLeaders();
  }

  private nextRoom(): Promise<void> {
    return new Promise((resolve) => (this.wake = resolve));
  }

  private wakeUp(): void {
    this.wake();
    this.room = this.nextRoom();
  }
}

function keyOf({ topic, partition }: { topic: string; partition: number }): string {
  return `${topic}/${partition}`;
}
