import { setTimeout as sleep } from 'node:timers/promises';
import { Backoff } from '#async';
import type { ConsumerHandler } from '../../log.js';
import { LogUnavailableError } from '../../errors.js';
import type { ClusterClient } from '../cluster-client.js';
import type { KafkaLogBounds } from '../config.js';
import { isFatal } from '../kafka-errors.js';
import type { KafkaLogger } from '../logger.js';
import type { Claim } from './assign-partitions.js';
import { describeAssignment, leaderOf, logBoundsOf, type LogBounds } from './describe-assignment.js';
import type { FetchOutage } from './fetch-outage.js';
import { Fetcher } from './fetcher.js';
import type { CommittedOffset, Generation, TopicPartition } from './generation.js';
import type { GroupMembership } from './group-membership.js';
import { keyOf, OwnedPartition } from './owned-partition.js';
import { PartitionFeed } from './partition-feed.js';
import { settledWithin } from '../../settled-within.js';

export interface SessionOptions {
  client: ClusterClient;
  bounds: KafkaLogBounds;
  logger: KafkaLogger;
  outage: FetchOutage;
  membership: Pick<GroupMembership, 'committed'>;
  /** The first one. */
  generation: Generation;
  handler: ConsumerHandler;
  /** By partition, across sessions: resolves when the handler's last call for the partition is over. */
  busy: Map<string, Promise<unknown>>;
  onFatal(error: unknown): void;
}

/** What was found of partitions that are opened together, by `keyOf`. */
interface Found {
  committed: ReadonlyMap<string, CommittedOffset>;
  bounds: ReadonlyMap<string, LogBounds>;
}

const retryWaitMs = 200;
const longestRetryWaitMs = 1_000;
/** Questions that come within this time are asked as one. */
const gatherMs = 20;
/** A topic that was made or is being removed is without a leader for a second or two: only what lasts is worth a warning. */
const normalMs = 5_000;

/**
 * The partitions that a member runs: opens them, reads them, lets them go. It lasts as long as the group knows the
 * member: a partition that one generation after the other gives to it is read on and on.
 */
export class GroupSession {
  generation: Generation;
  private readonly fetcher: Fetcher;
  private readonly owned = new Map<string, OwnedPartition>();
  /** Partitions whose offsets in the log are asked for next. */
  private readonly unknown = new Set<OwnedPartition>();
  private asking: Promise<Map<string, LogBounds>> | undefined;
  private draining = false;
  private ended = false;
  private warned = false;
  private passed!: Promise<void>;
  private pass!: () => void;

