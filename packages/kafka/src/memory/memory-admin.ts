import { TopicRejectedError, UnknownTopicError } from '../errors.js';
import type { PartitionOffsetRange, TopicAdmin, TopicConfigChange, NewTopicSettings } from '../log.js';
import type { TopicPartition } from '../topic-partition.js';
import type { MemoryBroker } from './memory-broker.js';

/** In-memory fake of `TopicAdmin`, on the topics and groups of a `MemoryBroker`. */
export class MemoryAdmin implements TopicAdmin {
  constructor(private readonly broker: MemoryBroker) {}

  async create(topic: string, settings: NewTopicSettings): Promise<boolean> {
    this.broker.throwIfDown();
    if (this.broker.topics.has(topic)) return false;
    const metricName = topic.replaceAll('.', '_');
    const collides = [...this.broker.topics.keys()].some(
      (other) => other.replaceAll('.', '_') === metricName,
    );
    if (collides || topic.length > 249) throw new TopicRejectedError(topic, { reason: 'name' });
    this.broker.createTopic(topic, settings.partitions, settings.config ?? {});
    return true;
  }

  async configure(topic: string, config: TopicConfigChange): Promise<void> {
    this.broker.throwIfDown();
    const known = this.broker.topics.get(topic);
    if (!known) throw new UnknownTopicError(topic);
    known.configure(config);
  }

  async partitions(topic: string): Promise<number | undefined> {
    this.broker.throwIfDown();
    return this.broker.topics.get(topic)?.partitions.length;
  }

  async list(prefix: string): Promise<string[]> {
    this.broker.throwIfDown();
    return [...this.broker.topics.keys()].filter((topic) => topic.startsWith(prefix)).sort();
  }

  async remove(topic: string): Promise<void> {
    this.broker.throwIfDown();
    this.broker.removeTopic(topic);
  }

  async deleteRecords({ topic, partition }: TopicPartition, before: number): Promise<void> {
    this.broker.throwIfDown();
    const known = this.broker.topics.get(topic);
    if (!known) throw new UnknownTopicError(topic);
    known.truncate(partition, before);
  }

  async offsets(topic: string): Promise<PartitionOffsetRange[]> {
    this.broker.throwIfDown();
    const known = this.broker.topics.get(topic);
    if (!known) throw new UnknownTopicError(topic);
    return known.partitions.map((_, partition) => ({
      partition,
      beginning: known.beginning(partition),
      end: known.end(partition),
    }));
  }

  async offsetsIn(topics: readonly string[]): Promise<Map<string, PartitionOffsetRange[]>> {
    this.broker.throwIfDown();
    const known = topics.filter((topic) => this.broker.topics.has(topic));
    return new Map(
      await Promise.all(known.map(async (topic) => [topic, await this.offsets(topic)] as const)),
    );
  }

  async bytesIn(topics: readonly string[]): Promise<Map<string, number>> {
    this.broker.throwIfDown();
    const known = topics.flatMap((topic) => this.broker.topics.get(topic) ?? []);
    return new Map(known.map((topic) => [topic.name, topic.bytes]));
  }

  async offsetsAt(topic: string, timestamp: number): Promise<Map<number, number>> {
    this.broker.throwIfDown();
    const known = this.broker.topics.get(topic);
    if (!known) throw new UnknownTopicError(topic);
    return new Map(known.partitions.map((_, partition) => [partition, known.offsetAt(partition, timestamp)]));
  }

  async committed(group: string, topic: string): Promise<Map<number, number>> {
    this.broker.throwIfDown();
    return this.broker.group(group).committedOf(topic);
  }

  async committedIn(
    group: string,
    topics: ReadonlyMap<string, number>,
  ): Promise<Map<string, ReadonlyMap<number, number>>> {
    const answers = [...topics.keys()].map(
      async (topic) => [topic, await this.committed(group, topic)] as const,
    );
    const known = await Promise.all(answers);
    return new Map(known.filter(([, partitions]) => partitions.size > 0));
  }

  async removeGroup(group: string): Promise<boolean> {
    this.broker.throwIfDown();
    return this.broker.removeGroup(group);
  }

  async ping(): Promise<void> {
    this.broker.throwIfDown();
  }

  async close(): Promise<void> {}
}
