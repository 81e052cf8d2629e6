import type { TopicPartition } from '../../topic-partition.js';

/** One generation of a consumer group, from one rebalance to the next, as one member sees it. */
export interface GroupGeneration {
  id: number;
  memberId: string;
  topics: readonly string[];
  /** Number of partitions of each topic that existed when the generation began. */
  partitionsOf: ReadonlyMap<string, number>;
  assignment: ReadonlyMap<string, readonly number[]>;
}

/** An offset that a group has committed for a partition. */
export interface CommittedOffset extends TopicPartition {
  /** The next offset to read; -1 if the group has committed none. */
  offset: number;
  /** The leader epoch of the record before it; `unknownEpoch` if it is not known. */
  leaderEpoch: number;
}
