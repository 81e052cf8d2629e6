import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import type { AppConfig } from '#api';
import type { KafkaLogger } from './logger.js';

export interface KafkaSasl {
  mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512';
  username: string;
  password: string;
}

export interface KafkaLogConfig {
  /** `host:port` each. */
  brokers: string[];
  clientId: string;
  /**
   * A name that no other living process of this client id has, and that stays the same when the process is started again.
   * With it, a consumer removes from its group what a process of that name has left there when it was killed; without it,
   * it waits for it until its session is over.
   */
  instance?: string;
  /** true, or PEM texts. */
  tls?: boolean | { ca?: string; cert?: string; key?: string };
  sasl?: KafkaSasl;
  /** Of topics that are created; -1 is the broker's default. */
  replicationFactor: number;
  logger?: KafkaLogger;
  bounds?: Partial<KafkaLogBounds>;
}

/** Every bound of the adapter; times in milliseconds. */
export interface KafkaLogBounds {
  /** Bytes handed to a producer and not yet acknowledged; more is refused with LogOverloadedError. */
  bytesInFlight: number;
  /** How long `append` and the calls of `TopicAdmin` may take before they give up. */
  operationTimeoutMs: number;
  /** How long one request may go unanswered before its connection is closed. */
  requestTimeoutMs: number;
  connectionTimeoutMs: number;
  /** How long an idle producer waits for more records before it sends; 0 is until the end of this turn. */
  lingerMs: number;
  /** Kafka connections that a producer sends on; each has its share of the partitions. */
  producerLanes: number;
  /** One produce request. */
  sendRecords: number;
  sendBytes: number;
  /** One partition's batch in it, unless one record alone is larger; below Kafka's default `max.message.bytes`. */
  partitionBatchBytes: number;
  sessionTimeoutMs: number;
  heartbeatMs: number;
  /** How long the others of a group wait for a member to join again. */
  rebalanceTimeoutMs: number;
  /** How long a broker waits for records before it answers that there are none. */
  fetchWaitMs: number;
  /**
   * After a fetch that brought little, the next one comes so much later: records that come meanwhile come together. The
   * first record after a pause is not delayed. It does what `fetch.min.bytes` is for, without its delay of lone records.
   */
  fetchCollectMs: number;
  /** Bytes that a consumer holds at a time: fetched, and not worked on to the end. The last fetch may go beyond. */
  consumeBytes: number;
  /** Bytes fetched at once, and of one partition. A partition holds at most two such fetches. */
  fetchBytes: number;
  fetchPartitionBytes: number;
  /** Calls of `subscribe` within this time become one rejoin. */
  subscribeDebounceMs: number;
  /** The least time between two rejoins that `subscribe` asks for. */
  rejoinIntervalMs: number;
  /** How often a consumer looks whether its topics have changed. */
  metadataRefreshMs: number;
}

export const defaultBounds: KafkaLogBounds = {
  bytesInFlight: 64 * 1024 * 1024,
  operationTimeoutMs: 15_000,
  requestTimeoutMs: 10_000,
  connectionTimeoutMs: 3_000,
  lingerMs: 0,
  producerLanes: 2,
  sendRecords: 10_000,
  sendBytes: 8 * 1024 * 1024,
  partitionBatchBytes: 1_000_000,
  sessionTimeoutMs: 30_000,
  heartbeatMs: 1_000,
  rebalanceTimeoutMs: 30_000,
  fetchWaitMs: 100,
  fetchCollectMs: 25,
  consumeBytes: 64 * 1024 * 1024,
  fetchBytes: 32 * 1024 * 1024,
  fetchPartitionBytes: 2 * 1024 * 1024,
  subscribeDebounceMs: 100,
  rejoinIntervalMs: 2_000,
  metadataRefreshMs: 30_000,
};

/**
 * What the environment says about Kafka, for `openKafkaLog`. Reads the PEM files that it names. A process with consumer
 * groups gives the port that it listens on: with the host's name it tells the processes apart (see `instance`).
 */
export function kafkaLogOptions(config: AppConfig, clientId: string, port?: number): KafkaLogConfig {
  return {
    brokers: config.KAFKA_BROKERS,
    clientId,
    // Port 0 is a free port: it names no process.
    ...(port && { instance: `${hostname()}:${port}` }),
    replicationFactor: config.KAFKA_REPLICATION_FACTOR,
    ...(config.KAFKA_TLS && { tls: tlsOptions(config) }),
    ...(config.KAFKA_SASL_MECHANISM && {
      sasl: {
        mechanism: config.KAFKA_SASL_MECHANISM as KafkaSasl['mechanism'],
        username: config.KAFKA_SASL_USERNAME ?? '',
        password: config.KAFKA_SASL_PASSWORD ?? '',
      },
    }),
  };
}

function tlsOptions(config: AppConfig): NonNullable<KafkaLogConfig['tls']> {
  const read = (path: string | undefined): string | undefined =>
    path ? readFileSync(path, 'utf8') : undefined;
  const ca = read(config.KAFKA_TLS_CA);
  const cert = read(config.KAFKA_TLS_CERT);
  const key = read(config.KAFKA_TLS_KEY);
  return ca || cert || key ? { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) } : true;
}
