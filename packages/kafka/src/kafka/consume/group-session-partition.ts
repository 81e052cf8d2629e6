import type { TopicPartition } from '../../topic-partition.js';
import type { PartitionBuffer } from './partition-buffer.js';

/**
 * A partition that this member of a consumer group owns, from its assignment until its revocation. A later assignment
 * of the same partition is another object.
 */
export class GroupSessionPartition implements TopicPartition {
  /** True once `assigned` of the handler has been called. */
  isAssigned = false;
  /** True if the partition is being assigned and must be assigned once more after that. */
  mustReassign = false;
  /**
   * True once this assignment is over: the member no longer owns the partition, or another object represents its new
   * assignment.
   */
  isRevoked = false;
  /** Buffer of the partition; set while the partition is read. */
  buffer: PartitionBuffer | undefined;

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
