import { setTimeout as sleep } from 'node:timers/promises';
import { OutageTracker } from '#async';
import { partitionKey } from '../../topic-partition.js';
import type { ClusterClient } from '../cluster/cluster-client.js';
import { isFatal, protocolErrors } from '../cluster/kafka-errors.js';
import type { KafkaLogLimits } from '../cluster/kafka-log-options.js';
import type { KafkaLogger } from '../cluster/logger.js';
import { errorOfCode } from '../kafkajs/internals.js';
import { ByteBudget } from './byte-budget.js';
import { ExpansionEstimate } from './expansion-estimate.js';
import { fetchInSession, type FetchedPartition } from './fetch-protocol.js';
import { FetchSession } from './fetch-session.js';
import { lostFrom } from './leader-epochs.js';
import type { PartitionBuffer } from './partition-buffer.js';
import { PollBackoff } from './poll-backoff.js';
import { decodeRecords } from './record-decoder.js';

/** More records than a broker can append between reading the end of the log and reading the records that it answers with. */
const mostNewRecords = 1_000_000;

const recoveryWaitMs = 100;
/** Retention has removed the offset, the log has lost its end, or the topic was recreated. */
const offsetOutOfRange = 1;
/** The topic was removed. */
const unknownTopic = 3;

const lostEndMessage =
  'The log has lost records that were read: its brokers lost power, or a replica without them became the leader';

/** What everything that reads records from Kafka needs: a client, the limits of the log, and where failures go. */
export interface KafkaReaderDependencies {
  client: ClusterClient;
  bounds: KafkaLogLimits;
  logger: KafkaLogger;
  /** The partitions that cannot be fetched. All fetchers of the process share it, so that an outage is logged once. */
  outage: OutageTracker<PartitionBuffer>;
}

interface FetcherOptions extends KafkaReaderDependencies {
  /**
   * Called if the log does not have the offset that this partition buffer reads next, or has lost records that the buffer has
   * read. The fetcher has removed the buffer, whose fetched records are obsolete. The caller must not continue at the end of
   * the log: it may have other records at the offsets of the lost ones.
   */
  onGone(buffer: PartitionBuffer, why: 'no topic' | 'no offset'): void;
  /** Called after each fetch response without an error, even if it contains no records. */
  onAnswer?(): void;
  /** Called if the fetcher stops permanently, because a request failed with an error that a retry cannot fix. */
  onFatal(error: Error): void;
}

/** Returns an outage that logs one line when fetching begins to fail, and one when all partitions are fetched again. */
export function fetchOutage(logger: KafkaLogger): OutageTracker<PartitionBuffer> {
  return new OutageTracker({
    began: (error) => logger.warn({ err: error }, 'Cannot fetch from Kafka: retrying'),
    ended: () => logger.info({}, 'Fetching from Kafka works again'),
  });
}

/** Fetches records for partition buffers from their leaders. Each broker has one loop and one fetch session. */
export class Fetcher {
  private readonly buffers = new Map<string, PartitionBuffer>();
  /** Fetch sessions by the node id of the broker; each session has its own loop of fetches. */
  private readonly sessions = new Map<number, FetchSession<PartitionBuffer>>();
  /** The pauses between two fetches of a broker, at most one for each broker. */
  private readonly pauses = new Set<AbortController>();
  private findingLeaders = false;
  private closed = false;
  private wake: () => void = () => undefined;
  private room = this.nextRoom();
  /**
   * Bytes that are fetched and not yet processed, by the share of memory that they take. No partition of a share is fetched while
   * they reach its limit.
   */
  private readonly budgets = new Map<string, ByteBudget>();
  private readonly expansion = new ExpansionEstimate();

  constructor(private readonly options: FetcherOptions) {}

  /**
   * Fetches records for this buffer from now on.
   * @param leader Node id of the partition's leader, if the caller has just looked it up. A look-up by the fetcher waits
   * until the running fetch of this client ends.
   */
  add(buffer: PartitionBuffer, leader?: number): void {
    this.buffers.set(partitionKey(buffer), buffer);
    buffer.onRoom = () => {
      const session = this.sessionOf(buffer);
      if (session && this.has(buffer)) this.continue(session, buffer);
      this.wakeUp();
    };
    buffer.leader = leader;
    if (leader === undefined) return this.findLeaders();
    if (!this.closed) this.startFetching(buffer);
    this.wakeUp();
  }

  remove(buffer: PartitionBuffer): void {
    if (this.has(buffer)) this.buffers.delete(partitionKey(buffer));
    this.sessionOf(buffer)?.drop(buffer);
    this.options.outage.gaveUp(buffer);
    this.wakeUp();
  }

  /** Ends the pauses in which brokers collect records: the next fetches follow at once. */
  fetchNow(): void {
    for (const pause of this.pauses) pause.abort();
  }

