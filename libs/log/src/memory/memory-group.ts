import type { MemoryTopic } from './memory-topic.js';

export interface MemoryPlace {
  topic: string;
  partition: number;
}

export interface MemoryMember {
  readonly topics: ReadonlySet<string>;
  /** The group lets every partition go. */
  revokeAll(): void;
  /** The group gives these. */
  assign(places: readonly MemoryPlace[]): void;
}

/** A consumer group: who has which partition, and how far each has been committed. */
export class MemoryGroup {
  private readonly committed = new Map<string, Map<number, number>>();
  private readonly lives = new Map<string, string | undefined>();
  private readonly members = new Set<MemoryMember>();
  private scheduled = false;

  constructor(private readonly topics: ReadonlyMap<string, MemoryTopic>) {}

  get isEmpty(): boolean {
    return this.members.size === 0;
  }

  join(member: MemoryMember): void {
    this.members.add(member);
    this.rebalance();
  }

  leave(member: MemoryMember): void {
    if (this.members.delete(member)) this.rebalance();
  }

  commit({ topic, partition }: MemoryPlace, offset: number, life?: string): void {
    this.lives.set(`${topic}/${partition}`, life);
    const own = this.committed.get(topic) ?? new Map<number, number>();
    own.set(partition, offset);
    this.committed.set(topic, own);
  }

  /** As Kafka does with the topic. */
  forget(topic: string): void {
    this.committed.delete(topic);
  }

  /** Of which topic of that name an offset was committed. */
  lifeOf({ topic, partition }: MemoryPlace): string | undefined {
    return this.lives.get(`${topic}/${partition}`);
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

  private assign(): void {
    const assignments = new Map([...this.members].map((member) => [member, [] as MemoryPlace[]]));
    let turn = 0;
    for (const topic of this.topics.values()) {
      const able = [...this.members].filter((member) => member.topics.has(topic.name));
      if (able.length === 0) continue;
      topic.partitions.forEach((_, partition) => {
        const member = able[turn++ % able.length] as MemoryMember;
        assignments.get(member)?.push({ topic: topic.name, partition });
      });
    }
    for (const member of this.members) member.revokeAll();
    for (const [member, places] of assignments) member.assign(places);
  }
}
