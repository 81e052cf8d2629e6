import { partitionKey } from '../partition-key.js';
import { stickyAssignment } from '../sticky-assignment.js';
import type { MemoryTopic } from './memory-topic.js';

export interface MemoryPlace {
  topic: string;
  partition: number;
}

export interface MemoryMember {
  readonly id: string;
  readonly topics: ReadonlySet<string>;
  /** What it runs now. */
  readonly owned: readonly MemoryPlace[];
  /** The group gives these, beside what it runs. */
  assign(places: readonly MemoryPlace[]): void;
  /** Resolves when it does not run these any more. */
  release(places: readonly MemoryPlace[]): Promise<void>;
  /** The topic is gone, and its partitions with it. */
  drop(topic: string): void;
}

/** A consumer group: who has which partition, and how far each has been committed. */
export class MemoryGroup {
  private readonly committed = new Map<string, Map<number, number>>();
  private readonly members = new Set<MemoryMember>();
  private scheduled = false;
  private made = 0;

  constructor(private readonly topics: ReadonlyMap<string, MemoryTopic>) {}

  get isEmpty(): boolean {
    return this.members.size === 0;
  }

  /** For a member of this group alone. */
  nextId(): string {
    return `member-${this.made++}`;
  }

  join(member: MemoryMember): void {
    this.members.add(member);
    this.rebalance();
  }

  leave(member: MemoryMember): void {
    if (this.members.delete(member)) this.rebalance();
  }

  commit({ topic, partition }: MemoryPlace, offset: number): void {
    const own = this.committed.get(topic) ?? new Map<number, number>();
    own.set(partition, offset);
    this.committed.set(topic, own);
  }

  /** The topic is removed. */
  forget(topic: string): void {
    this.committed.delete(topic);
    for (const member of this.members) member.drop(topic);
  }

  committedOf(topic: string): Map<number, number> {
    return new Map(this.committed.get(topic));
  }

  /** Calls in the same turn become one rebalance. */
  rebalance(): void {
    if (this.scheduled) return;
    this.scheduled = true;
    setImmediate(() => {
      this.scheduled = false;
      this.assign();
    });
  }

  /** As Kafka's members do among themselves: what moves is given to nobody until its owner has let it go. */
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

function byTopic(places: readonly MemoryPlace[]): Map<string, number[]> {
  const topics = new Map<string, number[]>();
  for (const { topic, partition } of places) topics.set(topic, [...(topics.get(topic) ?? []), partition]);
  return topics;
}

function placesOf(partitions: ReadonlyMap<string, readonly number[]>): MemoryPlace[] {
  return [...partitions].flatMap(([topic, own]) => own.map((partition) => ({ topic, partition })));
}

function without(places: readonly MemoryPlace[], others: readonly MemoryPlace[]): MemoryPlace[] {
  const keys = new Set(others.map(partitionKey));
  return places.filter((place) => !keys.has(partitionKey(place)));
}
