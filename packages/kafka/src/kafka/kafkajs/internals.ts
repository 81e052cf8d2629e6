import { createRequire } from 'node:module';
import type { KafkajsProducer } from '../produce/send-batch.js';
import { installPatches } from './patches.js';

/**
 * kafkajs 2.2.4 with the patches of this folder, and its internal parts that the adapter uses directly. Only this file
 * loads kafkajs. The adapter does not use the public consumer of kafkajs: it cannot pause one partition without the
 * others, cannot abort a running `join`, and can only rejoin after a stop. `consume/` is a consumer on the protocol
 * layer of kafkajs.
 */
const require = createRequire(import.meta.url);
installPatches(require);

/** Leader and error code of one partition in a Kafka metadata response. */
export interface PartitionMetadata {
  partitionErrorCode: number;
  partitionId: number;
  /** Node id of the leader; -1 while the partition has none. */
  leader: number;
}

/** A Kafka metadata response: the brokers, the controller, and the partitions of topics. */
export interface ClusterMetadata {
  brokers: { nodeId: number; host: string; port: number }[];
  controllerId: number;
  topicMetadata: { topic: string; partitionMetadata: PartitionMetadata[] }[];
}

/** Request and response of one version of a Kafka API, in the form that kafkajs connections take. */
export interface RequestWithResponseDecoder<T> {
  request: unknown;
  response: { decode(payload: Buffer): Promise<T>; parse(decoded: T): Promise<T> };
  requestTimeout?: number;
  logResponseError?: boolean;
}

interface TopicPartitions<P> {
  topic: string;
  partitions: P[];
}

/** A member of a consumer group with its encoded subscription, as the leader of the group receives it. */
export interface JoinGroupMember {
  memberId: string;
  memberMetadata: Buffer;
}

/** The connection of kafkajs to one broker (kafkajs/src/broker/index.js), with one method for each API. */
export interface KafkajsBroker {
  isConnected(): boolean;
  connect(): Promise<void>;
  readonly connectionPool: {
    readonly host: string;
    readonly port: number;
    send<T>(request: RequestWithResponseDecoder<T>): Promise<T>;
  };
  metadata(topics: string[]): Promise<ClusterMetadata>;
  apiVersions(): Promise<unknown>;
  findGroupCoordinator(query: {
    groupId: string;
    coordinatorType: 0;
  }): Promise<{ coordinator: { nodeId: number } }>;
  joinGroup(request: {
    groupId: string;
    sessionTimeout: number;
    rebalanceTimeout: number;
    memberId: string;
    groupProtocols: { name: string; metadata: Buffer }[];
  }): Promise<{ generationId: number; leaderId: string; memberId: string; members: JoinGroupMember[] }>;
  syncGroup(request: {
    groupId: string;
    generationId: number;
    memberId: string;
    groupAssignment: { memberId: string; memberAssignment: Buffer }[];
  }): Promise<{ memberAssignment: Buffer }>;
  heartbeat(request: { groupId: string; groupGenerationId: number; memberId: string }): Promise<unknown>;
  leaveGroup(request: { groupId: string; memberId: string }): Promise<unknown>;
  describeGroups(request: {
    groupIds: string[];
  }): Promise<{ groups: { members: { memberId: string; clientId: string }[] }[] }>;
  offsetFetch(request: { groupId: string; topics: TopicPartitions<{ partition: number }>[] }): Promise<{
    responses: TopicPartitions<{ partition: number; offset: string; metadata: string | null }>[];
  }>;
  offsetCommit(request: {
    groupId: string;
    groupGenerationId: number;
    memberId: string;
    topics: TopicPartitions<{ partition: number; offset: string; metadata: string | null }>[];
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
  deleteRecords(request: {
    topics: TopicPartitions<{ partition: number; offset: string }>[];
  }): Promise<unknown>;
  deleteGroups(groups: string[]): Promise<{ results: { error?: Error }[] }>;
}

/** The parts of kafkajs/src/cluster/brokerPool.js that the adapter uses. */
interface BrokerPool {
  /** The known brokers, by node id. */
  readonly brokers: Record<number, KafkajsBroker | undefined>;
  refreshMetadata(topics: string[]): Promise<void>;
  findBroker(node: { nodeId: number }): Promise<KafkajsBroker>;
  findConnectedBroker(): Promise<KafkajsBroker>;
}

/** The parts of kafkajs/src/cluster/index.js that the adapter uses. */
export interface KafkajsCluster {
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
  Kafka: new (config: object) => { producer(options: object): KafkajsProducer };
};

export const ClusterClass = require('kafkajs/src/cluster') as new (options: object) => KafkajsCluster;

export const createKafkajsLogger = (
  require('kafkajs/src/loggers') as { createLogger: (options: object) => object }
).createLogger;

export const { MemberMetadata, MemberAssignment } =
  require('kafkajs/src/consumer/assignerProtocol') as GroupProtocol;

/** Returns the error for an error code of the Kafka protocol. */
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
