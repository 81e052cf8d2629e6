import { setTimeout as sleep } from 'node:timers/promises';
import { Backoff } from '#async';
import { LogUnavailableError, RecordTooLargeError, UnknownTopicError } from '../../errors.js';
import { toLogError } from '../cluster/kafka-errors.js';
import type { PendingAppend } from './pending-append.js';
import { PartitionCountChangedError } from './partition-records.js';
import {
  SendBatch,
  type KafkajsProducer,
  type SendBatchLimits,
  type TopicPartitionAnswer,
} from './send-batch.js';
import type { TopicMetadataCache } from './topic-metadata-cache.js';

/** Limits and compression of a `ProducerShard`, and its access to kafkajs producers and topic metadata. */
export interface ProducerShardOptions extends SendBatchLimits {
  lingerMs: number;
  requestTimeoutMs: number;
  createProducer(): KafkajsProducer;
  metadata: Pick<TopicMetadataCache, 'get' | 'forget' | 'exists'>;
}

interface QueuedAppend {
  append: PendingAppend;
  /** Indexes of the records that this shard sends; undefined means all records. */
  indexes?: number[];
  next: number;
}

const expiryCheckMs = 200;
const firstWaitMs = 50;
const longestWaitMs = 1_000;
/** Milliseconds after which a shard checks whether the topics of an unacknowledged request still exist. */
const slowMs = 1_000;

/**
 * Producer shard: sends its share of the records through an idempotent producer, with at most one request in flight,
 * because several requests break the order (kafkajs issues 598, 353). Records that arrive meanwhile form the next
 * request.
 *
 * After a failed request, the shard replaces its producer with one that has a new producer id. kafkajs reuses the
 * sequence numbers of a failed request, although a broker may have written its records. A broker that has written the
 * failed request would take the next records for duplicates and drop them. The shard also replaces its producer after a
 * request that omitted records because they were already written.
 */
export class ProducerShard {
  private readonly queue: QueuedAppend[] = [];
  private producer: KafkajsProducer | undefined;
  private running: Promise<void> | undefined;
  private inFlight: { batch: SendBatch; giveUp: (error: Error) => void } | undefined;
  private readonly expiryTimer: NodeJS.Timeout;
  private closed = false;

  constructor(private readonly options: ProducerShardOptions) {
    this.expiryTimer = setInterval(() => this.expire(), expiryCheckMs).unref();
  }

  push(append: PendingAppend, indexes?: number[]): void {
    this.queue.push({ append, next: 0, ...(indexes && { indexes }) });
    this.running ??= this.run();
  }

  /** Stops sending. The caller waits until every append is settled, because queued records are not sent any more. */
  async close(): Promise<void> {
    this.closed = true;
    clearInterval(this.expiryTimer);
    await this.producer?.disconnect().catch(() => undefined);
  }

  /** Sends until the queue is empty. Clears `running` in that event-loop turn: a later `push` starts it again. */
  private async run(): Promise<void> {
    const { lingerMs } = this.options;
    await (lingerMs > 0 ? sleep(lingerMs) : new Promise((resolve) => setImmediate(resolve)));
    const backoff = new Backoff(firstWaitMs, longestWaitMs);
    while (this.queue.length > 0 && !this.closed) {
      const producer = await this.open().catch(() => undefined);
      if (producer) {
        backoff.reset();
        await this.sendNext(producer);
        continue;
      }
      await sleep(backoff.next());
    }
    this.running = undefined;
  }

  private async open(): Promise<KafkajsProducer> {
    if (this.producer) return this.producer;
    const producer = this.options.createProducer();
    try {
      await producer.connect();
    } catch (error) {
      void producer.disconnect().catch(() => undefined);
      throw error;
    }
    if (this.closed) await producer.disconnect();
    this.producer = producer;
    return producer;
  }

