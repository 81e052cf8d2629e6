import type { TopicPartition } from '../topic-partition.js';
import type { PartitionMetadata } from './kafkajs/internals.js';

/** Groups partitions by the node id of the broker that leads them. Omits partitions without a leader. */
export function byLeader(
  topics: ReadonlyMap<string, readonly PartitionMetadata[]>,
): Map<number, TopicPartition[]> {
  const groups = new Map<number, TopicPartition[]>();
  for (const [topic, partitions] of topics) {
    for (const { partitionId: partition, leader } of partitions) {
      if (leader < 0) continue;
      const led = groups.get(leader) ?? [];
      led.push({ topic, partition });
      groups.set(leader, led);
    }
  }
  return groups;
}
