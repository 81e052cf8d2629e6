import { randomUUID } from 'node:crypto';
import type { Log, ProducerRecord, Producer } from '../log.js';

/**
 * Fixture of the log contract suite: the implementation of `Log` that is tested, one producer, and a random topic
 * prefix, so that no other test run uses the same topics.
 */
export class LogUnderTest {
  readonly prefix = `contract.${randomUUID().slice(0, 8)}.`;
  log: Log;
  producer: Producer;
  private made = 0;

  constructor(private readonly openLog: () => Log) {}

  async open(): Promise<void> {
    this.log = this.openLog();
    this.producer = await this.log.producer();
  }

  async close(): Promise<void> {
    for (const topic of await this.log.admin.list(this.prefix)) await this.log.admin.remove(topic);
    await this.log.close();
  }

  nextName(): string {
    return `${this.prefix}t${this.made++}`;
  }

  async newTopic(partitions = 1): Promise<string> {
    const topic = this.nextName();
    await this.log.admin.create(topic, { partitions });
    return topic;
  }

  /** Returns records with the values `v<from>` to `v<to - 1>`, with five keys in rotation. */
  numbered(topic: string, from: number, to: number): ProducerRecord[] {
    return Array.from({ length: to - from }, (_, i) => ({
      topic,
      key: `k${(from + i) % 5}`,
      value: `v${from + i}`,
    }));
  }
}
