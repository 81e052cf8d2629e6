import { setTimeout as sleep } from 'node:timers/promises';
import type { ClusterClient } from '../cluster-client.js';
import type { KafkaLogLimits } from '../kafka-log-options.js';
import { isFatal } from '../kafka-errors.js';
import { errorOfCode } from '../kafkajs/internals.js';
import type { KafkaLogger } from '../logger.js';
import { ByteBudget } from './byte-budget.js';
import { ExpansionEstimate } from './expansion-estimate.js';
import type { FetchOutageTracker } from './fetch-outage-tracker.js';
import { PollBackoff } from './poll-backoff.js';
import { fetchInSession, type FetchedPartition } from './fetch-protocol.js';
import { FetchSession } from './fetch-session.js';
import type { PartitionBuffer } from './partition-buffer.js';
import { decodeRecords } from './record-decoder.js';

const recoveryWaitMs = 100;
/**
 * Error codes for an offset that the log does not have: OFFSET_OUT_OF_RANGE (retention removed it, or the topic was
 * recreated) and UNKNOWN_TOPIC_OR_PARTITION (the topic was removed).
 */
const missingOffsetErrors = [1, 3];

/** Client, limits and callbacks of a `Fetcher`. */
interface FetcherOptions {
  client: ClusterClient;
  bounds: KafkaLogLimits;
  logger: KafkaLogger;
  /** The fetch outage that all fetchers of the process share, so that an outage is logged once. */
  outage: FetchOutageTracker;
  /**
   * Called if the log does not have the offset that this partition buffer reads next. The fetcher has removed the
   * buffer, whose fetched records are obsolete. The caller must continue at the beginning of the log, never at its end.
   */
  onGone(feed: PartitionBuffer): void;
  /** Called after each fetch response without an error, even if it contains no records. */
  onAnswer?(): void;
  /** Called if the fetcher stops permanently, because a request failed with an error that a retry cannot fix. */
  onFatal(error: Error): void;
}

/**
 * Fetches records for many partition buffers, each from the partition's leader. Each broker has one loop and one fetch
 * session, so a partition without new records is in no request and no response.
 */
export class Fetcher {
  private readonly feeds = new Map<string, PartitionBuffer>();
  /** Fetch sessions by the node id of the broker; each session has its own loop of fetches. */
  private readonly sessions = new Map<number, FetchSession<PartitionBuffer>>();
  /** The pauses between two fetches of a broker, at most one for each broker. */
  private readonly pauses = new Set<AbortController>();
  private findingLeaders = false;
  private closed = false;
  private wake: () => void = () => undefined;
  private room = this.nextRoom();
  /**
   * Budget of the bytes, over all partitions, that are fetched and not yet processed. While it is used up, the fetcher
   * sends no fetch.
   */
  private readonly budget: ByteBudget;
  private readonly expansion = new ExpansionEstimate();

  constructor(private readonly options: FetcherOptions) {
    this.budget = new ByteBudget(options.bounds.consumeBytes, () => this.wakeUp());
  }

  /**
   * Fetches records for this buffer from now on.
   * @param leader Node id of the partition's leader, if the caller has just looked it up. A look-up by the fetcher waits
   * until the running fetch of this client ends.
   */
  add(feed: PartitionBuffer, leader?: number): void {
    this.feeds.set(keyOf(feed), feed);
    feed.onRoom = () => this.roomFor(feed);
    feed.leader = leader;
    if (leader === undefined) return this.findLeaders();
    if (!this.closed) this.startFetching(feed);
    this.wakeUp();
  }

  remove(feed: PartitionBuffer): void {
    if (this.feeds.get(keyOf(feed)) === feed) this.feeds.delete(keyOf(feed));
    this.sessionOf(feed)?.drop(feed);
    this.options.outage.gaveUp(feed);
    this.wakeUp();
  }

  /** Ends the pauses in which brokers collect records: the next fetches follow at once. */
  fetchNow(): void {
    for (const pause of this.pauses) pause.abort();
  }

  close(): void {
    this.closed = true;
    for (const feed of this.feeds.values()) this.options.outage.gaveUp(feed);
    this.feeds.clear();
    this.wakeUp();
  }

