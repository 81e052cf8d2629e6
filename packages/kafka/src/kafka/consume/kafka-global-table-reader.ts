import { setTimeout as sleep } from 'node:timers/promises';
import { LogUnavailableError } from '../../errors.js';
import type { GlobalTableReader, GlobalTableReaderHandler } from '../../log.js';
import { TableReaderProgress } from '../../table-reader-progress.js';
import { earliest, latest } from '../cluster/cluster-client.js';
import { isFatal } from '../cluster/kafka-errors.js';
import { Fetcher, type KafkaReaderDependencies } from './fetcher.js';
import { PartitionBuffer } from './partition-buffer.js';

interface KafkaGlobalTableReaderOptions extends KafkaReaderDependencies {
  topic: string;
  handler: GlobalTableReaderHandler;
}

/** First and next offset of the topic, and the time of their lookup in milliseconds of `performance.now()`. */
interface TopicOffsetRange {
  beginning: number;
  end: number;
  at: number;
}

const missingWaitMs = 500;
/** Time without a leader after which a warning is logged. A new topic has no leader for a moment. */
const normalMs = 5_000;
/**
 * Milliseconds that an idle fetch waits at the broker. The reader has one partition, so no other one waits behind the
 * fetch; new records end the wait at once. Shorter than the time after which a response counts as slow (2 s).
 */
const idleFetchMs = 1_500;

/** Reads partition 0 of a topic without a consumer group: no coordinator, no rebalance, no state on the broker. */
export class KafkaGlobalTableReader implements GlobalTableReader {
  private readonly progress = new TableReaderProgress();
  private readonly fetcher: Fetcher;
  private buffer: PartitionBuffer | undefined;
  private closed = false;
  answeredAt: number | undefined;

  constructor(private readonly options: KafkaGlobalTableReaderOptions) {
    this.fetcher = new Fetcher({
      ...options,
      // Somebody waits for a new record of a table, so the log does not collect records.
      bounds: { ...options.bounds, fetchWaitMs: idleFetchMs, fetchCollectMs: 0 },
      onGone: () => void this.restart().catch((error: Error) => this.fail(error)),
      onAnswer: () => (this.answeredAt = performance.now()),
      onFatal: (error) => this.fail(error),
    });
  }

  get failure(): Error | undefined {
    return this.progress.failure;
  }

  private fail(error: Error): void {
    if (this.closed) return;
    this.fetcher.close();
    this.options.logger.error({ err: error, topic: this.options.topic }, 'Stopped reading a table topic');
    this.progress.fail(error);
  }

  async start(): Promise<void> {
    const { beginning, end, at } = await this.range();
    if (this.closed) throw new LogUnavailableError('the reader is closed');
    if (this.failure) throw this.failure;
    if (!this.buffer) this.begin(beginning);
    if (end > beginning) await this.progress.passed(end - 1);
    this.answeredAt ??= at;
  }

  /** Reads the topic again from its first offset: Kafka has the next one no longer (a recreated topic, for example). */
  private async restart(): Promise<void> {
    await this.buffer?.close();
    const { beginning } = await this.range();
    if (!this.closed) this.begin(beginning);
  }

  private begin(beginning: number): void {
    const { topic, handler } = this.options;
    this.progress.reached(beginning);
    this.buffer = new PartitionBuffer({
      topic,
      partition: 0,
      from: beginning,
      deliver: async ({ records, undecodable = [] }) => {
        for (const range of undecodable) handler.undecodable?.(range);
        for (const record of records) handler.record(record);
      },
      onError: (error) => this.fail(error as Error),
      onProgress: (next) => this.progress.reached(next),
    });
    this.fetcher.add(this.buffer);
  }

  /** Returns the first and the next offset of the topic, as soon as the topic exists. */
  private async range(): Promise<TopicOffsetRange> {
    const began = performance.now();
    let warned = false;
    for (;;) {
      try {
        const range = await this.tryRange();
        if (range) return range;
      } catch (error) {
        if (isFatal(error) || this.closed) throw error;
        const warns: boolean = !warned && performance.now() - began >= normalMs;
        warned ||= warns;
        const { logger, topic } = this.options;
        logger[warns ? 'warn' : 'debug']({ err: error, topic }, 'Cannot read a table topic yet: retrying');
      }
      if (this.closed) throw new LogUnavailableError('the reader is closed');
      await sleep(missingWaitMs);
    }
  }

  private async tryRange(): Promise<TopicOffsetRange | undefined> {
    const { client, topic } = this.options;
    const at = performance.now();
    const partition = (await client.metadata([topic])).get(topic)?.[0];
    if (!partition || partition.leader < 0) return undefined;
    const led = { topic, partition: 0, leader: partition.leader };
    const beginning = await client.offsetAt(led, earliest);
    return { beginning, end: await client.offsetAt(led, latest), at };
  }

  caughtUp(offset: number, timeoutMs: number): Promise<void> {
    return this.progress.passed(offset, timeoutMs);
  }

  async close(): Promise<void> {
    this.closed = true;
    this.fetcher.close();
    this.progress.fail(new LogUnavailableError('the reader is closed'));
    await this.buffer?.close();
    await this.options.client.close();
  }
}
