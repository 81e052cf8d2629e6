import { setTimeout as sleep } from 'node:timers/promises';
import { RequestBatcher } from '#async';
import { LogUnavailableError, UnknownTopicError } from '../../errors.js';
import type { PartitionOffsetRange, TopicAdmin, TopicConfigChange, NewTopicSettings } from '../../log.js';
import { alterTopicConfig } from './alter-config.js';
import { latest, type ClusterClient } from '../cluster/cluster-client.js';
import { isFatal, isProtocolError, toLogError, toTopicRejectedError } from '../cluster/kafka-errors.js';
import type { KafkajsBroker, PartitionMetadata } from '../kafkajs/internals.js';
import type { TopicPartition } from '../../topic-partition.js';
import { topicBytes } from './topic-bytes.js';
import { TopicCreator } from './topic-creator.js';
import { topicOffsets, type PartitionsByTopic } from './topic-offsets.js';

const leaderWaitMs = 50;
const requestTimeoutMs = 10_000;
/** Limit of topics in one metadata request. */
const topicsAtOnce = 500;
/** Concurrent look-ups of new topics, so that a broker that hangs does not delay the topics of others. */
const requestsAtOnce = 4;

/** `TopicAdmin` on Kafka: topics, offsets and consumer groups, with retries until the operation's time-out. */
export class KafkaAdmin implements TopicAdmin {
  private readonly coordinators = new Map<string, Promise<KafkajsBroker>>();
  private readonly creator: TopicCreator;
  private readonly ledTopics = new RequestBatcher<string, boolean>({
    most: topicsAtOnce,
    concurrent: requestsAtOnce,
    send: (topics) => this.areLed(topics),
    isFaultOfOneItem: isFatal,
  });

  constructor(
    private readonly client: ClusterClient,
    replicationFactor: number,
  ) {
    this.creator = new TopicCreator(client, replicationFactor, (topics) => this.areLed(topics));
  }

  async create(topic: string, settings: NewTopicSettings): Promise<boolean> {
    const { created, isLed } = await this.client.retrying('creating a topic', () =>
      this.creator.create({ topic, ...settings }),
    );
    if (!isLed) await this.untilLed(topic);
    return created;
  }

  async configure(topic: string, config: TopicConfigChange): Promise<void> {
    await this.client.retrying('changing topic settings', async () => {
      const controller = await this.client.controller();
      try {
        await alterTopicConfig(controller, topic, config);
      } catch (error) {
        if (isProtocolError(error, 'UNKNOWN_TOPIC_OR_PARTITION')) throw new UnknownTopicError(topic);
        throw toTopicRejectedError(topic, error) ?? error;
      }
    });
  }

  /** Waits for the partition leaders of a new topic, which name themselves a moment before they have the partitions. */
  private untilLed(topic: string): Promise<void> {
    return this.client.retrying('waiting for the leaders of a new topic', async () => {
      if (await this.ledTopics.ask(topic)) return;
      await sleep(leaderWaitMs);
      throw new LogUnavailableError('a partition of the new topic has no leader yet');
    });
  }

  /** Returns for each topic whether the leaders of all its partitions answer for them. */
  private async areLed(topics: readonly string[]): Promise<boolean[]> {
    const known = await this.client.metadata([...new Set(topics)]);
    const answered = await topicOffsets(this.client, known, (error) => {
      if (isFatal(error)) throw error;
    });
    return topics.map((topic) => {
      const count = known.get(topic)?.length ?? 0;
      return count > 0 && answered.get(topic)?.length === count;
    });
  }

  async partitions(topic: string): Promise<number | undefined> {
    const known = await this.client.retrying('looking up a topic', () => this.client.partitionsOf(topic));
    return known?.length;
  }

  async list(prefix: string): Promise<string[]> {
    const known = await this.client.retrying('listing topics', () => this.client.metadata([]));
    return [...known.keys()].filter((topic) => topic.startsWith(prefix)).sort();
  }

  async remove(topic: string): Promise<void> {
    await this.client.retrying('removing a topic', async () => {
      const controller = await this.client.controller();
      try {
        await controller.deleteTopics({ topics: [topic], timeout: requestTimeoutMs });
      } catch (error) {
        if (!isProtocolError(error, 'UNKNOWN_TOPIC_OR_PARTITION')) throw error;
      }
    });
  }

  async deleteRecords({ topic, partition }: TopicPartition, before: number): Promise<void> {
    const isKnown = await this.client.retrying('deleting records', async () => {
      const found = (await this.client.metadata([topic])).get(topic);
      const leader = found?.find(({ partitionId }) => partitionId === partition)?.leader;
      if (leader === undefined) return false;
      const broker = await this.client.broker(leader);
      const partitions = [{ partition, offset: String(before) }];
      await broker.deleteRecords({ topics: [{ topic, partitions }] });
      return true;
    });
    if (!isKnown) throw new UnknownTopicError(topic);
  }

