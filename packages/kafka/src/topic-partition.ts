/** Identifies one partition of a topic. */
export interface TopicPartition {
  topic: string;
  partition: number;
}
