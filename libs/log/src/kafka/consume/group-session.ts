import { setTimeout as sleep } from 'node:timers/promises';
import { LogUnavailableError } from '../../errors.js';
import type { Assignment, ConsumerHandler } from '../../log.js';
import { earliest, latest, type ClusterClient } from '../cluster-client.js';
import type { KafkaLogBounds } from '../config.js';
import { isOfAnother } from '../../is-of-another.js';
import { isFatal } from '../kafka-errors.js';
import type { KafkaLogger } from '../logger.js';
import { recordAt } from './record-at.js';
import { Fetcher } from './fetcher.js';
import type { CommittedPlace, Generation, GroupMembership, PartitionPlace } from './group-membership.js';
import { PartitionFeed } from './partition-feed.js';

export interface SessionOptions {
  client: ClusterClient;
  bounds: KafkaLogBounds;
  logger: KafkaLogger;
  membership: GroupMembership;
  generation: Generation;
  handler: ConsumerHandler;
  lifeOf: (topic: string) => string | undefined;
  /** By partition, across generations: resolves when the last call of the handler for it is over. */
  busy: Map<string, Promise<unknown>>;
  onFatal(error: unknown): void;
}

const retryWaitMs = 200;
const longestRetryWaitMs = 5_000;
/** A topic that was made or is being removed is without a leader for a second or two: only what lasts is worth a warning. */
const normalMs = 5_000;

/** What a consumer does with the partitions of one generation: opens them, reads them, lets them go. */
export class GroupSession {
  private readonly fetcher: Fetcher;
  private readonly feeds = new Map<string, PartitionFeed>();
  private readonly begun = new Map<string, PartitionPlace>();
  /** Of the topic, as of the assignment. */
  private readonly lives = new Map<string, string | undefined>();
  /** Those that are being assigned, and then once more. */
  private readonly again = new Set<string>();
  private ended = false;
  private warned = false;

  constructor(private readonly options: SessionOptions) {
    const { client, bounds, logger } = options;
    this.fetcher = new Fetcher({
      client,
      bounds,
      logger,
      onGone: (feed) => this.settle(this.reopen(feed)),
      onFatal: (error) => options.onFatal(error),
    });
  }

  get generation(): Generation {
    return this.options.generation;
  }

  /** Begins to open every partition, each by itself. */
  start(): void {
    const places = [...this.generation.assignment].flatMap(([topic, partitions]) =>
      partitions.map((partition) => ({ topic, partition })),
    );
    const committed = this.persistently(() => this.options.membership.committed(places));
    committed.catch(() => undefined);
    for (const place of places) this.settle(this.open(place, committed));
  }

  private settle(opening: Promise<void>): void {
    opening.catch((error: unknown) => {
      if (!this.ended) this.options.onFatal(error);
    });
  }

  /** See Consumer.reassign. */
  reassign(topic: string): void {
    for (const place of [...this.begun.values()].filter((begun) => begun.topic === topic)) {
      const feed = this.feeds.get(keyOf(place));
      if (feed) {
        this.fetcher.remove(feed);
        this.settle(this.reopen(place));
      } else this.again.add(keyOf(place));
    }
  }

  /** The log has moved on without this partition, or has another of its name: assigned anew, from where it is. */
  private async reopen({ topic, partition }: PartitionPlace): Promise<void> {
    const place = { topic, partition };
    const key = keyOf(place);
    void this.feeds.get(key)?.close();
    this.feeds.delete(key);
    this.begun.delete(key);
    this.options.handler.revoked(place);
    await sleep(retryWaitMs);
    // A topic that is made anew has its group's offsets removed with the old one.
    await this.persistently(() => this.leaderOf(place), topic);
    await this.open(
      place,
      this.persistently(() => this.options.membership.committed([place]), topic),
    );
  }

