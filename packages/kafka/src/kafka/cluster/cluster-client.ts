import { setTimeout as sleep } from 'node:timers/promises';
import { Backoff, RequestBatcher } from '#async';
import { LogUnavailableError } from '../../errors.js';
import { withTimeout } from '../../timeouts.js';
import type { TopicPartition } from '../../topic-partition.js';
import type { KafkaLogOptions } from './kafka-log-options.js';
import { limitsOf, clientOptions, KafkajsClientSockets } from './connection.js';
import { isFatal, toLogError } from './kafka-errors.js';
import {
  ClusterClass,
  createKafkajsLogger,
  type KafkajsBroker,
  type KafkajsCluster,
  type ClusterMetadata,
  type PartitionMetadata,
} from '../kafkajs/internals.js';
import { noTopic } from '../kafkajs/target-topics.js';
import type { BrokerAddress, DepartedBrokerDisconnector } from './departed-broker-disconnector.js';

const firstWaitMs = 50;
const longestWaitMs = 1_000;
const readCommitted = 1;
/** Limit of topics in one metadata request of `partitionsOf`. */
const topicsAtOnce = 500;
/** Concurrent requests of `partitionsOf`, so that one that hangs does not delay the others. */
const requestsAtOnce = 4;
export const earliest = -2;
export const latest = -1;

/** Sends single requests to a Kafka cluster through internal classes of kafkajs. Reconnects by itself. */
export class ClusterClient {
  private readonly sockets: KafkajsClientSockets;
  private readonly cluster: KafkajsCluster;
  private readonly timeoutMs: number;
  private readonly lookUps = new RequestBatcher<string, PartitionMetadata[] | undefined>({
    most: topicsAtOnce,
    concurrent: requestsAtOnce,
    send: async (topics) => {
      const known = await this.metadata([...new Set(topics)]);
      return topics.map((topic) => known.get(topic));
    },
    // Kafka may reject one of the topics, for example because of a missing permission.
    isFaultOfOneItem: isFatal,
  });
  private closed = false;

  constructor(
    config: KafkaLogOptions,
    private readonly silentBrokers?: DepartedBrokerDisconnector,
  ) {
    this.sockets = new KafkajsClientSockets(silentBrokers);
    this.timeoutMs = limitsOf(config).operationTimeoutMs;
    const { logLevel, logCreator, ...options } = clientOptions(config, this.sockets);
    this.cluster = new ClusterClass({
      ...options,
      logger: createKafkajsLogger({ level: logLevel, logCreator }),
      allowAutoTopicCreation: false,
      isolationLevel: readCommitted,
      metadataMaxAge: Number.MAX_SAFE_INTEGER,
      maxInFlightRequests: null,
    });
  }

  /**
   * Retries the operation until it succeeds, fails with a fatal error, or `operationTimeoutMs` has passed.
   * @throws LogUnavailableError after `operationTimeoutMs`, or when the operation fails after the client was closed
   * @throws an error for which `isFatal` is true, at once
   */
  async retrying<T>(doing: string, operation: () => Promise<T>): Promise<T> {
    const deadline = Date.now() + this.timeoutMs;
    const backoff = new Backoff(firstWaitMs, longestWaitMs);
    for (;;) {
      try {
        return await withTimeout(deadline - Date.now(), operation());
      } catch (error) {
        const wait = backoff.next();
        if (isFatal(error) || this.closed || Date.now() + wait >= deadline) throw toLogError(error, doing);
        await sleep(wait);
      }
    }
  }

  /** Returns the partitions of the given topics, or of all topics if none is given. Omits topics that do not exist. */
  async metadata(topics: readonly string[]): Promise<Map<string, PartitionMetadata[]>> {
    const { topicMetadata } = await this.ask(topics);
    return new Map(topicMetadata.map(({ topic, partitionMetadata }) => [topic, partitionMetadata]));
  }

  /** Returns the partitions of a topic; undefined if it does not exist. Concurrent calls share a request to Kafka. */
  partitionsOf(topic: string): Promise<PartitionMetadata[] | undefined> {
    return this.lookUps.ask(topic);
  }

  private async ask(topics: readonly string[]): Promise<ClusterMetadata> {
    const answer = await (await this.anyBroker()).metadata([...topics]);
    this.silentBrokers?.seen(answer.brokers.map(addressOf));
    const { brokerPool } = this.cluster;
    const known = ({ nodeId, host, port }: ClusterMetadata['brokers'][number]): boolean => {
      const pool = brokerPool.brokers[nodeId]?.connectionPool;
      return pool?.host === host && pool.port === port;
    };
    if (!answer.brokers.every(known)) await brokerPool.refreshMetadata([noTopic]);
    return answer;
  }

  /** Returns the addresses of the current brokers of the cluster. */
  async brokers(): Promise<BrokerAddress[]> {
    return (await (await this.anyBroker()).metadata([noTopic])).brokers.map(addressOf);
  }

  async anyBroker(): Promise<KafkajsBroker> {
    if (this.closed) throw new LogUnavailableError('the client is closed');
    const { brokerPool } = this.cluster;
    // The first broker may be the only one that does not answer.
    if (Object.keys(brokerPool.brokers).length === 0) await this.cluster.connect();
    return brokerPool.findConnectedBroker();
  }

  /** Connects to the broker with a node id that `metadata` of this or another client has returned. */
  async broker(nodeId: number): Promise<KafkajsBroker> {
    if (!this.cluster.brokerPool.brokers[nodeId]) await this.ask([noTopic]);
    return this.cluster.brokerPool.findBroker({ nodeId });
  }

  async controller(): Promise<KafkajsBroker> {
    return this.broker((await this.ask([noTopic])).controllerId);
  }

  async coordinator(groupId: string): Promise<KafkajsBroker> {
    await this.ask([noTopic]);
    const broker = await this.anyBroker();
    const { coordinator } = await broker.findGroupCoordinator({ groupId, coordinatorType: 0 });
    return this.broker(coordinator.nodeId);
  }

  /** Returns the first offset from a time (ms since 1970, `earliest` or `latest`) on; -1 if there is none. */
  async offsetAt(
    { topic, partition, leader }: TopicPartition & { leader: number },
    timestamp: number,
  ): Promise<number> {
    const broker = await this.broker(leader);
    const { responses } = await broker.listOffsets({
      replicaId: -1,
      isolationLevel: readCommitted,
      topics: [{ topic, partitions: [{ partition, timestamp }] }],
    });
    return Number(responses[0]?.partitions[0]?.offset ?? -1);
  }

  async close(): Promise<void> {
    this.closed = true;
    this.sockets.destroy();
    await this.cluster.disconnect().catch(() => undefined);
    this.sockets.destroy();
  }
}

function addressOf({ host, port }: ClusterMetadata['brokers'][number]): BrokerAddress {
  return `${host}:${port}`;
}
