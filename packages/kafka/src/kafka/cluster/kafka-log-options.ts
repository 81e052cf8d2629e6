import type { KafkaCompression } from '../compression/codecs.js';
import type { KafkaLogger } from './logger.js';

/** Mechanism and credentials of the SASL authentication at Kafka brokers. */
export interface KafkaSasl {
  mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512';
  username: string;
  password: string;
}

/** Options of `openKafkaLog`: brokers, identity, security and limits of the connection to Kafka. */
export interface KafkaLogOptions {
  /** Addresses of the brokers, each as `host:port`. */
  brokers: string[];
  clientId: string;
  /**
   * A name that no other running process of this client id has, and that remains the same after a restart. When a
   * consumer joins its group, it removes the members that a killed process of the same `instance` has left there.
   * Without an `instance`, the group waits until the sessions of such members time out.
   */
  instance?: string;
  /** Returns further instances that do not run now, whose members a consumer removes from its group, too. */
  formerInstances?: () => readonly string[];
  /** TLS to the brokers: true for the default certificate authorities, or certificates and private key (PEM). */
  tls?: boolean | { ca?: string; cert?: string; key?: string };
  sasl?: KafkaSasl;
  /** Compression of the records that producers send; `none` if omitted. Consumers read every codec. */
  compression?: KafkaCompression;
  /** Replication factor of new topics; -1, the default of the broker, if omitted. */
  replicationFactor?: number;
  /** Nothing is logged if omitted. */
  logger?: KafkaLogger;
  /** Limits and time-outs that differ from `defaultKafkaLogLimits`. */
  bounds?: Partial<KafkaLogLimits>;
}

/** Limits, intervals and time-outs of the connection to Kafka; times in milliseconds. */
export interface KafkaLogLimits {
  /**
   * Limit of the bytes that were passed to a producer and are not yet acknowledged, without compression: the records
   * are in memory uncompressed. An append that would exceed it is
   * rejected with ProducerBufferFullError, unless nothing else is in flight.
   */
  bytesInFlight: number;
  /** Longest duration of `append` and of the calls of `TopicAdmin`. */
  operationTimeoutMs: number;
  /** How long a request may remain unanswered before its connection is closed. */
  requestTimeoutMs: number;
  connectionTimeoutMs: number;
  /** How long an idle producer waits for more records before it sends; 0: until the event-loop turn ends. */
  lingerMs: number;
  /** Producer shards: connections of a producer to Kafka, each of which sends a share of the partitions. */
  producerShards: number;
  /** Limits of one produce request, in records and in bytes without compression. */
  sendRecords: number;
  sendBytes: number;
  /**
   * Limit of the record batch of one partition in a produce request, in bytes without compression; only a single larger
   * record exceeds it. Compression never makes a batch larger. This limit of a record batch is below Kafka's default of `max.message.bytes`.
   */
  partitionBatchBytes: number;
  sessionTimeoutMs: number;
  heartbeatMs: number;
  /** How long the other members of a group wait for a member to rejoin. */
  rebalanceTimeoutMs: number;
  /** How long a broker waits for records before it sends an empty fetch response. */
  fetchWaitMs: number;
  /**
   * Pause after a fetch that returned fewer than 64 KiB, so that the records of this pause arrive in one fetch. The
   * first record that arrives after an idle period is not delayed. The pause replaces Kafka's `fetch.min.bytes`, which
   * delays single records.
   */
  fetchCollectMs: number;
  /** Limit of the fetched, not yet processed bytes, decompressed. One partition's last fetch may exceed it. */
  consumeBytes: number;
  /** Limits of a fetch in bytes, in total and for one partition, as far as its decompressed size can be foreseen. */
  fetchBytes: number;
  fetchPartitionBytes: number;
  /** Calls of `subscribe` within this time cause one rejoin. */
  subscribeDebounceMs: number;
  /** Minimum time between two rejoins that `subscribe` causes. */
  rejoinIntervalMs: number;
  /** How often a consumer checks whether the number of partitions of its topics has changed. */
  metadataRefreshMs: number;
}

export const defaultKafkaLogLimits: KafkaLogLimits = {
  bytesInFlight: 64 * 1024 * 1024,
  operationTimeoutMs: 15_000,
  requestTimeoutMs: 10_000,
  connectionTimeoutMs: 3_000,
  lingerMs: 0,
  producerShards: 2,
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
