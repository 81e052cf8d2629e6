import { setTimeout as sleep } from 'node:timers/promises';
import { Kafka, logLevel, ConfigResourceTypes, type Admin } from 'kafkajs';
import type { Stack } from '#testkit';

/** All topics of the system, past our own code. */
export function topicsOf(system: Stack): Promise<string[]> {
  return withAdmin(system, async (admin) => {
    const topics = await admin.listTopics();
    return topics.filter((topic) => topic.startsWith(system.prefix));
  });
}

/** Makes a topic with one partition that does not belong to the system. */
export function makeTopic(system: Stack, topic: string): Promise<void> {
  return withAdmin(system, async (admin) => {
    await admin.createTopics({ topics: [{ topic, numPartitions: 1 }], waitForLeaders: true });
  });
}

/** Deletes a topic, past our own code, and resolves when it is gone. Nobody may make it again meanwhile. */
export function removeTopic(system: Stack, topic: string): Promise<void> {
  return withAdmin(system, async (admin) => {
    await admin.deleteTopics({ topics: [topic] });
    while ((await admin.listTopics()).includes(topic)) await sleep(50);
  });
}

/** A setting of a topic. */
export function topicSetting(system: Stack, topic: string, name: string): Promise<string | undefined> {
  return withAdmin(system, async (admin) => {
    const { resources } = await admin.describeConfigs({
      includeSynonyms: false,
      resources: [{ type: ConfigResourceTypes.TOPIC, name: topic, configNames: [name] }],
    });
    return resources[0]?.configEntries[0]?.configValue;
  });
}

/** Makes the materializer begin at the beginning of the log. It must not run. */
export function forgetProgress(system: Stack): Promise<void> {
  return withAdmin(system, async (admin) => {
    await admin.deleteGroups([system.topics.materializerGroup]);
  });
}

/** Takes such a part of what each partition has, the oldest records first, as retention does. */
export function expireRecords(system: Stack, topic: string, part: number): Promise<void> {
  return withAdmin(system, async (admin) => {
    const offsets = await admin.fetchTopicOffsets(topic);
    const partitions = offsets.map(({ partition, low, high }) => ({
      partition,
      offset: String(Number(low) + Math.ceil((Number(high) - Number(low)) * part)),
    }));
    await admin.deleteTopicRecords({ topic, partitions });
  });
}

async function withAdmin<T>({ brokers }: Stack, use: (admin: Admin) => Promise<T>): Promise<T> {
  const kafka = new Kafka({ clientId: 'test', brokers: brokers.split(','), logLevel: logLevel.NOTHING });
  const admin = kafka.admin();
  await admin.connect();
  try {
    return await use(admin);
  } finally {
    await admin.disconnect();
  }
}

/** How many replicas of the cluster's partitions are not in sync, or have no leader to follow. */
export function replicasBehind(system: Stack): Promise<number> {
  return withAdmin(system, async (admin) => {
    const { topics } = await admin.fetchTopicMetadata();
    const partitions = topics.flatMap((topic) => topic.partitions);
    return partitions.filter(({ isr, replicas, leader }) => leader < 0 || isr.length < replicas.length)
      .length;
  });
}
