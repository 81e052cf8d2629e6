import { setTimeout as sleep } from 'node:timers/promises';
import kafkajs, { Kafka, logLevel, type Admin } from 'kafkajs';
import type { TestSystem } from '#testkit';

/** Returns all topics of the system, without the code of `#kafka`. */
export function topicsOf(system: TestSystem): Promise<string[]> {
  return withAdmin(system, async (admin) => {
    const topics = await admin.listTopics();
    return topics.filter((topic) => topic.startsWith(system.prefix));
  });
}

/** Creates a topic with one partition that does not belong to the system. */
export function makeTopic(system: TestSystem, topic: string): Promise<void> {
  return withAdmin(system, async (admin) => {
    await admin.createTopics({ topics: [{ topic, numPartitions: 1 }], waitForLeaders: true });
  });
}

/**
 * Deletes a topic, without the code of `#kafka`, and resolves when it no longer exists. No process may create it again
 * meanwhile.
 */
export function removeTopic(system: TestSystem, topic: string): Promise<void> {
  return withAdmin(system, async (admin) => {
    await admin.deleteTopics({ topics: [topic] });
    while ((await admin.listTopics()).includes(topic)) await sleep(50);
  });
}

/** Returns a setting of a topic. */
export function topicSetting(system: TestSystem, topic: string, name: string): Promise<string | undefined> {
  return withAdmin(system, async (admin) => {
    const { resources } = await admin.describeConfigs({
      includeSynonyms: false,
      resources: [{ type: kafkajs.ConfigResourceTypes.TOPIC, name: topic, configNames: [name] }],
    });
    return resources[0]?.configEntries[0]?.configValue;
  });
}

/**
 * Resets the committed offsets of the materializer, so that it starts at the beginning of the log. The materializer
 * must not run.
 */
export function forgetProgress(system: TestSystem): Promise<void> {
  return withAdmin(system, async (admin) => {
    await admin.deleteGroups([system.topics.materializerGroup]);
  });
}

/** Returns the node id of the broker that coordinates a consumer group, which need not exist. */
export function coordinatorOf(system: TestSystem, group: string): Promise<number> {
  return withAdmin(system, async (admin) => {
    const { topics } = await admin.fetchTopicMetadata({ topics: ['__consumer_offsets'] });
    const partitions = topics[0]?.partitions ?? [];
    // Kafka chooses the partition by Java's hash code of the group's name.
    let hash = 0;
    for (const character of group) hash = (Math.imul(31, hash) + character.charCodeAt(0)) | 0;
    const chosen = (hash & 0x7fffffff) % partitions.length;
    return partitions.find(({ partitionId }) => partitionId === chosen)?.leader ?? -1;
  });
}

/** Removes this fraction of each partition's records, the oldest first, like retention. */
export function expireRecords(system: TestSystem, topic: string, part: number): Promise<void> {
  return withAdmin(system, async (admin) => {
    const offsets = await admin.fetchTopicOffsets(topic);
    const partitions = offsets.map(({ partition, low, high }) => ({
      partition,
      offset: String(Number(low) + Math.ceil((Number(high) - Number(low)) * part)),
    }));
    await admin.deleteTopicRecords({ topic, partitions });
  });
}

async function withAdmin<T>({ brokers }: TestSystem, use: (admin: Admin) => Promise<T>): Promise<T> {
  const kafka = new Kafka({ clientId: 'test', brokers: brokers.split(','), logLevel: logLevel.NOTHING });
  const admin = kafka.admin();
  await admin.connect();
  try {
    return await use(admin);
  } finally {
    await admin.disconnect();
  }
}

/** Returns the number of replicas that are not in sync or have no leader. */
export function replicasBehind(system: TestSystem): Promise<number> {
  return withAdmin(system, async (admin) => {
    const { topics } = await admin.fetchTopicMetadata();
    const partitions = topics.flatMap((topic) => topic.partitions);
    return partitions.filter(({ isr, replicas, leader }) => leader < 0 || isr.length < replicas.length)
      .length;
  });
}