  private async open(place: PartitionPlace, committed: Promise<CommittedPlace[] | undefined>): Promise<void> {
    const key = keyOf(place);
    const stands = (await committed)?.find((other) => keyOf(other) === key);
    await this.options.busy.get(key);
    const life = this.options.lifeOf(place.topic);
    this.lives.set(key, life);
    const known = stands === undefined || isOfAnother(stands.life, life) ? -1 : stands.offset;
    const assignment = await this.persistently(() => this.describe(place, known), place.topic);
    if (this.ended || !assignment) return;
    this.begun.set(key, place);
    const assigned = this.options.handler.assigned(assignment);
    void this.keepBusy(key, assigned);
    const from = Math.min(await assigned, assignment.position);
    if (this.ended) return;
    if (this.again.delete(key)) return this.reopen(place);
    this.read(place, Math.max(from, assignment.beginning));
  }

  private read(place: PartitionPlace, from: number): void {
    const key = keyOf(place);
    const feed = new PartitionFeed({
      ...place,
      from,
      deliver: (batch) => this.keepBusy(key, this.options.handler.batch(batch)),
      onError: (error) => this.options.onFatal(error),
    });
    this.feeds.set(key, feed);
    this.fetcher.add(feed);
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

  private async describe(place: PartitionPlace, committed: number): Promise<Assignment> {
    const { client, bounds } = this.options;
    const at = async (timestamp: number): Promise<number> =>
      client.offsetAt({ ...place, leader: await this.leaderOf(place) }, timestamp);
    const [beginning, end] = [await at(earliest), await at(latest)];
    // Where the log does not have the committed offset (any more), reading goes on from its beginning.
    const position = committed >= beginning && committed <= end ? committed : beginning;
    return {
      ...place,
      position,
      beginning,
      offsetAt: (timestamp) =>
        client.retrying('looking up a time', async () => {
          // Below zero are Kafka's special values, such as `latest`.
          const offset = await at(Math.max(timestamp, 0));
          return offset >= 0 ? offset : at(latest);
        }),
      timestampAtPosition: () =>
        client.retrying('looking up a record', async () => {
          const leader = await this.leaderOf(place);
          return (await recordAt({ client, bounds }, { ...place, leader, offset: position }))?.timestamp;
        }),
    };
  }

  private async leaderOf({ topic, partition }: PartitionPlace): Promise<number> {
    const known = (await this.options.client.metadata([topic])).get(topic);
    const leader = known?.find(({ partitionId }) => partitionId === partition)?.leader ?? -1;
    if (leader < 0) throw new LogUnavailableError('the partition has no leader');
    return leader;
  }

  /** Tries for as long as the session lasts; undefined when it has ended. */
  private async persistently<T>(operation: () => Promise<T>, topic?: string): Promise<T | undefined> {
    const began = performance.now();
    for (let wait = retryWaitMs; !this.ended; wait = Math.min(wait * 2, longestRetryWaitMs)) {
      try {
        return await operation();
      } catch (error) {
        if (isFatal(error)) throw error;
        this.report({ err: error, topic }, performance.now() - began);
        await sleep(wait);
      }
    }
    return undefined;
  }

  /** All partitions of a session wait for the same thing, time and again: one warning is enough. */
  private report(details: { err: unknown; topic: string | undefined }, lastsMs: number): void {
    const warns = lastsMs >= normalMs && !this.warned;
    this.warned ||= warns;
    this.options.logger[warns ? 'warn' : 'debug'](details, 'Partitions cannot be opened yet: trying again');
  }

  holds(place: PartitionPlace): boolean {
    return !this.ended && this.feeds.has(keyOf(place));
  }

  /** Of the topic that the partition was assigned of. */
  lifeOf(place: PartitionPlace): string | undefined {
    return this.lives.get(keyOf(place));
  }

  /** Hands over nothing more; resolves when the batches that are being worked on are done. */
  async drain(): Promise<void> {
    this.fetcher.close();
    await Promise.all([...this.feeds.values()].map((feed) => feed.close()));
  }

  /** Lets every partition go at once; batches that are being worked on end by themselves. */
  end(): void {
    if (this.ended) return;
    this.ended = true;
    void this.drain();
    for (const place of this.begun.values()) this.options.handler.revoked(place);
  }
}

function keyOf({ topic, partition }: PartitionPlace): string {
  return `${topic}/${partition}`;
}
