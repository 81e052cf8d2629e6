import type {
  Consumer,
  ConsumerOptions,
  Log,
  Producer,
  GlobalTableReader,
  GlobalTableReaderHandler,
} from '../log.js';
import { ClusterClient } from './cluster/cluster-client.js';
import { codecOf } from './compression/codecs.js';
import type { KafkaLogOptions } from './cluster/kafka-log-options.js';
import {
  limitsOf,
  predecessorsOf,
  clientOptions,
  producerRetry,
  KafkajsClientSockets,
} from './cluster/connection.js';
import { fetchOutage, type KafkaReaderDependencies } from './consume/fetcher.js';
import { KafkaConsumer } from './consume/kafka-consumer.js';
import { KafkaGlobalTableReader } from './consume/kafka-global-table-reader.js';
import { KafkaStandaloneConsumer } from './consume/kafka-standalone-consumer.js';
import { KafkaAdmin } from './admin/kafka-admin.js';
import { kafkajs } from './kafkajs/internals.js';
import { silentLogger } from './cluster/logger.js';
import { KafkaProducer } from './produce/kafka-producer.js';
import { ProducerShard } from './produce/producer-shard.js';
import type { KafkajsProducer } from './produce/send-batch.js';
import { TopicMetadataCache } from './produce/topic-metadata-cache.js';
import { DepartedBrokerDisconnector, type BrokerAddress } from './cluster/departed-broker-disconnector.js';

/** Returns the log of a Kafka cluster. The log connects at the first call, so Kafka may still be down. */
export function openKafkaLog(config: KafkaLogOptions): Log {
  return new KafkaLog(config);
}

/** Replication factor of new topics that stands for the setting `default.replication.factor` of the broker. */
const brokerDefault = -1;

class KafkaLog implements Log {
  readonly admin: KafkaAdmin;
  private readonly silentBrokers: DepartedBrokerDisconnector;
  private readonly reading: Pick<KafkaReaderDependencies, 'bounds' | 'logger' | 'outage'>;
  private readonly closing = new Set<{ close(): Promise<void> }>();

  constructor(private readonly config: KafkaLogOptions) {
    this.silentBrokers = new DepartedBrokerDisconnector({
      ask: (brokers) => firstAnswer(config, brokers),
      everyMs: 1_000,
      departedMs: 5_000,
    });
    const logger = config.logger ?? silentLogger;
    this.reading = { bounds: limitsOf(config), logger, outage: fetchOutage(logger) };
    this.admin = new KafkaAdmin(this.client(), config.replicationFactor ?? brokerDefault);
  }

  async producer(): Promise<Producer> {
    const { bounds } = this.reading;
    const metadata = new TopicMetadataCache(this.client());
    const shard = (): ProducerShard =>
      new ProducerShard({
        ...bounds,
        codec: codecOf(this.config.compression ?? 'none'),
        createProducer: () => createProducer(this.config, this.silentBrokers),
        metadata,
      });
    const shards = Array.from({ length: bounds.producerShards }, shard);
    return this.keep(new KafkaProducer({ ...bounds, shards, metadata }));
  }

  consumer(options: ConsumerOptions): Consumer {
    const { config, reading } = this;
    const { bounds } = reading;
    const shared = {
      ...reading,
      bounds: { ...bounds, fetchCollectMs: options.collectMs ?? bounds.fetchCollectMs },
      client: this.client(),
      fetching: this.client(),
      // Pipelines start and stop at run time, so a closed consumer must not remain in `closing`.
      closed: () => this.closing.delete(consumer),
    };
    const consumer: Consumer = options.standalone
      ? new KafkaStandaloneConsumer(options, shared)
      : new KafkaConsumer(options, {
          ...shared,
          joining: this.client(),
          predecessors: config.instance === undefined ? undefined : () => predecessorsOf(config),
        });
    return this.keep(consumer);
  }

  tableReader(topic: string, handler: GlobalTableReaderHandler): GlobalTableReader {
    return this.keep(new KafkaGlobalTableReader({ ...this.reading, client: this.client(), topic, handler }));
  }

  /** Returns a client with its own connections: a broker answers requests of one connection one after the other. */
  private client(): ClusterClient {
    return new ClusterClient(this.config, this.silentBrokers);
  }

  async close(): Promise<void> {
    await Promise.all([...this.closing].map((one) => one.close()));
    await this.admin.close();
  }

  private keep<T extends { close(): Promise<void> }>(closeable: T): T {
    this.closing.add(closeable);
    return closeable;
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
