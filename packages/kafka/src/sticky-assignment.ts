import { addTo, partitionKey } from './topic-partition.js';

/** A member of a consumer group as input of the assignment: its subscribed topics, and the partitions that it owns. */
export interface StickyMember {
  id: string;
  topics: readonly string[];
  /** Generation that assigned the owned partitions. If two members claim one, the newer generation wins. */
  generation: number;
  /** Partitions that the member processes now, by topic, and keeps processing if they are assigned to it again. */
  owned: ReadonlyMap<string, readonly number[]>;
}

/** Partition numbers of one member, by topic. */
export type PartitionsByTopic = Map<string, number[]>;

/** The partitions that one member is to get, while the assignment is being computed. */
interface MemberShare {
  member: StickyMember;
  topics: ReadonlySet<string>;
  given: PartitionsByTopic;
  count: number;
}

/**
 * Computes a cooperative sticky assignment. Returns the partitions of each member, by member id.
 *
 * - The partition counts are balanced: a member that could take a partition from another one has at most one partition
 *   less.
 * - A member keeps the partitions that it owns, except those that balancing moves to another member.
 * - A partition that moves is assigned to no member as long as its owner claims it. The owner first stops processing
 *   the partition and rejoins without it.
 * - A partition without an owner is assigned at once, and only to a member that subscribes to its topic.
 *
 * The result depends only on the arguments, not on the order of the members.
 */
export function stickyAssignment(
  members: readonly StickyMember[],
  partitionsOf: ReadonlyMap<string, number>,
): Map<string, PartitionsByTopic> {
  const shares = [...members]
    .sort((a, b) => (a.id < b.id ? -1 : 1))
    .map((member): MemberShare => ({ member, topics: new Set(member.topics), given: new Map(), count: 0 }));
  const owners = keepOwned(shares, partitionsOf);
  giveFree(shares, partitionsOf, owners);
  while (moveSome(shares));
  return new Map(shares.map((share) => [share.member.id, withoutClaimed(share, owners)]));
}

/** Assigns partitions to their owners that still subscribe to the topic. Returns all owners, by partition. */
function keepOwned(
  shares: readonly MemberShare[],
  partitionsOf: ReadonlyMap<string, number>,
): Map<string, MemberShare> {
  const owners = new Map<string, MemberShare>();
  const newestFirst = [...shares].sort((a, b) => b.member.generation - a.member.generation);
  for (const share of newestFirst)
    for (const [topic, partitions] of share.member.owned)
      for (const partition of partitions) {
        const exists = partition < (partitionsOf.get(topic) ?? 0);
        const key = partitionKey({ topic, partition });
        if (!exists || owners.has(key)) continue;
        owners.set(key, share);
        if (share.topics.has(topic)) give(share, topic, partition);
      }
  return owners;
}

/** Assigns each partition without an owner to the member with the fewest partitions. */
function giveFree(
  shares: readonly MemberShare[],
  partitionsOf: ReadonlyMap<string, number>,
  owners: ReadonlyMap<string, MemberShare>,
): void {
  for (const topic of [...partitionsOf.keys()].sort()) {
    const able = shares.filter(({ topics }) => topics.has(topic));
    for (let partition = 0; able.length > 0 && partition < (partitionsOf.get(topic) ?? 0); partition++)
      if (!owners.has(partitionKey({ topic, partition })))
        give(memberWithFewest(able, topic), topic, partition);
  }
}

function memberWithFewest(shares: readonly MemberShare[], topic: string): MemberShare {
  const less = (a: MemberShare, b: MemberShare): boolean =>
    a.count === b.count ? countOf(a, topic) < countOf(b, topic) : a.count < b.count;
  return shares.reduce((least, share) => (less(share, least) ? share : least));
}

/**
 * Moves partitions from a member with too many to a member with too few. Returns false if no partition can move,
 * because the members are balanced.
 *
 * The number of moved partitions is the difference between the two members, divided by the number of members. If all
 * members subscribe to the same topics, `from` remains above the mean and `to` below it. In that case no partition
 * moves twice, and the difference between the two members' shares shrinks geometrically.
 */
function moveSome(shares: readonly MemberShare[]): boolean {
  const byCount = [...shares].sort((a, b) => b.count - a.count);
  const poorestFirst = byCount.toReversed();
  for (const from of byCount)
    for (const to of poorestFirst) {
      const difference = from.count - to.count;
      if (difference < 2) break;
      const most = Math.max(1, Math.floor(difference / shares.length));
      if (move(from, to, most) > 0) return true;
    }
  return false;
}

/** Moves up to `most` partitions, each of the topic with the largest surplus. Returns the number of moved ones. */
function move(from: MemberShare, to: MemberShare, most: number): number {
  const byExcess = topicsByExcess(from, to);
  let moved = 0;
  for (let excess = Math.max(...byExcess.keys()); byExcess.size > 0; excess--) {
    for (const topic of byExcess.get(excess) ?? []) {
      if (moved === most) return moved;
      const own = from.given.get(topic)!;
      give(to, topic, own.pop()!);
      from.count--;
      moved++;
      // The move reduces the surplus of `from` over `to` by two.
      if (own.length > 0) addTo(byExcess, excess - 2, topic);
    }
    byExcess.delete(excess);
  }
  return moved;
}

/** Returns the topics with partitions that can move, by how many more of their partitions `from` has than `to`. */
function topicsByExcess(from: MemberShare, to: MemberShare): Map<number, string[]> {
  const byExcess = new Map<number, string[]>();
  for (const [topic, { length }] of from.given)
    if (length > 0 && to.topics.has(topic)) addTo(byExcess, length - countOf(to, topic), topic);
  return byExcess;
}

/** Returns the assigned partitions of a member, except those that another member still claims. */
function withoutClaimed(share: MemberShare, owners: ReadonlyMap<string, MemberShare>): PartitionsByTopic {
  const free: PartitionsByTopic = new Map();
  for (const [topic, partitions] of share.given) {
    const mine = partitions.filter((partition) => {
      const owner = owners.get(partitionKey({ topic, partition }));
      return owner === undefined || owner === share;
    });
    mine.sort((a, b) => a - b);
    if (mine.length > 0) free.set(topic, mine);
  }
  return free;
}

function give(share: MemberShare, topic: string, partition: number): void {
  addTo(share.given, topic, partition);
  share.count++;
}

function countOf(share: MemberShare, topic: string): number {
  return share.given.get(topic)?.length ?? 0;
}