  close(): void {
    this.closed = true;
    for (const buffer of this.buffers.values()) this.options.outage.gaveUp(buffer);
    this.buffers.clear();
    this.wakeUp();
  }

  private has(buffer: PartitionBuffer): boolean {
    return this.buffers.get(partitionKey(buffer)) === buffer;
  }

  private sessionOf({ leader }: PartitionBuffer): FetchSession<PartitionBuffer> | undefined {
    return leader === undefined ? undefined : this.sessions.get(leader);
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
        const lost = [...this.buffers.values()].filter(({ leader }) => leader === undefined);
        if (this.closed || lost.length === 0) return;
        await this.setLeaders(lost);
        for (const buffer of lost) this.startFetching(buffer);
        this.wakeUp();
        if (lost.some(({ leader }) => leader === undefined)) await sleep(recoveryWaitMs);
      }
    } catch (error) {
      this.options.onFatal(error as Error);
    } finally {
      this.findingLeaders = false;
    }
  }

  /** Sets the leader of each buffer whose partition has one, if Kafka answers. @throws errors of `isFatal` */
  private async setLeaders(lost: readonly PartitionBuffer[]): Promise<void> {
    try {
      const known = await this.options.client.metadata([...new Set(lost.map(({ topic }) => topic))]);
      for (const buffer of lost) {
        const found = known.get(buffer.topic)?.find(({ partitionId }) => partitionId === buffer.partition);
        if (found && found.leader >= 0) buffer.leader = found.leader;
      }
    } catch (error) {
      if (isFatal(error)) throw error;
    }
  }

  private startFetching(buffer: PartitionBuffer): void {
    const { leader } = buffer;
    if (leader === undefined || !this.has(buffer)) return;
    let session = this.sessions.get(leader);
    if (!session) {
      session = new FetchSession();
      this.sessions.set(leader, session);
      void this.loop(leader, session);
    }
    this.continue(session, buffer);
  }

  private continue(session: FetchSession<PartitionBuffer>, buffer: PartitionBuffer): void {
    if (buffer.wantsMore && !this.isPaused(buffer)) session.want(buffer);
    else session.pause(buffer);
  }

  private budgetOf({ share: { name, shares } }: PartitionBuffer): ByteBudget {
    let budget = this.budgets.get(name);
    if (!budget) {
      budget = new ByteBudget(this.options.bounds.consumeBytes / shares, () => this.changed(name));
      this.budgets.set(name, budget);
    }
    return budget;
  }

  /** Bytes that may be fetched, of all shares. */
  private get left(): number {
    return [...this.budgets.values()].reduce((sum, { left }) => sum + Math.max(left, 0), 0);
  }

  /** Whether the share of a partition is used up. Partitions that have the only share are not paused: no fetch is sent. */
  private isPaused(buffer: PartitionBuffer): boolean {
    return this.budgetOf(buffer).left <= 0 && buffer.share.shares > 1;
  }

  /** Pauses or fetches the partitions of a share, which is used up or no longer is. */
  private changed(share: string): void {
    for (const session of this.sessions.values())
      for (const buffer of session.partitions)
        if (buffer.share.name === share) this.continue(session, buffer);
    this.wakeUp();
  }

  private async loop(node: number, session: FetchSession<PartitionBuffer>): Promise<void> {
    const backoff = new PollBackoff(this.options.bounds);
    // The caller adds the first buffer to the session in the same event-loop turn.
    await Promise.resolve();
    for (;;) {
      if (this.closed || (session.size === 0 && !session.hasPaused)) {
        // In the same event-loop turn as the check, so that a buffer added later for this broker starts another loop.
        this.sessions.delete(node);
        return this.end(node, session);
      }
      if (this.left <= 0 || session.size === 0) {
        await this.room;
        continue;
      }
      const maxWaitMs = backoff.waitMs({ hasPaused: session.hasPaused, partitions: session.size });
      const pauseMs = backoff.answered({ bytes: await this.fetch(node, session, maxWaitMs) });
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

  /** Closes the fetch session at the broker, where it would occupy a slot until the broker evicts it. */
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
   * Partitions of the response are left out once the decompressed records of the others have used up their share. The
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
        maxBytes: this.expansion.toFetch(Math.min(bounds.fetchBytes, this.left)),
        partitionBytes: this.expansion.toFetch(bounds.fetchPartitionBytes),
      };
      const answer = await fetchInSession(await client.broker(node), session.next(), limits);
      if (!session.answered(answer)) return 0;
      if (answer.errorCode !== 0) throw errorOfCode(answer.errorCode);
      if (answer.partitions.every(({ errorCode }) => errorCode === 0)) this.succeeded(session);
      let fetchedBytes = 0;
      for (const partition of answer.partitions) {
        const buffer = session.asked(partition);
        if (!buffer || !this.has(buffer) || (fetchedBytes > 0 && this.budgetOf(buffer).left <= 0)) continue;
        fetchedBytes += await this.deliver(buffer, partition, session);
      }
      return fetchedBytes;
    } catch (error) {
      session.lost();
      await this.recover(session, error);
      return 0;
    }
  }

  private succeeded(session: FetchSession<PartitionBuffer>): void {
    const { outage } = this.options;
    if (outage.isOn) for (const buffer of session.partitions) outage.succeeded(buffer);
    this.options.onAnswer?.();
  }

  /** Passes the fetched records of one partition to its buffer. Returns their size in bytes, decompressed. */
  private async deliver(
    buffer: PartitionBuffer,
    answer: FetchedPartition,
    session: FetchSession<PartitionBuffer>,
  ): Promise<number> {
    if (answer.errorCode !== 0) {
      if (answer.errorCode === offsetOutOfRange && !(await this.hasKeptEnd(buffer))) return 0;
      this.failed(buffer, answer.errorCode);
      return 0;
    }
    if (answer.bytes.length === 0) return 0;
    const { topic, partition, next: from } = buffer;
    const { bytes, aborted, lastStable: highWatermark } = answer;
    const set = { topic, partition, bytes, from, aborted, end: highWatermark + mostNewRecords };
    const { records, next, undecodable, decompressedBytes, ...known } = await decodeRecords(set);
    if (next === from) return bytes.length;
    if (buffer.epochs.isPassedBy(known.epochs) && !(await this.hasKeptEnd(buffer))) return bytes.length;
    if (undecodable.length > 0)
      this.options.logger.error({ topic, partition, undecodable }, 'Cannot decode records');
    const unread = undecodable.length > 0 && { undecodable };
    const size = bytes.length + decompressedBytes;
    this.expansion.observe({ fetched: bytes.length, inMemory: size });
    const batch = { topic, partition, records, bytes: size, next, highWatermark, ...unread };
    buffer.offer(batch, this.budgetOf(buffer).take(size), known);
    // The buffer may have been removed during the decoding.
    if (this.has(buffer)) this.continue(session, buffer);
    if (this.isPaused(buffer)) this.changed(buffer.share.name);
    return size;
  }

  /**
   * Whether the log still has all records that the buffer has read. Only another leader than before can have lost some. False
   * also if the broker answers with an error: the partition is then fetched again.
   */
  private async hasKeptEnd(buffer: PartitionBuffer): Promise<boolean> {
    const { topic, partition, leader, next: offset } = buffer;
    if (leader === undefined) return true;
    let from: number | undefined;
    try {
      from = await lostFrom(this.options.client, leader, { topic, partition, ...buffer.epochs.last });
    } catch (error) {
      // Without an answer, the other partitions of the broker would each wait for one.
      if (isFatal(error) || protocolErrors(error).length === 0) throw error;
      if (this.has(buffer)) this.findLeaderAgain(buffer);
      return false;
    }
    if (from === undefined || !this.has(buffer)) return from === undefined;
    this.options.logger.error({ topic, partition, offset, lostFrom: from }, lostEndMessage);
    this.remove(buffer);
    this.options.onGone(buffer, 'no offset');
    return false;
  }

  /** Handles the error code of one partition: its log has another beginning, or another broker leads it. */
  private failed(buffer: PartitionBuffer, errorCode: number): void {
    const { topic, partition, next: offset } = buffer;
    if (errorCode === offsetOutOfRange || errorCode === unknownTopic) {
      const message = 'The log does not have the next offset of a partition';
      this.options.logger.warn({ topic, partition, offset }, message);
      this.remove(buffer);
      return this.options.onGone(buffer, errorCode === unknownTopic ? 'no topic' : 'no offset');
    }
    const error = errorOfCode(errorCode);
    if (isFatal(error)) throw error;
    this.findLeaderAgain(buffer);
  }

  private findLeaderAgain(buffer: PartitionBuffer): void {
    this.forgetLeader(buffer);
    // Other brokers may not know the new leader yet, and report the old one again.
    setTimeout(() => this.findLeaders(), recoveryWaitMs);
  }

  private async recover(session: FetchSession<PartitionBuffer>, error: unknown): Promise<void> {
    if (this.closed) return;
    if (isFatal(error)) {
      this.close();
      return this.options.onFatal(error as Error);
    }
    for (const buffer of session.partitions) this.options.outage.failed(buffer, error);
    await sleep(recoveryWaitMs);
    for (const buffer of session.partitions) this.forgetLeader(buffer);
    this.findLeaders();
  }

  private forgetLeader(buffer: PartitionBuffer): void {
    this.sessionOf(buffer)?.drop(buffer);
    buffer.leader = undefined;
  }

  private nextRoom(): Promise<void> {
    return new Promise((resolve) => (this.wake = resolve));
  }

  private wakeUp(): void {
    this.wake();
    this.room = this.nextRoom();
  }
}