  private async sendNext(producer: KafkajsProducer): Promise<void> {
    const batch = this.nextBatch();
    if (batch.empty) return;
    const timeout = this.options.requestTimeoutMs;
    // `async`, so that a synchronous error of kafkajs fails this batch and not the shard.
    const send = async () =>
      producer.sendBatch({ acks: -1, timeout, topicMessages: batch.toTopicMessages() });
    const sending = send();
    sending.catch(() => undefined);
    const slow = setTimeout(() => void this.checkTopics(batch), slowMs);
    try {
      batch.written(await this.orGivenUp(batch, sending));
      if (batch.skipped) this.retire(producer);
    } catch (error) {
      batch.cancelled = true;
      this.retire(producer);
      this.failed(batch, error);
    } finally {
      clearTimeout(slow);
    }
  }

  private async orGivenUp(
    batch: SendBatch,
    sending: Promise<TopicPartitionAnswer[]>,
  ): Promise<TopicPartitionAnswer[]> {
    const givenUp = new Promise<never>((_resolve, reject) => (this.inFlight = { batch, giveUp: reject }));
    try {
      return await Promise.race([sending, givenUp]);
    } finally {
      this.inFlight = undefined;
    }
  }

  /** Gives up the request if one of its topics does not exist: kafkajs would retry, and other records would wait. */
  private async checkTopics(batch: SendBatch): Promise<void> {
    for (const topic of batch.topicNames) {
      const exists = await this.options.metadata.exists(topic).catch(() => true);
      if (!exists && this.inFlight?.batch === batch) this.inFlight.giveUp(new UnknownTopicError(topic));
    }
  }

  private retire(producer: KafkajsProducer): void {
    this.producer = undefined;
    void producer.disconnect().catch(() => undefined);
  }

  /**
   * Rejects the appends of a failed produce request: appends to a missing topic with UnknownTopicError, the others with
   * the error of the request. Records of the others may be written or not.
   */
  private failed(batch: SendBatch, error: unknown): void {
    if (error instanceof PartitionCountChangedError) {
      for (const topic of batch.topicNames) this.options.metadata.forget(topic);
    }
    if (error instanceof UnknownTopicError) {
      this.options.metadata.forget(error.topic);
      batch.fail(error, [error.topic]);
    }
    const unknown = 'the records were not acknowledged';
    const failure = toLogError(error, unknown);
    // Kafka does not say which record of a request was too large.
    const isOfOthers =
      error instanceof UnknownTopicError || (failure instanceof RecordTooLargeError && !batch.isIndivisible);
    batch.fail(isOfOthers ? new LogUnavailableError(unknown) : failure);
  }

  /** Moves records from the front of the queue into one batch until the next record does not fit. */
  private nextBatch(): SendBatch {
    const batch = new SendBatch(this.options);
    let finished = 0;
    for (const queued of this.queue) {
      if (!queued.append.settled && !this.fill(batch, queued)) break;
      finished++;
    }
    this.queue.splice(0, finished);
    return batch;
  }

  /** Adds records of the append to the batch. Returns false if the next one does not fit. */
  private fill(batch: SendBatch, queued: QueuedAppend): boolean {
    const { append, indexes } = queued;
    const count = indexes?.length ?? append.records.length;
    if (append.isAtomic && !batch.hasRoomFor(append)) return false;
    for (; queued.next < count; queued.next++) {
      const index = indexes ? (indexes[queued.next] as number) : queued.next;
      const topic = append.records[index]?.topic as string;
      if (!batch.add(append, index, this.options.metadata.get(topic) ?? -1)) return false;
    }
    return true;
  }

  private expire(): void {
    const now = Date.now();
    for (const { append } of this.queue) if (append.deadline <= now) append.expire();
    const open = this.queue.filter(({ append }) => !append.settled);
    if (open.length < this.queue.length) this.queue.splice(0, this.queue.length, ...open);
    if (!this.inFlight || this.inFlight.batch.deadline > now) return;
    this.inFlight.giveUp(new LogUnavailableError('the records were not acknowledged in time'));
  }
}
