import { stickyAssignment, type Partitions, type StickyMember } from '../../sticky-assignment.js';
import { MemberAssignment, MemberMetadata, type GroupMember } from '../kafkajs/internals.js';

/** Every member of a group must offer the same name. */
export const assignmentProtocol = 'tributary-cooperative';

const version = 0;

/** What a member says that it runs when it joins, and which generation gave it that. */
export type Claim = Pick<StickyMember, 'generation' | 'owned'>;

/** The claim of a member that runs nothing. */
export const noClaim: Claim = { generation: -1, owned: new Map() };

/** The claim as it stands in a subscription's user data, in JSON. */
interface WrittenClaim {
  generation: number;
  /** A topic is its index among the topics of the subscription; its name where the subscription does not have it. */
  owned: [topic: number | string, partitions: readonly number[]][];
}

/**
 * What a member hands in when it joins. The broker keeps it with the group, in one message of bounded size: so the claim
 * does not repeat the names that the subscription has.
 */
export function encodeSubscription(topics: readonly string[], { generation, owned }: Claim): Buffer {
  const sorted = [...topics].sort();
  const indexes = new Map(sorted.map((topic, index) => [topic, index]));
  const claim: WrittenClaim = {
    generation,
    owned: [...owned].map(([topic, partitions]) => [indexes.get(topic) ?? topic, partitions]),
  };
  const userData = Buffer.from(JSON.stringify(claim));
  return MemberMetadata.encode({ version, topics: sorted, userData });
}

export function decodeSubscription({ memberId, memberMetadata }: GroupMember): StickyMember {
  const { topics, userData } = MemberMetadata.decode(memberMetadata);
  const claim = userData && userData.length > 0 ? decodeClaim(userData, topics) : noClaim;
  return { id: memberId, topics, ...claim };
}

function decodeClaim(userData: Buffer, topics: readonly string[]): Claim {
  const { generation, owned } = JSON.parse(userData.toString()) as WrittenClaim;
  const named = owned.map(([topic, partitions]): [string, readonly number[]] => [
    typeof topic === 'number' ? topics[topic]! : topic,
    partitions,
  ]);
  return { generation, owned: new Map(named) };
}

/** The topics that any of the members reads. */
export function subscribedTopics(members: readonly StickyMember[]): string[] {
  return [...new Set(members.flatMap(({ topics }) => topics))].sort();
}

export function decodeAssignment(bytes: Buffer): Partitions {
  return new Map(Object.entries(bytes.length > 0 ? (MemberAssignment.decode(bytes)?.assignment ?? {}) : {}));
}

/** What the group's leader decides, in the form that the broker hands on to the members. */
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
