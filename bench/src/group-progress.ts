import { setTimeout as sleep } from 'node:timers/promises';
import { Kafka, logLevel, type Admin } from 'kafkajs';

const everyMs = 50;
const limitMs = 300_000;

/**
 * Polls Kafka for the number of records of one topic that a consumer group has committed, as the sum over its
 * partitions.
 */
export class GroupProgressPoller {
  private constructor(
    private readonly admin: Admin,
    private readonly where: { group: string; topic: string },
    /** Number of records in the topic when it was opened: the sum of the end offsets of its partitions. */
    readonly end: number,
  ) {}

  /** Returns the existing groups. */
  static async groups(brokers: string): Promise<string[]> {
    const admin = new Kafka({ brokers: brokers.split(','), logLevel: logLevel.NOTHING }).admin();
    await admin.connect();
    const { groups } = await admin.listGroups().finally(() => admin.disconnect());
    return groups.map(({ groupId }) => groupId);
  }

  static async open(options: {
    brokers: string;
    group: string;
    topic: string;
  }): Promise<GroupProgressPoller> {
    const kafka = new Kafka({ brokers: options.brokers.split(','), logLevel: logLevel.NOTHING });
    const admin = kafka.admin();
    await admin.connect();
    const offsets = await admin.fetchTopicOffsets(options.topic);
    const end = offsets.reduce((sum, { offset }) => sum + Number(offset), 0);
    return new GroupProgressPoller(admin, options, end);
  }

  /**
   * Resolves when more than this number of records are committed, with the number and the time when it was observed.
   */
  async past(count: number): Promise<{ committed: number; at: number }> {
    const deadline = performance.now() + limitMs;
    while (performance.now() < deadline) {
      const committed = await this.committed();
      if (committed > count) return { committed, at: performance.now() };
      await sleep(everyMs);
    }
    throw new Error(`the group did not get past ${count} of ${this.end} within ${limitMs / 1000} s`);
  }

  async committed(): Promise<number> {
    const [found] = await this.admin.fetchOffsets({ groupId: this.where.group, topics: [this.where.topic] });
    return (found?.partitions ?? []).reduce((sum, { offset }) => sum + Math.max(0, Number(offset)), 0);
  }

  close(): Promise<void> {
    return this.admin.disconnect();
  }
}
