/** A member of a consumer group, as the assignment sees it. */
export interface StickyMember {
  id: string;
  topics: readonly string[];
  /** The generation that gave it what it owns; the newest claim to a partition is the one that counts. */
  generation: number;
  /** The partitions that it runs now, by topic. It goes on running those that it is given again. */
  owned: ReadonlyMap<string, readonly number[]>;
}

/** Partitions by topic. */
export type Partitions = Map<string, number[]>;

/** What one member has during the computation. */
interface Share {
  member: StickyMember;
  topics: ReadonlySet<string>;
  given: Partitions;
  count: number;
}

/**
 * Decides which member of a group gets which partitions, by member id.
 *
 * - The numbers of partitions are level: a member that could take one from another has at most one less.
 * - A member keeps what it owns, except what levelling moves away from it.
 * - A partition that moves is given to nobody as long as a member says that it owns it: that member stops running it
 *   first, and joins again without it.
 * - A partition that nobody owns is given at once, and only to a member that subscribes to its topic.
 *
 * The result depends on the arguments alone, not on the order of the members.
 */
export function stickyAssignment(
  members: readonly StickyMember[],
  partitionsOf: ReadonlyMap<string, number>,
): Map<string, Partitions> {
  const shares = [...members]
    .sort((a, b) => (a.id < b.id ? -1 : 1))
    .map((member): Share => ({ member, topics: new Set(member.topics), given: new Map(), count: 0 }));
  const owners = keepOwned(shares, partitionsOf);
  giveFree(shares, partitionsOf, owners);
  while (moveSome(shares));
  return new Map(shares.map((share) => [share.member.id, withoutClaimed(share, owners)]));
}

/**
 * Gives every claimed partition to its owner, unless the owner does not subscribe to the topic any more. Returns the
 * owners, those that still have to stop running a partition included.
 */
function keepOwned(shares: readonly Share[], partitionsOf: ReadonlyMap<string, number>): Map<string, Share> {
  const owners = new Map<string, Share>();
  const newestFirst = [...shares].sort((a, b) => b.member.generation - a.member.generation);
  for (const share of newestFirst)
    for (const [topic, partitions] of share.member.owned)
      for (const partition of partitions) {
        const exists = partition < (partitionsOf.get(topic) ?? 0);
        const key = keyOf(topic, partition);
        if (!exists || owners.has(key)) continue;
        owners.set(key, share);
        if (share.topics.has(topic)) give(share, topic, partition);
      }
  return owners;
}

/** Gives each partition that nobody owns to the member that has the least. */
function giveFree(
  shares: readonly Share[],
  partitionsOf: ReadonlyMap<string, number>,
  owners: ReadonlyMap<string, Share>,
): void {
  for (const topic of [...partitionsOf.keys()].sort()) {
    const able = shares.filter(({ topics }) => topics.has(topic));
    for (let partition = 0; able.length > 0 && partition < (partitionsOf.get(topic) ?? 0); partition++)
      if (!owners.has(keyOf(topic, partition))) give(leastOf(able, topic), topic, partition);
  }
}

function leastOf(shares: readonly Share[], topic: string): Share {
  const less = (a: Share, b: Share): boolean =>
    a.count === b.count ? countOf(a, topic) < countOf(b, topic) : a.count < b.count;
  return shares.reduce((least, share) => (less(share, least) ? share : least));
}

/**
 * Moves partitions from a member that has too many to one that has too few. False when everything is level.
 *
 * It moves the difference between the two, divided by the number of members. Where all subscribe to the same, the one
 * stays above the mean then and the other below it, so that nothing moves twice; and the difference shrinks geometrically.
 */
function moveSome(shares: readonly Share[]): boolean {
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

/**
 * Moves up to so many partitions, each of the topic of which one member has the most more than the other at that time:
 * the partitions of a topic spread over the members. Returns how many it moved.
 */
function move(from: Share, to: Share, most: number): number {
  const byExcess = topicsByExcess(from, to);
  let moved = 0;
  for (let excess = Math.max(...byExcess.keys()); byExcess.size > 0; excess--) {
    for (const topic of byExcess.get(excess) ?? []) {
      if (moved === most) return moved;
      const own = from.given.get(topic)!;
      give(to, topic, own.pop()!);
      from.count--;
      moved++;
      // One less here and one more there.
      if (own.length > 0) addTo(byExcess, excess - 2, topic);
    }
    byExcess.delete(excess);
  }
  return moved;
}

/** The topics that can move, by how many more partitions of them the one has than the other. */
function topicsByExcess(from: Share, to: Share): Map<number, string[]> {
  const byExcess = new Map<number, string[]>();
  for (const [topic, { length }] of from.given)
    if (length > 0 && to.topics.has(topic)) addTo(byExcess, length - countOf(to, topic), topic);
  return byExcess;
}

/** What the member may run from now on: of what it was given, all but what another still runs. */
function withoutClaimed(share: Share, owners: ReadonlyMap<string, Share>): Partitions {
  const free: Partitions = new Map();
  for (const [topic, partitions] of share.given) {
    const mine = partitions.filter((partition) => {
      const owner = owners.get(keyOf(topic, partition));
      return owner === undefined || owner === share;
    });
    if (mine.length > 0)
      free.set(
        topic,
        mine.sort((a, b) => a - b),
      );
  }
  return free;
}

function give(share: Share, topic: string, partition: number): void {
  addTo(share.given, topic, partition);
  share.count++;
}

function addTo<K, V>(lists: Map<K, V[]>, key: K, value: V): void {
  const list = lists.get(key);
  if (list) list.push(value);
  else lists.set(key, [value]);
}

function countOf(share: Share, topic: string): number {
  return share.given.get(topic)?.length ?? 0;
}

function keyOf(topic: string, partition: number): string {
  return `${topic}/${partition}`;
}
