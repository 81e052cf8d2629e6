import { LogUnavailableError, RecordTooLargeError, UnknownTopicError } from '../errors.js';
import { partitionOf } from '../kafka/produce/murmur2.js';
import type { ProducerRecord, RecordPosition } from '../log.js';
import { MemoryConsumerGroup } from './memory-consumer-group.js';
import { MemoryTopic } from './memory-topic.js';

/** In-memory broker of a `MemoryLog`: topics and consumer groups. */
export class MemoryBroker {
  readonly topics = new Map<string, MemoryTopic>();
  down = false;
  private readonly groups = new Map<string, MemoryConsumerGroup>();

  constructor(private readonly now: () => number) {}

  /** @throws LogUnavailableError while `down` is true */
  throwIfDown(): void {
    if (this.down) throw new LogUnavailableError('the log is down');
  }

  createTopic(topic: string, partitions: number, config: Record<string, string>): void {
    this.topics.set(topic, new MemoryTopic(topic, partitions, config));
    for (const group of this.groups.values()) group.rebalance();
  }

  removeTopic(topic: string): void {
    this.topics.delete(topic);
    for (const group of this.groups.values()) {
      group.forget(topic);
      group.rebalance();
    }
  }

  group(name: string): MemoryConsumerGroup {
    const known = this.groups.get(name) ?? new MemoryConsumerGroup(this.topics);
    this.groups.set(name, known);
    return known;
  }

  /** Removes the group; returns false while the group has members. */
  removeGroup(name: string): boolean {
    const isEmpty = this.groups.get(name)?.isEmpty ?? true;
    if (isEmpty) this.groups.delete(name);
    return isEmpty;
  }

  write(records: readonly ProducerRecord[]): RecordPosition[] {
    this.throwIfDown();
    const timestamp = this.now();
    const topics = records.map(({ topic }) => this.topics.get(topic) ?? new UnknownTopicError(topic));
    const unknown = topics.find((topic) => topic instanceof UnknownTopicError);
    if (unknown) throw unknown;
    const sizes = records.map(({ key, value }) => Buffer.byteLength(key) + Buffer.byteLength(value ?? ''));
    if (sizes.some((size, index) => size > (topics[index] as MemoryTopic).maxMessageBytes))
      throw new RecordTooLargeError('A record is larger than its topic accepts');
    const positions = records.map((record, index) => {
      const topic = topics[index] as MemoryTopic;
      const partition = record.partition ?? partitionOf(record.key, topic.partitions.length);
      return topic.append(record, partition, timestamp);
    });
    for (const topic of new Set(topics as MemoryTopic[])) topic.notify();
    return positions;
  }
}
