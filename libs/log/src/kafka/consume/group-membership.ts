import type { ClusterClient } from '../cluster-client.js';
import type { KafkaLogBounds } from '../config.js';
import { isProtocolError } from '../kafka-errors.js';
import type { Broker } from '../kafkajs/internals.js';
import {
  assignmentProtocol,
  assignPartitions,
  decodeAssignment,
  encodeSubscription,
  subscribedTopics,
} from './assign-partitions.js';
import { byTopic } from './by-topic.js';

/** One round of the group: valid until the next rebalance. */
export interface Generation {
  id: number;
  memberId: string;
  topics: readonly string[];
  /** Partitions of the topics that existed when it began. */
  partitionsOf: ReadonlyMap<string, number>;
  assignment: ReadonlyMap<string, readonly number[]>;
}

export interface PartitionPlace {
  topic: string;
  partition: number;
}

/** Where a group stands. */
export interface CommittedPlace extends PartitionPlace {
  /** -1 where it has none. */
  offset: number;
  /** See `ConsumerOptions.lifeOf`; undefined where none was given. */
  life: string | undefined;
}

const generationOver = ['REBALANCE_IN_PROGRESS', 'ILLEGAL_GENERATION', 'UNKNOWN_MEMBER_ID'];

/** Whether this says that the group has gone on without us or is about to. */
export function isGenerationOver(error: unknown): boolean {
  return isProtocolError(error, ...generationOver);
}

/** The group protocol: joining, heart-beats, offsets. Keeps the member id from one generation to the next. */
export class GroupMembership {
  private memberId = '';
  private coordinator: Promise<Broker> | undefined;

  constructor(
    private readonly client: ClusterClient,
    private readonly group: string,
    private readonly bounds: KafkaLogBounds,
  ) {}

  async join(topics: readonly string[]): Promise<Generation> {
    const { sessionTimeoutMs: sessionTimeout, rebalanceTimeoutMs: rebalanceTimeout } = this.bounds;
    const metadata = encodeSubscription(topics);
    const joined = await this.ask((coordinator) =>
      coordinator.joinGroup({
        groupId: this.group,
        memberId: this.memberId,
        sessionTimeout,
        rebalanceTimeout,
        groupProtocols: [{ name: assignmentProtocol, metadata }],
      }),
    );
    this.memberId = joined.memberId;
    const isLeader = joined.leaderId === joined.memberId;
    const partitionsOf = await this.partitionsOf(isLeader ? subscribedTopics(joined.members) : topics);
    const synced = await this.ask((coordinator) =>
      coordinator.syncGroup({
        groupId: this.group,
        generationId: joined.generationId,
        memberId: joined.memberId,
        groupAssignment: isLeader ? assignPartitions(joined.members, partitionsOf) : [],
      }),
    );
    const assignment = decodeAssignment(synced.memberAssignment);
    return { id: joined.generationId, memberId: joined.memberId, topics, partitionsOf, assignment };
  }

  async partitionsOf(topics: readonly string[]): Promise<Map<string, number>> {
    const known = await this.client.metadata(topics);
    return new Map([...known].map(([topic, partitions]) => [topic, partitions.length]));
  }

  async heartbeat({ id, memberId }: Generation): Promise<void> {
    await this.ask((coordinator) =>
      coordinator.heartbeat({ groupId: this.group, groupGenerationId: id, memberId }),
    );
  }

  async commit({ id, memberId }: Generation, place: CommittedPlace): Promise<void> {
    const topics = byTopic([place], ({ partition, offset, life: metadata }) => ({
      partition,
      offset: String(offset),
      ...(metadata !== undefined && { metadata }),
    }));
    await this.ask((coordinator) =>
      coordinator.offsetCommit({ groupId: this.group, groupGenerationId: id, memberId, topics }),
    );
  }

  /** Next offset by partition; -1 where the group has none. */
  async committed(places: readonly PartitionPlace[]): Promise<CommittedPlace[]> {
    if (places.length === 0) return [];
    const topics = byTopic(places, ({ partition }) => ({ partition }));
    const { responses } = await this.ask((coordinator) =>
      coordinator.offsetFetch({ groupId: this.group, topics }),
    );
    return responses.flatMap(({ topic, partitions }) =>
      partitions.map(({ partition, offset, metadata }) => {
        return { topic, partition, offset: Number(offset), life: metadata || undefined };
      }),
    );
  }

  async leave(): Promise<void> {
    if (!this.memberId) return;
    const { memberId } = this;
    this.memberId = '';
    await this.ask((coordinator) => coordinator.leaveGroup({ groupId: this.group, memberId }));
  }

  private async ask<T>(request: (coordinator: Broker) => Promise<T>): Promise<T> {
    this.coordinator ??= this.client.coordinator(this.group);
    const asked = this.coordinator;
    try {
      const coordinator = await asked;
      if (!coordinator.isConnected()) await coordinator.connect();
      return await request(coordinator);
    } catch (error) {
      if (isProtocolError(error, 'UNKNOWN_MEMBER_ID')) this.memberId = '';
      // Anything else may mean that another broker coordinates the group now.
      if (!isGenerationOver(error) && this.coordinator === asked) this.coordinator = undefined;
      throw error;
    }
  }
}
