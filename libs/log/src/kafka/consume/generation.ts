/** One round of the group: valid until the next rebalance. */
export interface Generation {
  id: number;
  memberId: string;
  topics: readonly string[];
  /** Partitions of the topics that existed when it began. */
  partitionsOf: ReadonlyMap<string, number>;
  assignment: ReadonlyMap<string, readonly number[]>;
}

export interface TopicPartition {
  topic: string;
  partition: number;
}

/** The offset that a group has committed of a partition. */
export interface CommittedOffset extends TopicPartition {
  /** The next offset to read; -1 where the group has committed none. */
  offset: number;
}