  constructor(private readonly options: SessionOptions) {
    const { client, bounds, logger, outage, generation } = options;
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

  /** What this member tells the group when it joins again. */
  get claim(): Claim {
    const owned = new Map<string, number[]>();
    for (const { topic, partition } of this.owned.values())
      owned.set(topic, [...(owned.get(topic) ?? []), partition]);
    return { generation: this.generation.id, owned };
  }

  /** Returns the partition if it is ours. A commit asks for it once: a different object is a different holding. */
  get(place: TopicPartition): OwnedPartition | undefined {
    return this.owned.get(keyOf(place));
  }

  /**
   * Continues in this generation. Opens each newly assigned partition by itself. Returns the partitions that the
   * generation takes away; they are read until they are released.
   */
  adopt(generation: Generation): OwnedPartition[] {
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

  /** Resolves when this generation is over, or after the time. */
  async after(generation: Generation, ms: number): Promise<void> {
    if (this.generation === generation && !this.ended) await settledWithin(ms, this.passed);
  }

  private expectNext(): void {
    this.passed = new Promise((resolve) => (this.pass = resolve));
  }

  private openAll(places: readonly TopicPartition[]): void {
    if (places.length === 0) return;
    const fresh = places.map(({ topic, partition }) => new OwnedPartition(topic, partition));
    for (const own of fresh) this.owned.set(own.key, own);
    const found = this.find(fresh);
    found.catch(() => undefined);
    for (const own of fresh) this.settle(own, this.open(own, found));
  }

  /** What was committed first: asked the other way round, the log could seem to end before it. */
  private async find(places: readonly OwnedPartition[]): Promise<Found> {
    const isOver = (): boolean => places.every(({ over }) => over);
    const ask = (): Promise<CommittedOffset[]> => this.options.membership.committed(places);
    const committed = (await this.persistently(ask, { isOver, topic: places[0]?.topic })) ?? [];
    // A partition that cannot be found now is asked for again by itself.
    const bounds = await logBoundsOf(this.options.client, places).catch(() => new Map<string, LogBounds>());
    return { committed: new Map(committed.map((place) => [keyOf(place), place])), bounds };
  }

  /** @throws LogUnavailableError while the partition has no leader, or does not exist */
  private async boundsOf(own: OwnedPartition): Promise<LogBounds> {
    this.unknown.add(own);
    this.asking ??= this.askTogether();
    const found = (await this.asking).get(own.key);
    if (!found) throw new LogUnavailableError('the partition has no leader');
    return found;
  }

  /** Partitions of a broker that cannot be reached are asked for again at about the same time. */
  private async askTogether(): Promise<Map<string, LogBounds>> {
    await sleep(gatherMs);
    const places = [...this.unknown].filter(({ over }) => !over);
    this.unknown.clear();
    this.asking = undefined;
    return logBoundsOf(this.options.client, places);
  }

  private settle(own: OwnedPartition, opening: Promise<void>): void {
    opening.catch((error: unknown) => {
      if (!own.over) this.options.onFatal(error);
    });
  }

  /** See Consumer.reassign. */
  reassign(topic: string): void {
    for (const own of [...this.owned.values()].filter((one) => one.topic === topic))
      if (own.feed) this.reopen(own);
      else own.again = true;
  }

  private gone(feed: PartitionFeed): void {
    const own = this.get(feed);
    if (own?.feed === feed) this.reopen(own);
  }

  /** The log has moved on without this partition, or has another of its name: assigned anew, from where it is. */
  private reopen(own: OwnedPartition): void {
    const next = new OwnedPartition(own.topic, own.partition);
    this.drop(own);
    this.owned.set(next.key, next);
    this.settle(next, this.openLater(next));
  }

  private async openLater(own: OwnedPartition): Promise<void> {
    await sleep(retryWaitMs);
    const { topic } = own;
    const isOver = (): boolean => own.over;
    // A topic that is made anew has its group's offsets removed with the old one.
    await this.persistently(() => leaderOf(this.options.client, own), { isOver, topic });
    await this.open(own, this.find([own]));
  }

  private async open(own: OwnedPartition, found: Promise<Found>): Promise<void> {
    const { options } = this;
    const { committed, bounds } = await found;
    const stands = committed.get(own.key);
    await options.busy.get(own.key);
    const log = await this.persistently(async () => bounds.get(own.key) ?? (await this.boundsOf(own)), {
      isOver: () => own.over,
      topic: own.topic,
    });
    if (own.over || !log) return;
    const place = { committed: stands?.offset ?? -1, ...log };
    const assignment = describeAssignment(options, placeOf(own), place);
    own.begun = true;
    const assigned = options.handler.assigned(assignment);
    void this.keepBusy(own.key, assigned);
    const from = Math.min(await assigned, assignment.position);
    if (own.over) return;
    if (own.again) return this.reopen(own);
    this.read(own, Math.max(from, assignment.beginning));
  }

  private read(own: OwnedPartition, from: number): void {
    own.feed = new PartitionFeed({
      ...placeOf(own),
      from,
      deliver: (batch) => this.keepBusy(own.key, this.options.handler.batch(batch)),
      onError: (error) => this.options.onFatal(error),
    });
    this.fetcher.add(own.feed);
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

  /** Tries until it succeeds; undefined when nobody needs it any more. */
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

  /** All partitions of a session wait for the same thing, time and again: one warning is enough. */
  private report(details: { err: unknown; topic: string | undefined }, lastsMs: number): void {
    const warns = lastsMs >= normalMs && !this.warned;
    this.warned ||= warns;
    this.options.logger[warns ? 'warn' : 'debug'](details, 'Partitions cannot be opened yet: trying again');
  }

  /**
   * Lets these partitions go: hands over nothing more of them, and waits for the batches that are being worked on, which
   * can still commit, but no longer than the time.
   */
  async release(places: readonly TopicPartition[], withinMs: number): Promise<void> {
    const keys = new Set(places.map(keyOf));
    const own = (): OwnedPartition[] => [...this.owned.values()].filter(({ key }) => keys.has(key));
    await settledWithin(withinMs, Promise.allSettled(own().map((one) => this.stopReading(one))));
    for (const one of own()) this.drop(one);
  }

  /** The same for all partitions of these topics. */
  async releaseTopics(topics: ReadonlySet<string>, withinMs: number): Promise<void> {
    const gone = [...this.owned.values()].filter(({ topic }) => topics.has(topic));
    if (gone.length > 0) await this.release(gone, withinMs);
  }

  private async stopReading({ feed }: OwnedPartition): Promise<void> {
    if (feed) this.fetcher.remove(feed);
    await feed?.close();
  }

  private drop(own: OwnedPartition): void {
    if (own.over) return;
    own.over = true;
    this.owned.delete(own.key);
    void this.stopReading(own);
    if (own.begun) this.options.handler.revoked(placeOf(own));
  }

  /** Opens and hands over nothing more; resolves when the batches that are being worked on are done. */
  async drain(): Promise<void> {
    this.draining = true;
    this.fetcher.close();
    await Promise.all([...this.owned.values()].map(async ({ feed }) => feed?.close()));
  }

  /** Lets every partition go at once; batches that are being worked on end by themselves. */
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
