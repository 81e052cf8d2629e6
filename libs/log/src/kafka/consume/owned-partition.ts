import type { TopicPartition } from './generation.js';
import type { PartitionFeed } from './partition-feed.js';

/** A partition that a member owns: from the generation that assigns it until its revocation. */
export class OwnedPartition implements TopicPartition {
  /** True once `assigned` of the handler has been called. */
  begun = false;
  /** True if the partition is being assigned and must be assigned once more after that. */
  again = false;
  /** True if the member no longer owns the partition, or another object has replaced this one. */
  over = false;
  /** Buffer of the partition; set while the partition is read. */
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
