import type { ClusterClient } from '../cluster/cluster-client.js';
import type { KafkaLogLimits } from '../cluster/kafka-log-options.js';
import { isProtocolError } from '../cluster/kafka-errors.js';
import {
  assignmentProtocol,
  assignPartitions,
  decodeAssignment,
  decodeSubscription,
  encodeSubscription,
  subscribedTopics,
  type OwnershipClaim,
} from './assign-partitions.js';
import { byTopic } from '../encoding/by-topic.js';
import type { KafkajsBroker } from '../kafkajs/internals.js';
import { CommitBatcher } from './commit-batcher.js';
import { unknownEpoch } from '../../epoch-position.js';
import type { TopicPartition } from '../../topic-partition.js';
import type { CommittedOffset, GroupGeneration } from './group-generation.js';
import { GroupCoordinatorClient } from './group-coordinator-client.js';

/** Clients, group name and limits of a `GroupMembership`. */
interface GroupMembershipOptions {
  /** Client for commits and offset lookups, which also run while the member joins. */
  client: ClusterClient;
  /** Client for joins and heartbeats alone: while a join waits, the broker answers nothing else on its connection. */
  joining: ClusterClient;
  group: string;
  bounds: KafkaLogLimits;
  /** Returns client ids that no other running process has; see `KafkaLogOptions.instance`. */
  predecessors?: (() => ReadonlySet<string>) | undefined;
}

/** One member of a consumer group, on the protocol. It keeps its member id from one generation to the next. */
export class GroupMembership {
  private memberId = '';
  private readonly coordinator = new GroupCoordinatorClient(this.options.client, this.options.group);
  private readonly joining = new GroupCoordinatorClient(this.options.joining, this.options.group);
  private isFirst = this.options.predecessors !== undefined;
  private readonly commits = new CommitBatcher((generation, offsets) =>
    this.sendCommits(generation, offsets),
  );

  constructor(private readonly options: GroupMembershipOptions) {}

  /** Joins the group with a claim to the partitions that this member owns and keeps processing meanwhile. */
  async join(topics: readonly string[], claim: OwnershipClaim): Promise<GroupGeneration> {
    const { group: groupId, bounds } = this.options;
    const { sessionTimeoutMs: sessionTimeout, rebalanceTimeoutMs: rebalanceTimeout } = bounds;
    if (this.isFirst) await this.removePredecessors();
    const metadata = encodeSubscription(topics, claim);
    const groupProtocols = [{ name: assignmentProtocol, metadata }];
    const joined = await this.asMember((coordinator, memberId) =>
      coordinator.joinGroup({ groupId, memberId, sessionTimeout, rebalanceTimeout, groupProtocols }),
    );
    const { memberId, generationId } = joined;
    this.memberId = memberId;
    const isLeader = joined.leaderId === memberId;
    const members = joined.members.map(decodeSubscription);
    const partitionsOf = await this.partitionsOf(isLeader ? subscribedTopics(members) : topics);
    const groupAssignment = isLeader ? assignPartitions(members, partitionsOf) : [];
    const synced = await this.asMember((coordinator) =>
      coordinator.syncGroup({ groupId, generationId, memberId, groupAssignment }),
    );
    const assignment = decodeAssignment(synced.memberAssignment);
    return { id: generationId, memberId, topics, partitionsOf, assignment };
  }

  async partitionsOf(topics: readonly string[]): Promise<Map<string, number>> {
    const known = await this.options.client.metadata(topics);
    return new Map([...known].map(([topic, partitions]) => [topic, partitions.length]));
  }

  async heartbeat({ id, memberId }: GroupGeneration): Promise<void> {
    const { group: groupId } = this.options;
    await this.asMember((coordinator) => coordinator.heartbeat({ groupId, groupGenerationId: id, memberId }));
  }

  /** Commits the offset of a partition; resolves when the group coordinator has stored it. */
  commit(generation: GroupGeneration, offset: CommittedOffset): Promise<void> {
    return this.commits.commit(generation, offset);
  }

  /** Returns the committed offset (the next to read) of each partition; -1 if the group has none. */
  async committed(partitions: readonly TopicPartition[]): Promise<CommittedOffset[]> {
    if (partitions.length === 0) return [];
    const topics = byTopic(partitions, ({ partition }) => ({ partition }));
    const { responses } = await this.coordinator.ask((coordinator) =>
      coordinator.offsetFetch({ groupId: this.options.group, topics }),
    );
    return responses.flatMap(({ topic, partitions: found }) =>
      found.map(({ partition, offset, metadata }) => ({
        ...{ topic, partition, offset: Number(offset) },
        leaderEpoch: epochIn(metadata),
      })),
    );
  }

  async leave(): Promise<void> {
    if (!this.memberId) return;
    const { memberId } = this;
    this.memberId = '';
    await this.remove(memberId);
  }

  private async sendCommits(
    { id, memberId }: GroupGeneration,
    offsets: readonly CommittedOffset[],
  ): Promise<void> {
    const { group: groupId } = this.options;
    const topics = byTopic(offsets, ({ partition, offset, leaderEpoch }) => {
      const metadata = leaderEpoch === unknownEpoch ? null : `${epochPrefix}${leaderEpoch}`;
      return { partition, offset: String(offset), metadata };
    });
    await this.coordinator.ask((coordinator) =>
      coordinator.offsetCommit({ groupId, groupGenerationId: id, memberId, topics }),
    );
  }

  private async remove(memberId: string): Promise<void> {
    const { group: groupId } = this.options;
    await this.coordinator.ask((coordinator) => coordinator.leaveGroup({ groupId, memberId }));
  }

  /** Removes the members of a killed process of this instance, for whose time-outs the group would wait. */
  private async removePredecessors(): Promise<void> {
    const { group, predecessors } = this.options;
    const { groups } = await this.coordinator.ask((coordinator) =>
      coordinator.describeGroups({ groupIds: [group] }),
    );
    const removed = predecessors?.();
    for (const { memberId, clientId } of groups.flatMap(({ members }) => members)) {
      if (!removed?.has(clientId)) continue;
      await this.remove(memberId).catch((error: unknown) => {
        // The group has removed the member meanwhile, because its session timed out.
        if (!isProtocolError(error, 'UNKNOWN_MEMBER_ID')) throw error;
      });
    }
    this.isFirst = false;
  }

  /** Sends a request with the member id, which is cleared if the group no longer knows it: the next join gets one. */
  private async asMember<T>(
    request: (coordinator: KafkajsBroker, memberId: string) => Promise<T>,
  ): Promise<T> {
    const { memberId } = this;
    try {
      return await this.joining.ask((coordinator) => request(coordinator, memberId));
    } catch (error) {
      if (isProtocolError(error, 'UNKNOWN_MEMBER_ID') && this.memberId === memberId) this.memberId = '';
      throw error;
    }
  }
}

/**
 * The leader epoch is in the metadata of a committed offset: the OffsetCommit request of kafkajs (version 5) has no field for
 * it.
 */
const epochPrefix = 'leader-epoch=';
const epochPattern = new RegExp(`^${epochPrefix}(\\d{1,9})$`);

/** Returns the leader epoch in the metadata of a committed offset. Other tools may have committed it without one. */
function epochIn(metadata: string | null): number {
  return Number(epochPattern.exec(metadata ?? '')?.[1] ?? unknownEpoch);
}
