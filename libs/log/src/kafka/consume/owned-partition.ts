import type { TopicPartition } from './generation.js';
import type { PartitionFeed } from './partition-feed.js';

/** A partition that a member runs: from the generation that gives it until it is let go. */
export class OwnedPartition implements TopicPartition {
  /** The handler has been told of it. */
  begun = false;
  /** It is being assigned, and is to be assigned once more after that. */
  again = false;
  /** It is no longer ours, or another object stands for it. */
  over = false;
  /** Set while it is read. */
  feed: PartitionFeed | undefined;

  constructor(
    readonly topic: string,
    readonly partition: number,
  ) {}

  get key(): string {
    return keyOf(this);
  }
}

export function keyOf({ topic, partition }: TopicPartition): string {
  return `${topic}/${partition}`;
}
