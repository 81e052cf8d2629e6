import { addTo, type TopicPartition } from '../../topic-partition.js';

/** Groups partitions by topic, as `[{ topic, partitions }]`: the form of most Kafka requests. */
export function byTopic<T extends TopicPartition, P>(
  partitions: readonly T[],
  toPartition: (partition: T) => P,
): { topic: string; partitions: P[] }[] {
  const topics = new Map<string, P[]>();
  for (const one of partitions) addTo(topics, one.topic, toPartition(one));
  return [...topics].map(([topic, own]) => ({ topic, partitions: own }));
}