  async offsets(topic: string): Promise<PartitionOffsetRange[]> {
    const offsets = await this.client.retrying('looking up offsets', async () => {
      const partitions = (await this.client.metadata([topic])).get(topic);
      if (!partitions) return undefined;
      const found = (await topicOffsets(this.client, new Map([[topic, partitions]]))).get(topic) ?? [];
      if (found.length === partitions.length) return found;
      throw new LogUnavailableError('a partition has no leader at the moment');
    });
    if (!offsets) throw new UnknownTopicError(topic);
    return offsets;
  }

  offsetsIn(topics: readonly string[]): Promise<Map<string, PartitionOffsetRange[]>> {
    return this.inGroups(topics, 'looking up offsets', topicOffsets);
  }

  bytesIn(topics: readonly string[]): Promise<Map<string, number>> {
    return this.inGroups(topics, 'looking up sizes', topicBytes);
  }

  /** Looks up something of many topics, at most `topicsAtOnce` at a time. */
  private async inGroups<T>(
    topics: readonly string[],
    doing: string,
    lookUp: (client: ClusterClient, partitions: PartitionsByTopic) => Promise<Map<string, T>>,
  ): Promise<Map<string, T>> {
    const { client } = this;
    const found = new Map<string, T>();
    for (let start = 0; start < topics.length; start += topicsAtOnce) {
      const some = topics.slice(start, start + topicsAtOnce);
      const part = await client.retrying(doing, async () => lookUp(client, await client.metadata(some)));
      for (const [topic, one] of part) found.set(topic, one);
    }
    return found;
  }

  async offsetsAt(topic: string, timestamp: number): Promise<Map<number, number>> {
    const offsets = await this.client.retrying('looking up offsets by time', async () => {
      const partitions = (await this.client.metadata([topic])).get(topic);
      const at = async ({ partitionId: partition, leader }: PartitionMetadata) => {
        const found = await this.client.offsetAt({ topic, partition, leader }, timestamp);
        if (found >= 0) return [partition, found] as const;
        return [partition, await this.client.offsetAt({ topic, partition, leader }, latest)] as const;
      };
      return partitions && Promise.all(partitions.map(at));
    });
    if (!offsets) throw new UnknownTopicError(topic);
    return new Map(offsets);
  }

  async committed(group: string, topic: string): Promise<Map<number, number>> {
    const known = await this.client.retrying('looking up committed offsets', async () => {
      const partitions = (await this.client.metadata([topic])).get(topic) ?? [];
      return this.fetchCommitted(group, new Map([[topic, partitions.length]]));
    });
    return known.get(topic) ?? new Map<number, number>();
  }

  committedIn(
    group: string,
    topics: ReadonlyMap<string, number>,
  ): Promise<Map<string, ReadonlyMap<number, number>>> {
    return this.client.retrying('looking up committed offsets', () => this.fetchCommitted(group, topics));
  }

  private async fetchCommitted(
    group: string,
    asked: ReadonlyMap<string, number>,
  ): Promise<Map<string, Map<number, number>>> {
    const all = [...asked].map(([topic, count]) => {
      return { topic, partitions: Array.from({ length: count }, (_, partition) => ({ partition })) };
    });
    const topics = all.filter(({ partitions }) => partitions.length > 0);
    if (topics.length === 0) return new Map();
    const coordinator = await this.coordinator(group);
    try {
      const { responses } = await coordinator.offsetFetch({ groupId: group, topics });
      const found = responses.map(({ topic, partitions }) => [topic, committedOf(partitions)] as const);
      return new Map(found.filter(([, partitions]) => partitions.size > 0));
    } catch (error) {
      this.coordinators.delete(group);
      throw error;
    }
  }

  removeGroup(group: string): Promise<boolean> {
    return this.client.retrying('removing a group', async () => {
      const coordinator = await this.coordinator(group);
      this.coordinators.delete(group);
      const error = (await coordinator.deleteGroups([group])).results[0]?.error;
      if (isProtocolError(error, 'NON_EMPTY_GROUP')) return false;
      if (error && !isProtocolError(error, 'GROUP_ID_NOT_FOUND')) throw error;
      return true;
    });
  }

  private coordinator(group: string): Promise<KafkajsBroker> {
    const known = this.coordinators.get(group);
    if (known) return known;
    const finding = this.client.coordinator(group);
    this.coordinators.set(group, finding);
    finding.catch(() => this.coordinators.delete(group));
    return finding;
  }

  async ping(): Promise<void> {
    try {
      await (await this.client.anyBroker()).apiVersions();
    } catch (error) {
      throw toLogError(error, 'pinging Kafka');
    }
  }

  close(): Promise<void> {
    return this.client.close();
  }
}

function committedOf(partitions: readonly { partition: number; offset: string }[]): Map<number, number> {
  const known = partitions.map(({ partition, offset }) => [partition, Number(offset)] as const);
  return new Map(known.filter(([, offset]) => offset >= 0));
}
