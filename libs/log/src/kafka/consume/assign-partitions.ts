import { MemberAssignment, MemberMetadata, type GroupMember } from '../kafkajs/internals.js';

/** Every member of a group must offer the same name. */
export const assignmentProtocol = 'tributary-round-robin';

const version = 0;

export function encodeSubscription(topics: readonly string[]): Buffer {
  return MemberMetadata.encode({ version, topics: [...topics].sort() });
}

export function subscribedTopics(members: readonly GroupMember[]): string[] {
  return [
    ...new Set(members.flatMap(({ memberMetadata }) => MemberMetadata.decode(memberMetadata).topics)),
  ].sort();
}

export function decodeAssignment(bytes: Buffer): Map<string, number[]> {
  return new Map(Object.entries(bytes.length > 0 ? (MemberAssignment.decode(bytes)?.assignment ?? {}) : {}));
}

/**
 * What the group's leader decides: partitions go round the members that subscribe to their topic, in a fixed order,
 * so that a partition is never given to a member that does not know its topic yet. (kafkajs' own assigner gives
 * partitions of the leader's topics to everybody; a member that has not subscribed leaves them unread.)
 */
export function assignPartitions(
  members: readonly GroupMember[],
  partitionsOf: ReadonlyMap<string, number>,
): { memberId: string; memberAssignment: Buffer }[] {
  const assignments = new Map(
    members.map(({ memberId }): [string, Record<string, number[]>] => [memberId, {}]),
  );
  let turn = 0;
  for (const topic of subscribedTopics(members)) {
    const able = members
      .filter(({ memberMetadata }) => MemberMetadata.decode(memberMetadata).topics.includes(topic))
      .map(({ memberId }) => memberId)
      .sort();
    for (let partition = 0; partition < (partitionsOf.get(topic) ?? 0); partition++) {
      const assignment = assignments.get(able[turn++ % able.length] ?? '');
      if (assignment) (assignment[topic] ??= []).push(partition);
    }
  }
  return [...assignments].map(([memberId, assignment]) => ({
    memberId,
    memberAssignment: MemberAssignment.encode({ version, assignment }),
  }));
}
