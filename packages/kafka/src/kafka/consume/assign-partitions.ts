import { stickyAssignment, type PartitionsByTopic, type StickyMember } from '../../sticky-assignment.js';
import { MemberAssignment, MemberMetadata, type JoinGroupMember } from '../kafkajs/internals.js';

/** Name of the assignment protocol; every member of a group must offer the same name. */
export const assignmentProtocol = 'tributary-cooperative';

const version = 0;

/** Partitions that a member still owns when it joins its group, and the generation that assigned them. */
export type OwnershipClaim = Pick<StickyMember, 'generation' | 'owned'>;

/** The ownership claim of a group member that owns no partition. */
export const emptyClaim: OwnershipClaim = { generation: -1, owned: new Map() };

/** JSON form of an ownership claim, which a member sends as the user data of its subscription. */
interface ClaimJson {
  generation: number;
  /** A topic is written as its index in the subscription, or as its name if the subscription does not contain it. */
  owned: [topic: number | string, partitions: readonly number[]][];
}

/** Encodes a member's subscription; its claim has indexes of topics, because brokers limit its size. */
export function encodeSubscription(topics: readonly string[], { generation, owned }: OwnershipClaim): Buffer {
  const sorted = [...topics].sort();
  const indexes = new Map(sorted.map((topic, index) => [topic, index]));
  const claim: ClaimJson = {
    generation,
    owned: [...owned].map(([topic, partitions]) => [indexes.get(topic) ?? topic, partitions]),
  };
  const userData = Buffer.from(JSON.stringify(claim));
  return MemberMetadata.encode({ version, topics: sorted, userData });
}

export function decodeSubscription({ memberId, memberMetadata }: JoinGroupMember): StickyMember {
  const { topics, userData } = MemberMetadata.decode(memberMetadata);
  const claim = userData && userData.length > 0 ? decodeClaim(userData, topics) : emptyClaim;
  return { id: memberId, topics, ...claim };
}

function decodeClaim(userData: Buffer, topics: readonly string[]): OwnershipClaim {
  const { generation, owned } = JSON.parse(userData.toString()) as ClaimJson;
  const named = owned.map(([topic, partitions]): [string, readonly number[]] => [
    typeof topic === 'number' ? topics[topic]! : topic,
    partitions,
  ]);
  return { generation, owned: new Map(named) };
}

/** Returns the topics that at least one member of the consumer group subscribes to, sorted. */
export function subscribedTopics(members: readonly StickyMember[]): string[] {
  return [...new Set(members.flatMap(({ topics }) => topics))].sort();
}

export function decodeAssignment(bytes: Buffer): PartitionsByTopic {
  return new Map(Object.entries(bytes.length > 0 ? (MemberAssignment.decode(bytes)?.assignment ?? {}) : {}));
}

/** Returns the encoded assignment of each member; called by the leader of the group. */
export function assignPartitions(
  members: readonly StickyMember[],
  partitionsOf: ReadonlyMap<string, number>,
): { memberId: string; memberAssignment: Buffer }[] {
  return [...stickyAssignment(members, partitionsOf)].map(([memberId, partitions]) => ({
    memberId,
    memberAssignment: encodeAssignment(partitions),
  }));
}

function encodeAssignment(partitions: ReadonlyMap<string, readonly number[]>): Buffer {
  const assignment = Object.fromEntries([...partitions].map(([topic, own]) => [topic, [...own]]));
  return MemberAssignment.encode({ version, assignment });
}
