import { LogUnavailableError } from '../errors.js';
import type { GlobalTableReader, GlobalTableReaderHandler } from '../log.js';
import { TableReaderProgress } from '../table-reader-progress.js';
import type { MemoryBroker } from './memory-broker.js';
import type { MemoryTopic } from './memory-topic.js';

const missingWaitMs = 20;

/** In-memory fake of `GlobalTableReader`: reads partition 0 of a topic of a `MemoryBroker`. */
export class MemoryGlobalTableReader implements GlobalTableReader {
  private readonly progress = new TableReaderProgress();
  private next = 0;
  private following: MemoryTopic | undefined;
  private stop: () => void = () => undefined;
  private closed = false;
  private lastAnswer: number | undefined;

  constructor(
    private readonly broker: MemoryBroker,
    private readonly topic: string,
    private readonly handler: GlobalTableReaderHandler,
  ) {}

  get failure(): Error | undefined {
    return this.progress.failure;
  }

  /** The current time while the in-memory broker is up and the topic is read; then the time of the last such access. */
  get answeredAt(): number | undefined {
    if (this.following && !this.broker.down && !this.failure) this.lastAnswer = performance.now();
    return this.lastAnswer;
  }

  async start(): Promise<void> {
    const topic = await this.untilThere();
    if (this.failure) throw this.failure;
    if (!this.following) this.follow(topic);
    this.read(topic);
    if (this.progress.failure) throw this.progress.failure;
  }

  private follow(topic: MemoryTopic): void {
    this.following = topic;
    this.next = topic.beginning(0);
    this.progress.reached(this.next);
    this.stop = topic.onAppend(() => setImmediate(() => this.read(topic)));
  }

  private async untilThere(): Promise<MemoryTopic> {
    for (;;) {
      const topic = this.broker.topics.get(this.topic);
      if (topic && !this.broker.down) return topic;
      if (this.closed) throw new LogUnavailableError('the reader is closed');
      await new Promise((resolve) => setTimeout(resolve, missingWaitMs));
    }
  }

  private read(topic: MemoryTopic): void {
    if (this.closed || this.failure) return;
    try {
      for (const record of topic.read(0, this.next, Infinity)) {
        this.handler.record(record);
        this.next = record.offset + 1;
      }
      this.next = topic.end(0);
      this.progress.reached(this.next);
    } catch (error) {
      this.stop();
      this.progress.fail(error as Error);
    }
  }

  caughtUp(offset: number, timeoutMs: number): Promise<void> {
    return this.progress.passed(offset, timeoutMs);
  }

  async close(): Promise<void> {
    this.closed = true;
    this.stop();
    this.progress.fail(new LogUnavailableError('the reader is closed'));
  }
}
