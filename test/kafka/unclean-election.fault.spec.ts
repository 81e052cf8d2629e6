import { createRequire } from 'node:module';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openKafkaLog, type Log } from '#kafka';
import { KafkaCluster, until } from '#testkit';
import { RecordingConsumer } from '../../packages/kafka/src/contract/recording-consumer.js';

interface TopicAdmin {
  connect(): Promise<void>;
  disconnect(): Promise<void>;
  createTopics(options: object): Promise<boolean>;
  fetchTopicMetadata(options: { topics: string[] }): Promise<{
    topics: { partitions: { leader: number; isr: number[] }[] }[];
  }>;
}

const { Kafka } = createRequire(import.meta.url)('kafkajs') as {
  Kafka: new (config: object) => { admin(): TopicAdmin };
};

const topic = 'unclean';
const group = 'readers';

describe('given three brokers, and a topic of two replicas that elects a leader although it is not in sync', () => {
  let cluster: KafkaCluster;
  let log: Log;
  let admin: TopicAdmin;

  beforeAll(async () => {
    cluster = await KafkaCluster.start();
    const brokers = cluster.brokers.split(',');
    const bounds = { requestTimeoutMs: 3_000, sessionTimeoutMs: 10_000, heartbeatMs: 500 };
    log = openKafkaLog({ brokers, clientId: 'unclean', replicationFactor: 3, bounds });
    admin = new Kafka({ brokers, clientId: 'admin', logLevel: 0, retry: { retries: 20 } }).admin();
    await admin.connect();
    // The third broker is in the quorum only, so that any of the two replicas may be down.
    const replicas = cluster.nodes.slice(0, 2).map(({ id }) => id);
    await admin.createTopics({
      topics: [
        {
          topic,
          replicaAssignment: [{ partition: 0, replicas }],
          configEntries: [
            { name: 'min.insync.replicas', value: '1' },
            { name: 'unclean.leader.election.enable', value: 'true' },
          ],
        },
      ],
    });
  });
  afterAll(async () => {
    await admin?.disconnect();
    await log?.close();
    await cluster?.stop();
  });

  const partition = async () =>
    (await admin.fetchTopicMetadata({ topics: [topic] })).topics[0]!.partitions[0]!;
  const bothInSync = () => until(async () => (await partition()).isr.length === 2, { what: 'both in sync' });

  async function append(prefix: string, count: number): Promise<void> {
    const producer = await log.producer();
    const records = Array.from({ length: count }, (_, i) => ({ topic, key: 'k', value: `${prefix}${i}` }));
    await until(
      () =>
        producer.append(records).then(
          () => true,
          () => false,
        ),
      { what: `the records ${prefix}` },
    );
    await producer.close();
  }

  it('when leaders change, tells a consumer of the records that a leader does not have, and of nothing before', async () => {
    const [first, second] = cluster.nodes as [KafkaCluster['nodes'][number], KafkaCluster['nodes'][number]];
    const reader = new RecordingConsumer(log, group, {
      // The coordinator of the group may be on the killed broker.
      onBatch: ({ next }, consumer) =>
        until(() => consumer.commit(topic, 0, next).catch(() => false), { what: 'the commit' }),
    });
    const have = (value: string) => until(() => reader.values().includes(value), { what: value });
    await bothInSync();
    await append('a', 10);
    await reader.consumer.subscribe([topic]);
    await have('a9');
    // Each replica leads once, and has all records.
    for (const node of [first, second]) {
      await cluster.kill(node);
      await append(`without-${node.id}-`, 5);
      await have(`without-${node.id}-4`);
      if (node === second) break;
      await cluster.startNode(node);
      await bothInSync();
    }
    expect(reader.assignments).toHaveLength(1);
    const kept = reader.values().findIndex((value) => value.startsWith(`without-${second.id}`));
    const isCommitted = async () => (await log.admin.committed(group, topic)).get(0) === 20;
    await until(isCommitted, { what: 'the committed offset' });
    // The second replica does not have what was written without it, and leads alone.
    await cluster.kill(first);
    await cluster.startNode(second);
    await until(async () => (await partition().catch(() => ({ leader: -1 }))).leader === second.id, {
      what: 'the unclean election',
    });
    await append('later', 10);
    await have('later9');
    expect(kept).toBe(15);
    expect(reader.assignments.slice(1)).toMatchObject([{ position: 15, lost: { from: 15, until: 20 } }]);
    expect(reader.values().filter((value) => value.startsWith('later'))).toHaveLength(10);
    expect(reader.crashes).toEqual([]);
    await reader.consumer.close();
  });
});
