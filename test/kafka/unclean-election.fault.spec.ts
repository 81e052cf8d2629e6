// Before kafkajs, whose internals it replaces.
import { openKafkaLog, type Log } from '#kafka';
import { Kafka, logLevel, type Admin } from 'kafkajs';
import { afterAll, beforeAll, describe } from 'vitest';
import { KafkaCluster, testsAll, until } from '#testkit';
import { describeLostEnds } from '../../packages/kafka/src/contract/lost-ends.js';

describe.runIf(testsAll)('given three brokers, two of which have each record', () => {
  let cluster: KafkaCluster;
  let log: Log;
  let admin: Admin;

  beforeAll(async () => {
    cluster = await KafkaCluster.start({
      'min.insync.replicas': 1,
      'unclean.leader.election.enable': 'true',
    });
    const brokers = cluster.brokers.split(',');
    log = openKafkaLog({
      ...{ brokers, clientId: 'unclean', replicationFactor: 2 },
      bounds: {
        ...{ requestTimeoutMs: 2_000, operationTimeoutMs: 60_000 },
        ...{ sessionTimeoutMs: 6_000, heartbeatMs: 500 },
      },
    });
    admin = new Kafka({ clientId: 'test', brokers, logLevel: logLevel.NOTHING }).admin();
    await admin.connect();
  });

  afterAll(async () => {
    await admin?.disconnect();
    await log?.close();
    await cluster?.stop();
  });

  /** Resolves with the leader of the topic's partition and its in-sync replicas when they are as expected. */
  async function replicasOf(topic: string, isExpected: (leader: number, isr: readonly number[]) => boolean) {
    let found = { leader: -1, isr: [] as number[], replicas: [] as number[] };
    const asExpected = async () => {
      const metadata = await admin.fetchTopicMetadata({ topics: [topic] }).catch(() => undefined);
      const partition = metadata?.topics[0]?.partitions[0];
      if (partition) found = partition;
      return isExpected(found.leader, found.isr);
    };
    await until(asExpected, { what: `the replicas of ${topic}`, progress: () => JSON.stringify(found) });
    return found;
  }
  const nodeOf = (id: number) => cluster.nodes.find((node) => node.id === id)!;
  const startAll = () =>
    Promise.all(cluster.nodes.filter(({ running }) => !running).map((node) => cluster.startNode(node)));

  describeLostEnds('a partition whose replica that is behind becomes the leader, so that it', () => ({
    log,
    // From now on, only the leader gets the records.
    keep: async (topic) => {
      await startAll();
      const { leader, replicas } = await replicasOf(topic, (id, isr) => id >= 0 && isr.length === 2);
      const follower = replicas.find((id) => id !== leader)!;
      await cluster.kill(nodeOf(follower));
      await replicasOf(topic, (_, isr) => isr.length === 1);
    },
    keepCommits: async () => undefined,
    lose: async (topic) => {
      const { leader, replicas } = await replicasOf(topic, (id) => id >= 0);
      const follower = replicas.find((id) => id !== leader)!;
      await cluster.kill(nodeOf(leader));
      await cluster.startNode(nodeOf(follower));
      await replicasOf(topic, (id) => id === follower);
      await startAll();
      await replicasOf(topic, (_, isr) => isr.length === 2);
    },
  }));
});
