import { createRequire } from 'node:module';
import type { IdempotentProducer } from '../produce/send-lane.js';
import { installPatches } from './patches.js';

/**
 * kafkajs 2.2.4 with our patches in place, and those of its inner parts that are used directly. This is the only file
 * that loads it. Its public consumer is not used: it cannot hold back one partition without the others, cannot leave
 * a running `join`, and rejoins only by stopping; `consume/` is a consumer on kafkajs' own protocol layer.
 */
const require = createRequire(import.meta.url);
installPatches(require);

export interface PartitionMetadata {
  partitionErrorCode: number;
  partitionId: number;
  /** -1 while there is none. */
  leader: number;
}

export interface ClusterMetadata {
  brokers: { nodeId: number; host: string; port: number }[];
  controllerId: number;
  topicMetadata: { topic: string; partitionMetadata: PartitionMetadata[] }[];
}

/** Request and response of one version of one API, as kafkajs' connections take them. */
export interface ProtocolRequest<T> {
  request: unknown;
  response: { decode(payload: Buffer): Promise<T>; parse(decoded: T): Promise<T> };
  requestTimeout?: number;
  logResponseError?: boolean;
}

interface TopicPartitions<P> {
  topic: string;
  partitions: P[];
}

export interface GroupMember {
  memberId: string;
  memberMetadata: Buffer;
}

/** One broker (kafkajs/src/broker/index.js): one method per API. */
export interface Broker {
  readonly nodeId: number;
  isConnected(): boolean;
  connect(): Promise<void>;
  readonly connectionPool: {
    readonly host: string;
    readonly port: number;
    send<T>(request: ProtocolRequest<T>): Promise<T>;
  };
  metadata(topics: string[]): Promise<ClusterMetadata>;
  apiVersions(): Promise<Record<number, { minVersion: number; maxVersion: number }>>;
  findGroupCoordinator(query: {
    groupId: string;
    coordinatorType: number;
  }): Promise<{ coordinator: { nodeId: number } }>;
  joinGroup(request: {
    groupId: string;
    sessionTimeout: number;
    rebalanceTimeout: number;
    memberId: string;
    groupProtocols: { name: string; metadata: Buffer }[];
  }): Promise<{ generationId: number; leaderId: string; memberId: string; members: GroupMember[] }>;
  syncGroup(request: {
    groupId: string;
    generationId: number;
    memberId: string;
    groupAssignment: { memberId: string; memberAssignment: Buffer }[];
  }): Promise<{ memberAssignment: Buffer }>;
  heartbeat(request: { groupId: string; groupGenerationId: number; memberId: string }): Promise<unknown>;
  leaveGroup(request: { groupId: string; memberId: string }): Promise<unknown>;
  describeGroups(request: { groupIds: string[] }): Promise<{
    groups: { groupId: string; members: { memberId: string; clientId: string }[] }[];
  }>;
  offsetFetch(request: { groupId: string; topics: TopicPartitions<{ partition: number }>[] }): Promise<{
    responses: TopicPartitions<{ partition: number; offset: string; metadata: string | null }>[];
  }>;
  offsetCommit(request: {
    groupId: string;
    groupGenerationId: number;
    memberId: string;
    topics: TopicPartitions<{ partition: number; offset: string; metadata?: string }>[];
  }): Promise<unknown>;
  listOffsets(request: {
    replicaId: number;
    isolationLevel: number;
    topics: TopicPartitions<{ partition: number; timestamp: number }>[];
  }): Promise<{ responses: TopicPartitions<{ partition: number; offset: string }>[] }>;
  createTopics(request: {
    topics: {
      topic: string;
      numPartitions: number;
      replicationFactor: number;
      configEntries: { name: string; value: string }[];
    }[];
    timeout: number;
  }): Promise<unknown>;
  deleteTopics(request: { topics: string[]; timeout: number }): Promise<unknown>;
  deleteGroups(groups: string[]): Promise<{ results: { groupId: string; error?: Error }[] }>;
}

/** kafkajs/src/cluster/brokerPool.js */
interface BrokerPool {
  /** By node id. */
  readonly brokers: Record<number, Broker | undefined>;
  refreshMetadata(topics: string[]): Promise<void>;
  findBroker(node: { nodeId: number }): Promise<Broker>;
  findConnectedBroker(): Promise<Broker>;
}

/** kafkajs/src/cluster/index.js */
export interface Cluster {
  readonly brokerPool: BrokerPool;
  connect(): Promise<void>;
  disconnect(): Promise<void>;
}

interface GroupProtocol {
  MemberMetadata: {
    encode(metadata: { version: number; topics: string[]; userData?: Buffer }): Buffer;
    decode(bytes: Buffer): { topics: string[]; userData: Buffer | null };
  };
  MemberAssignment: {
    encode(assignment: { version: number; assignment: Record<string, number[]> }): Buffer;
    decode(bytes: Buffer): { assignment: Record<string, number[]> } | null;
  };
}

export const kafkajs = require('kafkajs') as {
  Kafka: new (config: object) => { producer(options: object): IdempotentProducer };
};

export const ClusterClass = require('kafkajs/src/cluster') as new (options: object) => Cluster;

export const createKafkajsLogger = (
  require('kafkajs/src/loggers') as { createLogger: (options: object) => object }
).createLogger;

export const { MemberMetadata, MemberAssignment } =
  require('kafkajs/src/consumer/assignerProtocol') as GroupProtocol;

/** The error that a code of Kafka's protocol stands for. */
export const errorOfCode = (
  require('kafkajs/src/protocol/error') as {
    createErrorFromCode: (code: number) => Error & { type: string; retriable: boolean };
  }
).createErrorFromCode;

export const fetchRequestV11 = require('kafkajs/src/protocol/requests/fetch/v11/request') as (
  options: object,
) => unknown;

export const listOffsetsRequestV2 = require('kafkajs/src/protocol/requests/listOffsets/v2/request') as (
  options: object,
) => unknown;
