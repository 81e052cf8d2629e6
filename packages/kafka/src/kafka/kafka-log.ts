import type {
  Consumer,
  ConsumerOptions,
  Log,
  Producer,
  GlobalTableReader,
  GlobalTableReaderHandler,
} from '../log.js';
import { ClusterClient } from './cluster-client.js';
import { codecOf } from './compression/codecs.js';
import type { KafkaLogLimits, KafkaLogOptions } from './kafka-log-options.js';
import { limitsOf, clientIdOf, clientOptions, producerRetry, KafkajsClientSockets } from './connection.js';
import { fetchOutage, type FetchOutageTracker } from './consume/fetch-outage-tracker.js';
import { KafkaConsumer } from './consume/kafka-consumer.js';
import { KafkaGlobalTableReader } from './consume/kafka-global-table-reader.js';
import { KafkaAdmin } from './kafka-admin.js';
import { kafkajs } from './kafkajs/internals.js';
import { silentLogger, type KafkaLogger } from './logger.js';
import { KafkaProducer } from './produce/kafka-producer.js';
import { ProducerShard, type KafkajsProducer } from './produce/producer-shard.js';
import { TopicMetadataCache } from './produce/topic-metadata-cache.js';
import { DepartedBrokerDisconnector, type BrokerAddress } from './departed-broker-disconnector.js';

/** Returns the log of a Kafka cluster. The log connects at the first call, so Kafka may still be down. */
export function openKafkaLog(config: KafkaLogOptions): Log {
  return new KafkaLog(config);
}

/** Replication factor of new topics: the setting `default.replication.factor` of the broker. */
const brokerDefault = -1;

class KafkaLog implements Log {
  readonly admin: KafkaAdmin;
  private readonly silentBrokers: DepartedBrokerDisconnector;
  private readonly logger: KafkaLogger;
  private readonly outage: FetchOutageTracker;
  private readonly closing = new Set<{ close(): Promise<void> }>();

  constructor(private readonly config: KafkaLogOptions) {
    this.silentBrokers = new DepartedBrokerDisconnector({
      ask: (brokers) => firstAnswer(config, brokers),
      everyMs: 1_000,
    });
    this.logger = config.logger ?? silentLogger;
    this.outage = fetchOutage(this.logger);
    this.admin = new KafkaAdmin(this.client(), config.replicationFactor ?? brokerDefault);
  }

  async producer(): Promise<Producer> {
    const bounds = limitsOf(this.config);
    const catalog = new TopicMetadataCache(this.client());
    const lane = (): ProducerShard =>
      new ProducerShard({
        ...bounds,
        codec: codecOf(this.config.compression ?? 'none'),
        createProducer: () => createProducer(this.config, this.silentBrokers),
        partitionCount: (topic) => catalog.get(topic) ?? -1,
        forgetTopic: (topic) => catalog.forget(topic),
        topicExists: (topic) => catalog.exists(topic),
      });
    const lanes = Array.from({ length: bounds.producerShards }, lane);
    const { bytesInFlight, operationTimeoutMs } = bounds;
    return this.keep(new KafkaProducer({ lanes, catalog, bytesInFlight, operationTimeoutMs }));
  }

  consumer(options: ConsumerOptions): Consumer {
    const { config } = this;
    const ownClientId = config.instance === undefined ? undefined : clientIdOf(config);
    const joining = new ClusterClient(config);
    const fetching = this.client();
    // Pipelines start and stop at run time, so a closed consumer must not remain in `closing`.
    const closed = (): unknown => this.closing.delete(consumer);
    const parts = this.parts();
    const bounds = { ...parts.bounds, fetchCollectMs: options.collectMs ?? parts.bounds.fetchCollectMs };
    const consumer = new KafkaConsumer(options, { ...parts, bounds, fetching, joining, ownClientId, closed });
    return this.keep(consumer);
  }

  tableReader(topic: string, handler: GlobalTableReaderHandler): GlobalTableReader {
    return this.keep(new KafkaGlobalTableReader({ ...this.parts(), topic, handler }));
  }

  /**
   * Returns the dependencies of a consumer or a table reader. Each consumer and each table reader has its own
   * connections, because a broker answers the requests of one connection one after the other.
   */
  private parts(): {
    client: ClusterClient;
    bounds: KafkaLogLimits;
    logger: KafkaLogger;
    outage: FetchOutageTracker;
  } {
    const { config, logger, outage } = this;
    return { client: this.client(), bounds: limitsOf(config), logger, outage };
  }

  private client(): ClusterClient {
    return new ClusterClient(this.config, this.silentBrokers);
  }

  async close(): Promise<void> {
    await Promise.all([...this.closing].map((part) => part.close()));
    await this.admin.close();
  }

  private keep<T extends { close(): Promise<void> }>(part: T): T {
    this.closing.add(part);
    return part;
  }
}

/**
 * Returns the current brokers of the cluster, from the first of the given brokers that responds. Opens new connections,
 * because all existing ones may wait for a hung broker.
 * @throws AggregateError if no broker responds
 */
async function firstAnswer(
  config: KafkaLogOptions,
  brokers: readonly BrokerAddress[],
): Promise<BrokerAddress[]> {
  const clients = brokers.map((broker) => new ClusterClient({ ...config, brokers: [broker] }));
  try {
    return await Promise.any(clients.map((client) => client.brokers()));
  } finally {
    for (const client of clients) void client.close();
  }
}

function createProducer(config: KafkaLogOptions, silentBrokers: DepartedBrokerDisconnector): KafkajsProducer {
  const sockets = new KafkajsClientSockets(silentBrokers);
  const kafka = new kafkajs.Kafka({ ...clientOptions(config, sockets), retry: producerRetry });
  const producer = kafka.producer({
    idempotent: true,
    allowAutoTopicCreation: false,
    // kafkajs never calls it: records already have their partition.
    createPartitioner: () => () => 0,
  });
  return {
    connect: () => producer.connect(),
    sendBatch: (batch) => producer.sendBatch(batch),
    disconnect: async () => {
      sockets.destroy();
      await producer.disconnect();
    },
  };
}