  private sessionOf({ leader }: PartitionBuffer): FetchSession<PartitionBuffer> | undefined {
    return leader === undefined ? undefined : this.sessions.get(leader);
  }

  private roomFor(feed: PartitionBuffer): void {
    if (this.feeds.get(keyOf(feed)) === feed) this.sessionOf(feed)?.want(feed);
    this.wakeUp();
  }

  private findLeaders(): void {
    if (this.findingLeaders) return;
    this.findingLeaders = true;
    void this.askForLeaders();
  }

  /**
   * Looks up partition leaders until every partition buffer has one. Clears `findingLeaders` in the same event-loop
   * turn, so that a later loss of a leader starts the lookup again.
   */
  private async askForLeaders(): Promise<void> {
    try {
      for (;;) {
        await sleep(0);
        const lost = [...this.feeds.values()].filter(({ leader }) => leader === undefined);
        if (this.closed || lost.length === 0) return;
        await this.lookUp(lost);
        for (const feed of lost) this.startFetching(feed);
        this.wakeUp();
        if (lost.some(({ leader }) => leader === undefined)) await sleep(recoveryWaitMs);
      }
    } catch (error) {
      this.options.onFatal(error as Error);
    } finally {
      this.findingLeaders = false;
    }
  }

  /**
   * Sets the leader of each buffer whose partition has one.
   * @throws errors that a retry cannot fix; others are ignored, and the caller looks up the leaders again
   */
  private async lookUp(lost: readonly PartitionBuffer[]): Promise<void> {
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

  private startFetching(feed: PartitionBuffer): void {
    const { leader } = feed;
    if (leader === undefined || this.feeds.get(keyOf(feed)) !== feed) return;
    let session = this.sessions.get(leader);
    if (!session) {
      session = new FetchSession();
      this.sessions.set(leader, session);
      void this.loop(leader, session);
    }
    this.continue(session, feed);
  }

  private continue(session: FetchSession<PartitionBuffer>, feed: PartitionBuffer): void {
    if (feed.wantsMore) session.want(feed);
    else session.hold(feed);
  }

  private async loop(node: number, session: FetchSession<PartitionBuffer>): Promise<void> {
    const pace = new PollBackoff(this.options.bounds);
    // The caller adds the first buffer to the session in the same event-loop turn.
    await Promise.resolve();
    for (;;) {
      if (this.closed || (session.size === 0 && !session.holding)) {
        // In the same event-loop turn as the check, so that a buffer added later for this broker starts another loop.
        this.sessions.delete(node);
        return this.end(node, session);
      }
      if (this.budget.left <= 0 || session.size === 0) {
        await this.room;
        continue;
      }
      const maxWaitMs = pace.waitMs({ someHeld: session.holding, partitions: session.size });
      const pauseMs = pace.answered({ bytes: await this.fetch(node, session, maxWaitMs) });
      if (pauseMs > 0) await this.collect(pauseMs);
    }
  }

  /** Waits while the broker collects records for the next fetch: `ms` milliseconds, or until `fetchNow` is called. */
  private async collect(ms: number): Promise<void> {
    const pause = new AbortController();
    this.pauses.add(pause);
    await sleep(ms, undefined, { signal: pause.signal }).catch(() => undefined);
    this.pauses.delete(pause);
  }

  /**
   * Closes the fetch session at the broker. An unclosed session occupies a slot of the broker until the broker evicts
   * it.
   */
  private async end(node: number, session: FetchSession<PartitionBuffer>): Promise<void> {
    const request = session.ending();
    if (!request) return;
    try {
      const limits = { maxWaitMs: 0, maxBytes: 1, partitionBytes: 1 };
      await fetchInSession(await this.options.client.broker(node), request, limits);
    } catch {
      // The broker is unreachable or the client is closed; the close is only best effort.
    }
  }

  /**
   * Sends one fetch to a broker. Returns the size of the fetched records in bytes, decompressed; 0 after an error.
   *
   * Partitions of the response are left out once the decompressed records of the others have used up the budget. The
   * broker sends them again, because their offsets are still the next ones.
   */
  private async fetch(
    node: number,
    session: FetchSession<PartitionBuffer>,
    maxWaitMs: number,
  ): Promise<number> {
    const { client, bounds } = this.options;
    try {
      const limits = {
        maxWaitMs,
        maxBytes: this.expansion.toFetch(Math.min(bounds.fetchBytes, this.budget.left)),
        partitionBytes: this.expansion.toFetch(bounds.fetchPartitionBytes),
      };
      const answer = await fetchInSession(await client.broker(node), session.next(), limits);
      if (!session.answered(answer)) return 0;
      if (answer.errorCode !== 0) throw errorOfCode(answer.errorCode);
      if (answer.partitions.every(({ errorCode }) => errorCode === 0)) this.answered(session);
      let taken = 0;
      for (const partition of answer.partitions) {
        const feed = session.asked(partition);
        if (feed && this.feeds.get(keyOf(feed)) === feed) taken += await this.take(feed, partition, session);
        if (taken > 0 && this.budget.left <= 0) break;
      }
      return taken;
    } catch (error) {
      session.lost();
      await this.recover(session, error);
      return 0;
    }
  }

  private answered(session: FetchSession<PartitionBuffer>): void {
    const { outage } = this.options;
    if (outage.isOn) for (const feed of session.partitions) outage.succeeded(feed);
    this.options.onAnswer?.();
  }

  /** Takes the records of one partition. Returns their size in bytes, decompressed. */
  private async take(
    feed: PartitionBuffer,
    answer: FetchedPartition,
    session: FetchSession<PartitionBuffer>,
  ): Promise<number> {
    if (answer.errorCode !== 0) {
      this.failed(feed, answer.errorCode);
      return 0;
    }
    if (answer.bytes.length === 0) return 0;
    const { topic, partition, next: from } = feed;
    const { logger } = this.options;
    const { bytes, aborted, lastStable: highWatermark } = answer;
    const set = { topic, partition, bytes, from, aborted };
    const { records, next, undecodable, decompressedBytes } = await decodeRecords(set);
    if (next === from) return bytes.length;
    if (undecodable.length > 0) logger.error({ topic, partition, undecodable }, 'Cannot decode records');
    const unread = undecodable.length > 0 && { undecodable };
    const held = bytes.length + decompressedBytes;
    this.expansion.observe({ fetched: bytes.length, held });
    const batch = { topic, partition, records, bytes: held, next, highWatermark, ...unread };
    feed.offer(batch, this.budget.take(held));
    // The buffer may have been removed during the decoding.
    if (this.feeds.get(keyOf(feed)) === feed) this.continue(session, feed);
    return held;
  }

  /** Handles the error code of one partition: its log has another beginning, or another broker leads it. */
  private failed(feed: PartitionBuffer, errorCode: number): void {
    if (missingOffsetErrors.includes(errorCode)) return this.gone(feed);
    const error = errorOfCode(errorCode);
    if (isFatal(error)) throw error;
    this.loseForNow(feed);
  }

  private gone(feed: PartitionBuffer): void {
    const { topic, partition, next } = feed;
    this.options.logger.warn(
      { topic, partition, offset: next },
      'The log does not have the next offset of a partition',
    );
    this.remove(feed);
    this.options.onGone(feed);
  }

  private async recover(session: FetchSession<PartitionBuffer>, error: unknown): Promise<void> {
    if (this.closed) return;
    if (isFatal(error)) {
      this.close();
      return this.options.onFatal(error as Error);
    }
    for (const feed of session.partitions) this.options.outage.failed(feed, error);
    await sleep(recoveryWaitMs);
    this.lose(session.partitions);
  }

  /** Looks up the leaders of these partitions again; their fetches continue once the leaders are known. */
  private lose(feeds: readonly PartitionBuffer[]): void {
    for (const feed of feeds) {
      this.sessionOf(feed)?.drop(feed);
      feed.leader = undefined;
    }
    this.findLeaders();
  }

  /**
   * Looks up the leader of the buffer again after a pause. Other brokers may not know the new leader yet, and report
   * the old one again.
   */
  private loseForNow(feed: PartitionBuffer): void {
    this.sessionOf(feed)?.drop(feed);
    feed.leader = undefined;
    setTimeout(() => this.findLeaders(), recoveryWaitMs);
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
