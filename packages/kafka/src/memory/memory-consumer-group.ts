import { unknownEpoch, type EpochPosition } from '../epoch-position.js';
import { partitionKey, type TopicPartition } from '../topic-partition.js';
import { stickyAssignment } from '../sticky-assignment.js';
import type { MemoryTopic } from './memory-topic.js';

/** A member of an in-memory consumer group, as the group sees it. */
export interface MemoryConsumerGroupMember {
  readonly id: string;
  readonly topics: ReadonlySet<string>;
  /** Partitions that the member owns now. */
  readonly owned: readonly TopicPartition[];
  /** Assigns these partitions to the member, in addition to the owned ones. */
  assign(places: readonly TopicPartition[]): void;
  /** Revokes these partitions; resolves when the member has stopped processing them. */
  release(places: readonly TopicPartition[]): Promise<void>;
  /** Revokes the partitions of a topic that was removed. */
  drop(topic: string): void;
}

/** In-memory consumer group: assigns partitions to members and keeps committed offsets. */
export class MemoryConsumerGroup {
  private readonly committed = new Map<string, Map<number, EpochPosition>>();
  private readonly members = new Set<MemoryConsumerGroupMember>();
  private scheduled = false;
  private made = 0;

  constructor(private readonly topics: ReadonlyMap<string, MemoryTopic>) {}

  get isEmpty(): boolean {
    return this.members.size === 0;
  }

  /** Returns a member id that is unique within this group. */
  nextId(): string {
    return `member-${this.made++}`;
  }

  join(member: MemoryConsumerGroupMember): void {
    this.members.add(member);
    this.rebalance();
  }

  leave(member: MemoryConsumerGroupMember): void {
    if (this.members.delete(member)) this.rebalance();
  }

  commit({ topic, partition }: TopicPartition, offset: number, leaderEpoch = unknownEpoch): void {
    const own = this.committed.get(topic) ?? new Map<number, EpochPosition>();
    own.set(partition, { offset, leaderEpoch });
    this.committed.set(topic, own);
  }

  /** Returns the committed offset of a partition, with its leader epoch; undefined without one. */
  positionOf({ topic, partition }: TopicPartition): EpochPosition | undefined {
    return this.committed.get(topic)?.get(partition);
  }

  /** Forgets the committed offsets of a removed topic and revokes its partitions. */
  forget(topic: string): void {
    this.committed.delete(topic);
    for (const member of this.members) member.drop(topic);
  }

  committedOf(topic: string): Map<number, number> {
    const own = [...(this.committed.get(topic) ?? [])];
    return new Map(own.map(([partition, { offset }]) => [partition, offset]));
  }

  /** Schedules a rebalance; calls in the same event-loop turn cause one rebalance. */
  rebalance(): void {
    if (this.scheduled) return;
    this.scheduled = true;
    setImmediate(() => {
      this.scheduled = false;
      this.assign();
    });
  }

  /**
   * Assigns partitions cooperatively, like Kafka's members: a partition that moves is assigned to no member until its
   * owner has released it.
   */
  private assign(): void {
    const members = [...this.members];
    const partitionsOf = new Map(
      [...this.topics.values()].map(({ name, partitions }) => [name, partitions.length]),
    );
    const claims = members.map(({ id, topics, owned }) => {
      return { id, generation: 0, topics: [...topics], owned: byTopic(owned) };
    });
    const shares = stickyAssignment(claims, partitionsOf);
    for (const member of members) {
      const given = placesOf(shares.get(member.id) ?? new Map());
      const lost = without(member.owned, given);
      member.assign(without(given, member.owned));
      if (lost.length > 0) void member.release(lost).then(() => this.rebalance());
    }
  }
}

function byTopic(places: readonly TopicPartition[]): Map<string, number[]> {
  const topics = new Map<string, number[]>();
  for (const { topic, partition } of places) topics.set(topic, [...(topics.get(topic) ?? []), partition]);
  return topics;
}

function placesOf(partitions: ReadonlyMap<string, readonly number[]>): TopicPartition[] {
  return [...partitions].flatMap(([topic, own]) => own.map((partition) => ({ topic, partition })));
}

function without(places: readonly TopicPartition[], others: readonly TopicPartition[]): TopicPartition[] {
  const keys = new Set(others.map(partitionKey));
  return places.filter((place) => !keys.has(partitionKey(place)));
}
